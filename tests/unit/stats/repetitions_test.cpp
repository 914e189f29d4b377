// SPDX-License-Identifier: MIT
#include <slo/stats/repetitions.hpp>

#define BOOST_TEST_MODULE stats_repetitions
#include <boost/test/unit_test.hpp>

#include <limits>

using namespace slo::stats;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

} // namespace

BOOST_AUTO_TEST_CASE(the_middle_of_the_middles_counts_not_their_mean)
{
    const auto three = summarize_repetitions({120, 100, 200});
    BOOST_REQUIRE(three);
    BOOST_TEST(three->count == 3U);
    BOOST_TEST(three->p50 == 120);
    BOOST_TEST(three->min == 100);
    BOOST_TEST(three->max == 200);
    BOOST_TEST(three->spread.value() == 2);
    BOOST_TEST(summarize_repetitions({1, 2, 3, 10})->p50 == 2.5);
    BOOST_TEST(summarize_repetitions({7})->spread.value() == 1);
}

BOOST_AUTO_TEST_CASE(what_is_no_figure_does_not_count)
{
    BOOST_TEST(!summarize_repetitions({}));
    BOOST_TEST(!summarize_repetitions({not_a_number, infinity}));
    BOOST_TEST(summarize_repetitions({not_a_number, 5, -infinity})->count == 1U);
    BOOST_TEST(!summarize_repetitions({0, 5})->spread);
}

BOOST_AUTO_TEST_CASE(a_tail_is_long_above_three_times_the_median)
{
    BOOST_TEST(!has_long_tail(100, 300).value());
    BOOST_TEST(has_long_tail(100, 300.1).value());
    BOOST_TEST(has_long_tail(100, 300.1, 5).value() == false);
}

BOOST_AUTO_TEST_CASE(an_unknown_tail_is_neither_long_nor_short)
{
    BOOST_TEST(!has_long_tail(std::nullopt, 300));
    BOOST_TEST(!has_long_tail(100, std::nullopt));
    BOOST_TEST(!has_long_tail(0, 300));
    BOOST_TEST(!has_long_tail(100, not_a_number));
    BOOST_TEST(!has_long_tail(infinity, 300));
}
