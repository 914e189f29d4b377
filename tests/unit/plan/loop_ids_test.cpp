// SPDX-License-Identifier: MIT
#include <slo/plan/loop_ids.hpp>

#define BOOST_TEST_MODULE plan_loop_ids
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <limits>
#include <set>

using slo::plan::loop_moments;
using slo::plan::LoopIds;

BOOST_AUTO_TEST_CASE(each_pass_has_conversations_of_its_own)
{
    LoopIds ids;
    for (const char* id : {"ar-1", "", "ünï"})
        ids.see(id);
    BOOST_TEST(ids.of("ar-1", 0) == "ar-1");
    BOOST_TEST(ids.of("ar-1", 1) == "ar-1#2");
    BOOST_TEST(ids.of("ar-1", 99) == "ar-1#100");
    BOOST_TEST(ids.of("ünï", 1) == "ünï#2");
    BOOST_TEST(ids.of("", 0) == "");
    BOOST_TEST(ids.of("", 5) == "");
}

BOOST_AUTO_TEST_CASE(no_two_conversations_share_a_name)
{
    const std::vector<std::string> route{"a",  "a#", "a#2", "a##",   "a##2", "#",
                                         "##", "#2", "2",   "a#2#2", "b##a"};
    LoopIds ids;
    for (const auto& id : route)
        ids.see(id);
    std::set<std::string> names;
    for (const auto& id : route) {
        for (std::size_t pass = 0; pass < 30; ++pass)
            names.insert(ids.of(id, pass));
    }
    BOOST_TEST(names.size() == route.size() * 30);
}

BOOST_AUTO_TEST_CASE(a_looped_trace_goes_on_at_its_mean_rate)
{
    // Four requests in three seconds: a gap of one second on average.
    const auto moments_ns = loop_moments({500, 500, 1'000'000'500, 3'000'000'500}, 12);
    const std::vector<std::int64_t> expected{500,           500,           1'000'000'500, 3'000'000'500,
                                             4'000'000'500, 4'000'000'500, 5'000'000'500, 7'000'000'500,
                                             8'000'000'500, 8'000'000'500, 9'000'000'500, 11'000'000'500};
    BOOST_TEST(moments_ns == expected, boost::test_tools::per_element());
    BOOST_TEST(loop_moments({500, 500, 1'000'000'500, 3'000'000'500}, 12.001).size() == 16U);
}

BOOST_AUTO_TEST_CASE(times_of_a_loop_ascend_and_reach_the_end)
{
    std::vector<std::int64_t> route;
    for (std::int64_t i = 0; i < 1000; ++i)
        route.push_back(1'755'000'000'000'000'000 + i * 333 + i % 7);
    const auto moments_ns = loop_moments(route, 0.01);
    BOOST_TEST(std::is_sorted(moments_ns.begin(), moments_ns.end()));
    BOOST_TEST(moments_ns.size() % 1000 == 0U);
    BOOST_TEST(moments_ns.back() - moments_ns.front() + 400 >= 10'000'000);
    BOOST_TEST(moments_ns[1000] > moments_ns[999]);
}

BOOST_AUTO_TEST_CASE(one_pass_is_enough_for_a_short_run)
{
    BOOST_TEST(loop_moments({0, 1'000'000'000}, 1).size() == 2U);
    BOOST_TEST(loop_moments({0, 1'000'000'000}, 0).size() == 2U);
    BOOST_TEST(loop_moments({}, 100).size() == 0U);
}

BOOST_AUTO_TEST_CASE(what_cannot_go_on_is_refused)
{
    BOOST_CHECK_THROW(loop_moments({5}, 1), slo::UsageError);
    BOOST_CHECK_THROW(loop_moments({5, 5, 5}, 1), slo::UsageError);
    BOOST_CHECK_THROW(loop_moments({0, 1}, 1e9), slo::UsageError);
    constexpr auto greatest = std::numeric_limits<std::int64_t>::max();
    BOOST_CHECK_THROW(loop_moments({0, greatest}, 1e10), slo::UsageError);
    BOOST_CHECK_THROW(loop_moments({std::numeric_limits<std::int64_t>::min(), greatest}, 1e11),
                      slo::UsageError);
    BOOST_CHECK_THROW(loop_moments({greatest - 1000, greatest}, 1), slo::UsageError);
}
