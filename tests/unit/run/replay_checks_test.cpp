// SPDX-License-Identifier: MIT
#include <slo/run/replay_checks.hpp>

#define BOOST_TEST_MODULE run_replay_checks
#include <boost/test/unit_test.hpp>

using namespace slo::run;

// What each check refuses is tested where they come together, in replay_plan_test.
BOOST_AUTO_TEST_CASE(bounds_take_their_ends_in)
{
    using detail::is_between;
    BOOST_TEST(is_between(1, 1.0, 2));
    BOOST_TEST(is_between(1, 2.0, 2));
    BOOST_TEST(!is_between(1, 2.5, 2));
    BOOST_TEST(is_between(1, {}, 2));
}

BOOST_AUTO_TEST_CASE(the_defaults_pass)
{
    const ReplayOptions options;
    detail::check_numbers(options);
    detail::check_files(options, "route.jsonl");
    detail::check_whole_answers(options);
}
