// SPDX-License-Identifier: MIT
#include <slo/stats/binomial.hpp>

#define BOOST_TEST_MODULE stats_binomial
#include <boost/test/unit_test.hpp>

#include <boost/math/distributions/binomial.hpp>

#include <vector>

using namespace slo::stats;
namespace tt = boost::test_tools;

namespace {

// P(X <= k) of n throws, added up term by term.
double tail(int k, int n, double p)
{
    double sum = 0;
    double term = std::pow(1 - p, n);
    for (int i = 0; i <= k; ++i) {
        sum += term;
        term *= p / (1 - p) * (n - i) / (i + 1);
    }
    return sum;
}

} // namespace

BOOST_AUTO_TEST_CASE(published_limits)
{
    // The two-sided 95 % intervals of exact tables: 0 of 10, 1 of 10, 5 of 10; the rule of three for 0 of n.
    BOOST_TEST(upper_share(0, 10, 0.025) == 0.3085, tt::tolerance(1e-4));
    BOOST_TEST(lower_share(1, 10, 0.025) == 0.0025286, tt::tolerance(1e-4));
    BOOST_TEST(upper_share(1, 10, 0.025) == 0.4450161, tt::tolerance(1e-6));
    BOOST_TEST(lower_share(5, 10, 0.025) == 0.1870860, tt::tolerance(1e-6));
    BOOST_TEST(upper_share(5, 10, 0.025) == 0.8129140, tt::tolerance(1e-6));
    BOOST_TEST(upper_share(0, 300, 0.05) == 1 - std::pow(0.05, 1.0 / 300), tt::tolerance(1e-12));
    BOOST_TEST(lower_share(300, 300, 0.05) == std::pow(0.05, 1.0 / 300), tt::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(limits_leave_exactly_alpha_outside)
{
    for (const int n : {3, 17, 40, 60}) {
        for (const int k : {0, 1, n / 3, n - 1}) {
            for (const double alpha : {0.01, 0.05, 0.3}) {
                BOOST_TEST(tail(k, n, upper_share(k, n, alpha)) == alpha, tt::tolerance(1e-9));
                if (k > 0) {
                    BOOST_TEST(1 - tail(k - 1, n, lower_share(k, n, alpha)) == alpha, tt::tolerance(1e-9));
                }
            }
        }
    }
    using boost::math::binomial;
    BOOST_TEST(upper_share(15, 480, 0.05) ==
                   binomial::find_upper_bound_on_p(480, 15, 0.05, binomial::clopper_pearson_exact_interval),
               tt::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(violations_that_480_requests_may_have)
{
    // Four rounds of 30 s at 4 QPS, alpha 0.05: what the most violations are that still pass, by quantile.
    const auto most = [](double q) {
        int k = 0;
        while (upper_share(k, 480, 0.05) < 1 - q)
            ++k;
        return k - 1;
    };
    BOOST_TEST(most(0.50) == 221);
    BOOST_TEST(most(0.90) == 36);
    BOOST_TEST(most(0.95) == 15);
    BOOST_TEST(most(0.99) == 1);
}

BOOST_AUTO_TEST_CASE(effective_sizes_lie_between_the_integers)
{
    BOOST_TEST(upper_share(2.5, 50, 0.05) > upper_share(2, 50, 0.05));
    BOOST_TEST(upper_share(2.5, 50, 0.05) < upper_share(3, 50, 0.05));
    BOOST_TEST(lower_share(2.5, 50, 0.05) > lower_share(2, 50, 0.05));
    BOOST_TEST(lower_share(2.5, 50, 0.05) < lower_share(3, 50, 0.05));
    // The same share of half as many is known less well.
    BOOST_TEST(upper_share(5, 50, 0.05) < upper_share(2.5, 25, 0.05));
    // What is a violation in one count is none in the other.
    BOOST_TEST(lower_share(2.5, 50, 0.05) == 1 - upper_share(47.5, 50, 0.05), tt::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(every_size_has_limits)
{
    const std::vector<double> shares{0, 1e-300, 1e-12, 1e-6, 0.01, 0.1, 0.5, 0.9, 0.999999, 1 - 1e-12, 1};
    for (const double n : {1e-6, 0.1, 1.0, 1.5, 30.0, 1e4, 1e6, 1e9, 1e12, 1e300}) {
        for (const double share : shares) {
            for (const double alpha : {1e-12, 0.01, 0.05, 0.5, 0.999}) {
                const double low = lower_share(share * n, n, alpha);
                const double high = upper_share(share * n, n, alpha);
                BOOST_TEST((low >= 0 && high <= 1));
                if (alpha <= 0.5) {
                    BOOST_TEST((low <= share + 1e-9 && share <= high + 1e-9));
                }
            }
        }
    }
    BOOST_TEST(upper_share(0, 0, 0.05) == 1);
    BOOST_TEST(lower_share(0, 0, 0.05) == 0);
    BOOST_TEST(upper_share(10, 10, 0.05) == 1);
    BOOST_TEST(lower_share(0, 10, 0.05) == 0);
    // More than a billion are judged as a billion: wider, never narrower.
    BOOST_TEST(upper_share(1e11, 1e12, 0.05) == upper_share(1e8, 1e9, 0.05), tt::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(score_interval)
{
    // Newcombe 1998, Statistics in Medicine 17:857, table I, method 3: 81 of 263, 15 of 148, 0 of 20, 1
    // of 29.
    const auto check = [](double k, double n, double low, double high) {
        const auto interval = wilson(k, n, 0.95);
        BOOST_TEST(std::abs(interval.low - low) < 5.1e-5);
        BOOST_TEST(std::abs(interval.high - high) < 5.1e-5);
    };
    check(81, 263, 0.2553, 0.3662);
    check(15, 148, 0.0624, 0.1605);
    check(0, 20, 0.0000, 0.1611);
    check(1, 29, 0.0061, 0.1718);
    BOOST_TEST(wilson(20, 20, 0.95).high == 1);
    BOOST_TEST(wilson(0, 0, 0.95).low == 0);
    BOOST_TEST(wilson(0, 0, 0.95).high == 1);
}

BOOST_AUTO_TEST_CASE(fewest_requests_of_a_clean_pass)
{
    BOOST_TEST(fewest_without_violation(0.50, 0.05) == 5);
    BOOST_TEST(fewest_without_violation(0.95, 0.05) == 59);
    BOOST_TEST(fewest_without_violation(0.99, 0.05) == 299);
    for (const double q : {0.5, 0.9, 0.95, 0.99, 0.999}) {
        const auto n = static_cast<double>(fewest_without_violation(q, 0.01));
        BOOST_TEST(upper_share(0, n, 0.01) <= 1 - q);
        BOOST_TEST(upper_share(0, n - 1, 0.01) > 1 - q);
    }
    for (int n = 1; n < 200; ++n)
        BOOST_TEST(fewest_without_violation(0.9, std::pow(0.9, n)) == n);
    BOOST_TEST(fewest_without_violation(1e-300, 0.05) == 1);
    BOOST_TEST(fewest_without_violation(1 - 1e-16, 1e-300) > 0);
    BOOST_CHECK_THROW(fewest_without_violation(1, 0.05), slo::Error);
    BOOST_CHECK_THROW(fewest_without_violation(0.5, 0), slo::Error);
}
