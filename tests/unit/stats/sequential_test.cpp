// SPDX-License-Identifier: MIT
#include <slo/stats/sequential.hpp>

#define BOOST_TEST_MODULE stats_sequential
#include <boost/test/unit_test.hpp>

#include <slo/base/random.hpp>

#include <boost/math/special_functions/owens_t.hpp>

#include <limits>
#include <numeric>

using namespace slo::stats;
namespace tt = boost::test_tools;

namespace {

std::vector<double> equal_looks(std::size_t count)
{
    std::vector<double> looks(count);
    std::iota(looks.begin(), looks.end(), 1.0);
    return looks;
}

double below(double z)
{
    return 1 - detail::normal_above(z);
}

} // namespace

BOOST_AUTO_TEST_CASE(table_of_pocock)
{
    // Pocock 1977, Biometrika 64:191, table 1: two-sided 0.05, nominal levels of 2 to 5 looks.
    const std::vector<double> expected{0.0294, 0.0221, 0.0182, 0.0158};
    for (std::size_t looks = 2; looks <= 5; ++looks) {
        const auto levels = nominal_alphas(equal_looks(looks), 0.05, Spending::pocock, Sides::two);
        BOOST_TEST(levels.size() == looks);
        for (const double level : levels)
            BOOST_TEST(std::abs(level - expected[looks - 2]) < 5.1e-5);
    }
}

BOOST_AUTO_TEST_CASE(constants_of_both_kinds)
{
    // Jennison and Turnbull 2000, "Group Sequential Methods", tables 2.1 and 2.3, two-sided 0.05.
    const auto check = [](Spending spending, std::size_t looks, double expected) {
        const auto bounds = sequential_bounds(equal_looks(looks), 0.05, spending, Sides::two);
        BOOST_TEST(std::abs(bounds.back() - expected) < 5.1e-4);
    };
    check(Spending::pocock, 2, 2.178);
    check(Spending::pocock, 3, 2.289);
    check(Spending::pocock, 4, 2.361);
    check(Spending::pocock, 5, 2.413);
    check(Spending::pocock, 10, 2.555);
    check(Spending::pocock, 20, 2.672);
    check(Spending::obrien_fleming, 2, 1.977);
    check(Spending::obrien_fleming, 3, 2.004);
    check(Spending::obrien_fleming, 4, 2.024);
    check(Spending::obrien_fleming, 5, 2.040);
    check(Spending::obrien_fleming, 10, 2.087);
    check(Spending::obrien_fleming, 20, 2.126);
    const std::vector<double> expected{4.56, 3.23, 2.63, 2.28, 2.04};
    const auto bounds = sequential_bounds(equal_looks(5), 0.05, Spending::obrien_fleming, Sides::two);
    for (std::size_t i = 0; i < 5; ++i)
        BOOST_TEST(std::abs(bounds[i] - expected[i]) < 5.1e-3);
}

BOOST_AUTO_TEST_CASE(two_looks_in_closed_form)
{
    // P(Z1 <= h, Z2 <= k) of a bivariate normal by Owen's T (Owen 1956), correlation √(t1/t2).
    const auto neither = [](double h, double k, double rho) {
        const double s = std::sqrt(1 - rho * rho);
        return (below(h) + below(k)) / 2 - boost::math::owens_t(h, (k - rho * h) / (h * s)) -
               boost::math::owens_t(k, (h - rho * k) / (k * s));
    };
    for (const double t : {0.001, 0.1, 0.3, 0.5, 0.9, 0.999}) {
        for (const double h : {0.5, 1.6, 3.0}) {
            for (const double k : {0.7, 1.6, 2.2}) {
                const std::vector<double> times{t, 1};
                const std::vector<double> bounds{h, k};
                BOOST_TEST(std::abs(crossing_probability(times, bounds) - 1 + neither(h, k, std::sqrt(t))) <
                           1e-10);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(many_looks_near_the_reflection_principle)
{
    // P(max B > a) = 2 (1 - Φ(a)), with Siegmund's correction 0.5826 √Δt of a for looks that are apart.
    const auto looks = equal_looks(64);
    for (const double a : {0.5, 1.0, 2.0}) {
        std::vector<double> bounds;
        for (const double look : looks)
            bounds.push_back(a / std::sqrt(look / 64));
        BOOST_TEST(std::abs(crossing_probability(looks, bounds) - 2 * detail::normal_above(a + 0.5826 / 8)) <
                   1e-3);
    }
}

BOOST_AUTO_TEST_CASE(unequal_looks_spend_alpha_exactly)
{
    const std::vector<double> looks{8, 14, 20, 26, 32};
    for (const auto spending : {Spending::pocock, Spending::obrien_fleming}) {
        for (const double alpha : {0.001, 0.01, 0.05, 0.3, 0.5}) {
            for (const auto sides : {Sides::one, Sides::two}) {
                const auto bounds = sequential_bounds(looks, alpha, spending, sides);
                BOOST_TEST(crossing_probability(looks, bounds, sides) == alpha, tt::tolerance(1e-7));
            }
        }
    }
    // Simulated: the standard error is 0.0005.
    slo::Random random(1);
    const auto bounds = sequential_bounds(looks, 0.05, Spending::pocock);
    int crossed = 0;
    const int runs = 200000;
    for (int run = 0; run < runs; ++run) {
        double motion = 0;
        double before = 0;
        bool beyond = false;
        for (std::size_t k = 0; k < looks.size(); ++k) {
            motion += random.normal(0, std::sqrt(looks[k] - before));
            before = looks[k];
            beyond = beyond || motion > bounds[k] * std::sqrt(looks[k]);
        }
        crossed += beyond;
    }
    BOOST_TEST(std::abs(static_cast<double>(crossed) / runs - 0.05) < 0.002);
}

BOOST_AUTO_TEST_CASE(one_look_is_a_fixed_sample)
{
    for (const auto spending : {Spending::pocock, Spending::obrien_fleming}) {
        for (const double alpha : {1e-6, 0.05, 0.5}) {
            BOOST_TEST(nominal_alphas(equal_looks(1), alpha, spending)[0] == alpha, tt::tolerance(1e-6));
            BOOST_TEST(nominal_alphas(equal_looks(1), alpha, spending, Sides::two)[0] == alpha,
                       tt::tolerance(1e-6));
        }
    }
}

BOOST_AUTO_TEST_CASE(only_ratios_of_information_matter)
{
    const std::vector<double> counts{8, 14, 32};
    const std::vector<double> shares{0.25, 0.4375, 1};
    BOOST_TEST(nominal_alphas(counts, 0.05, Spending::pocock) ==
                   nominal_alphas(shares, 0.05, Spending::pocock),
               tt::per_element());
}

BOOST_AUTO_TEST_CASE(the_most_looks)
{
    const auto levels = nominal_alphas(equal_looks(max_looks), 0.05, Spending::pocock);
    BOOST_TEST(levels[0] > 0.05 / 64);
    BOOST_TEST(levels[0] < nominal_alphas(equal_looks(32), 0.05, Spending::pocock)[0]);
    // Looks that are all near the end hardly cost more than one.
    const std::vector<double> late{99.96, 99.98, 100};
    BOOST_TEST(nominal_alphas(late, 0.05, Spending::pocock)[0] > 0.049);
}

BOOST_AUTO_TEST_CASE(bounds_that_are_never_or_always_crossed)
{
    const double inf = std::numeric_limits<double>::infinity();
    const std::vector<double> looks{1, 2};
    BOOST_TEST(crossing_probability(looks, std::vector<double>{inf, 1.96}) == detail::normal_above(1.96),
               tt::tolerance(1e-9));
    BOOST_TEST(crossing_probability(looks, std::vector<double>{inf, inf}) == 0);
    BOOST_TEST(crossing_probability(looks, std::vector<double>{-inf, inf}) == 1);
    BOOST_TEST(crossing_probability(looks, std::vector<double>{-1, inf}, Sides::two) == 1);
}

BOOST_AUTO_TEST_CASE(plans_that_are_none)
{
    const auto wrong = [](std::vector<double> looks, double alpha = 0.05) {
        BOOST_CHECK_THROW(nominal_alphas(looks, alpha, Spending::pocock), slo::Error);
    };
    wrong({});
    wrong({0, 1});
    wrong({2, 1});
    wrong({1, 1});
    wrong({-1});
    wrong({1, std::nan(""), 3});
    wrong({1, std::numeric_limits<double>::infinity()});
    wrong(equal_looks(65));
    wrong({1, 2}, 0);
    wrong({1, 2}, 0.6);
    wrong({1, 2}, std::nan(""));
    const std::vector<double> looks{1, 2};
    BOOST_CHECK_THROW(crossing_probability(looks, std::vector<double>{1}), slo::Error);
    BOOST_CHECK_THROW(crossing_probability(looks, std::vector<double>{1, std::nan("")}), slo::Error);
}
