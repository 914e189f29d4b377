// SPDX-License-Identifier: MIT
#include <slo/sim/faults.hpp>
#define BOOST_TEST_MODULE sim_faults
#include <boost/test/unit_test.hpp>

#include <array>
#include <cmath>

using namespace slo;
using namespace slo::sim;

BOOST_AUTO_TEST_CASE(rates_are_kept_and_the_seed_decides)
{
    const FaultRates rates{0.1, 503, 0.2, 0.3, 0.05};
    FaultInjector first(rates, 9), second(rates, 9);
    std::array<int, 5> counts{};
    for (int i = 0; i < 10000; ++i) {
        const auto fault = first.draw();
        BOOST_TEST((fault == second.draw()));
        ++counts[static_cast<std::size_t>(fault)];
    }
    const std::array<double, 5> shares{0.35, 0.1, 0.2, 0.3, 0.05};
    for (std::size_t i = 0; i < 5; ++i)
        BOOST_TEST(std::abs(counts[i] / 10000.0 - shares[i]) < 0.02);
}

BOOST_AUTO_TEST_CASE(without_rates_nothing_happens_and_with_all_always)
{
    FaultInjector none({}, 1);
    FaultRates all;
    all.empty = 1;
    FaultInjector always(all, 1);
    for (int i = 0; i < 1000; ++i) {
        BOOST_TEST((none.draw() == Fault::none));
        BOOST_TEST((always.draw() == Fault::empty));
    }
}

BOOST_AUTO_TEST_CASE(senseless_rates_are_refused)
{
    BOOST_CHECK_THROW(FaultInjector({-0.1, 500, 0, 0, 0}, 1), UsageError);
    BOOST_CHECK_THROW(FaultInjector({std::nan(""), 500, 0, 0, 0}, 1), UsageError);
    BOOST_CHECK_THROW(FaultInjector({0.6, 500, 0.6, 0, 0}, 1), UsageError);
    BOOST_CHECK_THROW(FaultInjector({0, 200, 0, 0, 0}, 1), UsageError);
}
