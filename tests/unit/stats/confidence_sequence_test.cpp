// SPDX-License-Identifier: MIT
#include <slo/stats/confidence_sequence.hpp>

#define BOOST_TEST_MODULE stats_confidence_sequence
#include <boost/test/unit_test.hpp>

#include <slo/base/random.hpp>

#include <vector>

using namespace slo::stats;
namespace tt = boost::test_tools;

BOOST_AUTO_TEST_CASE(closed_forms)
{
    // a = b = 1, none of n: B(1, n + 1) = 1/(n + 1), so (1 - p)^-n / (n + 1) = 1/alpha.
    for (const double n : {1.0, 10.0, 300.0, 1e6}) {
        const double high = 1 - std::pow(0.05 / (n + 1), 1 / n);
        BOOST_TEST(confidence_sequence(0, n, 0.05).low == 0);
        BOOST_TEST(confidence_sequence(0, n, 0.05).high == high, tt::tolerance(1e-7));
        BOOST_TEST(confidence_sequence(n, n, 0.05).low == 1 - high, tt::tolerance(1e-7));
        BOOST_TEST(confidence_sequence(n, n, 0.05).high == 1);
    }
    // One of two: B(2, 2) = 1/6, so p (1 - p) = alpha/6.
    const double low = 0.5 - std::sqrt(0.25 - 0.2 / 6);
    BOOST_TEST(confidence_sequence(1, 2, 0.2).low == low, tt::tolerance(1e-12));
    BOOST_TEST(confidence_sequence(1, 2, 0.2).high == 1 - low, tt::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(mixture_of_likelihoods)
{
    // M = ∫ θ^k (1 - θ)^(n-k) dBeta(θ; a, b) / p^k (1 - p)^(n-k), by the midpoint rule.
    const double a = 2;
    const double b = 5;
    const double p = 0.3;
    for (const int k : {0, 3, 10}) {
        double sum = 0;
        const int cells = 100000;
        for (int i = 0; i < cells; ++i) {
            const double theta = (i + 0.5) / cells;
            sum += 30 * theta * std::pow(1 - theta, 4) * std::pow(theta / p, k) *
                   std::pow((1 - theta) / (1 - p), 10 - k) / cells; // 1/B(2, 5) = 30
        }
        BOOST_TEST(log_mixture(p, k, 10, a, b) == std::log(sum), tt::tolerance(1e-7));
    }
}

BOOST_AUTO_TEST_CASE(ends_are_roots)
{
    for (const double n : {7.0, 480.0, 1e5}) {
        for (const double share : {0.01, 0.3, 0.9}) {
            const auto interval = confidence_sequence(share * n, n, 0.05, 0.5, 3);
            BOOST_TEST(std::abs(log_mixture(interval.low, share * n, n, 0.5, 3) - std::log(20)) < 1e-6);
            BOOST_TEST(std::abs(log_mixture(interval.high, share * n, n, 0.5, 3) - std::log(20)) < 1e-6);
            BOOST_TEST(interval.low < share);
            BOOST_TEST(interval.high > share);
        }
    }
}

BOOST_AUTO_TEST_CASE(wider_than_one_look)
{
    const auto sequence = confidence_sequence(48, 480, 0.05);
    const double fixed = upper_share(48, 480, 0.025) - lower_share(48, 480, 0.025);
    BOOST_TEST((sequence.high - sequence.low) / fixed > 1.3);
    BOOST_TEST((sequence.high - sequence.low) / fixed < 1.8);
}

BOOST_AUTO_TEST_CASE(holds_at_every_look)
{
    slo::Random random(13);
    int left = 0;
    int left_fixed = 0;
    const int runs = 2000;
    for (int run = 0; run < runs; ++run) {
        bool out = false;
        bool out_fixed = false;
        int k = 0;
        for (int n = 1; n <= 1000; ++n) {
            k += random.uniform() < 0.1;
            // A root would take the time of forty of these; p is outside where the martingale is over the
            // limit.
            out = out || (n % 5 == 0 && log_mixture(0.1, k, n, 1, 9) >= std::log(20));
            const auto fixed = n % 50 == 0 ? wilson(k, n, 0.95) : ShareInterval{};
            out_fixed = out_fixed || fixed.low > 0.1 || fixed.high < 0.1;
        }
        left += out;
        left_fixed += out_fixed;
    }
    BOOST_TEST(left < 0.05 * runs);
    BOOST_TEST(left > 0);
    BOOST_TEST(left_fixed > 0.15 * runs);
}

BOOST_AUTO_TEST_CASE(every_size_has_an_interval)
{
    for (const double n : {1e-9, 0.5, 1.0, 33.3, 1e6, 1e9}) {
        for (const double share : {0.0, 1e-12, 0.5, 1 - 1e-12, 1.0}) {
            for (const double alpha : {1e-300, 0.05, 0.999}) {
                for (const double prior : {1e-6, 1.0, 1e9}) {
                    const auto interval = confidence_sequence(share * n, n, alpha, prior, 1);
                    BOOST_TEST((interval.low >= 0 && interval.low <= share + 1e-9));
                    BOOST_TEST((interval.high <= 1 && interval.high >= share - 1e-9));
                }
            }
        }
    }
    BOOST_TEST(confidence_sequence(0, 0, 0.05).low == 0);
    BOOST_TEST(confidence_sequence(0, 0, 0.05).high == 1);
    BOOST_CHECK_THROW(confidence_sequence(2, 1, 0.05), slo::Error);
    BOOST_CHECK_THROW(confidence_sequence(-1, 1, 0.05), slo::Error);
    BOOST_CHECK_THROW(confidence_sequence(1, 1e10, 0.05), slo::Error);
    BOOST_CHECK_THROW(confidence_sequence(1, 2, 0), slo::Error);
    BOOST_CHECK_THROW(confidence_sequence(1, 2, 0.05, 0), slo::Error);
    BOOST_CHECK_THROW(confidence_sequence(1, 2, 0.05, 1, std::nan("")), slo::Error);
}
