// SPDX-License-Identifier: MIT
#include <slo/stats/isotonic.hpp>

#define BOOST_TEST_MODULE stats_isotonic
#include <boost/test/unit_test.hpp>

#include <slo/base/random.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

using namespace slo::stats;
namespace tt = boost::test_tools;

namespace {

std::vector<double> fit(const std::vector<double>& values)
{
    return isotonic(values, std::vector<double>(values.size(), 1.0));
}

// The min-max formula: fit_i is the greatest over a <= i of the least over b >= i of the mean of a..b.
std::vector<double> by_formula(const std::vector<double>& values, const std::vector<double>& weights)
{
    std::vector<double> result;
    for (std::size_t i = 0; i < values.size(); ++i) {
        double greatest = -std::numeric_limits<double>::infinity();
        for (std::size_t a = 0; a <= i; ++a) {
            double least = std::numeric_limits<double>::infinity();
            double sum = 0;
            double weight = 0;
            for (std::size_t b = a; b < values.size(); ++b) {
                sum += weights[b] * values[b];
                weight += weights[b];
                if (b >= i)
                    least = std::min(least, sum / weight);
            }
            greatest = std::max(greatest, least);
        }
        result.push_back(greatest);
    }
    return result;
}

} // namespace

BOOST_AUTO_TEST_CASE(worked_by_hand)
{
    BOOST_TEST(fit({1, 3, 2, 4}) == (std::vector<double>{1, 2.5, 2.5, 4}), tt::per_element());
    BOOST_TEST(fit({1, 2, 3}) == (std::vector<double>{1, 2, 3}), tt::per_element());
    BOOST_TEST(fit({3, 2, 1}) == (std::vector<double>{2, 2, 2}), tt::tolerance(1e-12) << tt::per_element());
    BOOST_TEST(fit({0.1, 0.1, 0.1}) == (std::vector<double>{0.1, 0.1, 0.1}), tt::per_element());
    BOOST_TEST(fit({4, 5, 1, 6, 5}) == (std::vector<double>{10.0 / 3, 10.0 / 3, 10.0 / 3, 5.5, 5.5}),
               tt::tolerance(1e-12) << tt::per_element());
    BOOST_TEST(fit({}).empty());
    BOOST_TEST(fit({7}) == std::vector<double>{7}, tt::per_element());
    // The heavier one hardly moves.
    BOOST_TEST(isotonic(std::vector<double>{2, 1}, std::vector<double>{9, 1}) ==
                   (std::vector<double>{1.9, 1.9}),
               tt::tolerance(1e-12) << tt::per_element());
}

BOOST_AUTO_TEST_CASE(same_as_the_formula)
{
    slo::Random random(17);
    for (int run = 0; run < 200; ++run) {
        std::vector<double> values;
        std::vector<double> weights;
        for (int i = 0; i < 1 + run % 30; ++i) {
            values.push_back(0.1 * i + random.normal(0, 1));
            weights.push_back(0.1 + random.uniform());
        }
        const auto result = isotonic(values, weights);
        BOOST_TEST(result == by_formula(values, weights), tt::tolerance(1e-9) << tt::per_element());
        BOOST_TEST(std::is_sorted(result.begin(), result.end()));
        const auto mean = [&](const std::vector<double>& of) {
            return std::inner_product(of.begin(), of.end(), weights.begin(), 0.0);
        };
        BOOST_TEST(std::abs(mean(result) - mean(values)) < 1e-9);
    }
}

BOOST_AUTO_TEST_CASE(extremes)
{
    const double huge = std::numeric_limits<double>::max();
    const auto result = isotonic(std::vector<double>{huge, -huge}, std::vector<double>{huge / 4, huge / 4});
    BOOST_TEST(result[0] == 0);
    BOOST_TEST(result[1] == 0);
    BOOST_TEST(fit({huge, huge})[0] == huge);
    const auto light = isotonic(std::vector<double>{2, 1}, std::vector<double>{1e-320, 1});
    BOOST_TEST(light[0] == 1);
    // A long fall pools into one.
    std::vector<double> falling(100'000);
    for (std::size_t i = 0; i < falling.size(); ++i)
        falling[i] = -static_cast<double>(i);
    const auto pooled = fit(falling);
    BOOST_TEST(pooled.front() == -49999.5, tt::tolerance(1e-9));
    BOOST_TEST(pooled.front() == pooled.back());
}

BOOST_AUTO_TEST_CASE(what_has_no_fit)
{
    BOOST_CHECK_THROW(isotonic(std::vector<double>{1, 2}, std::vector<double>{1}), slo::Error);
    BOOST_CHECK_THROW(isotonic(std::vector<double>{1, 2}, std::vector<double>{1, 0}), slo::Error);
    BOOST_CHECK_THROW(isotonic(std::vector<double>{1, 2}, std::vector<double>{1, INFINITY}), slo::Error);
    BOOST_CHECK_THROW(isotonic(std::vector<double>{1, NAN}, std::vector<double>{1, 1}), slo::Error);
}
