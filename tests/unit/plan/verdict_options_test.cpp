// SPDX-License-Identifier: MIT
#include <slo/plan/verdict_options.hpp>

#define BOOST_TEST_MODULE plan_verdict_options
#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace slo;
using plan::VerdictOptions;

BOOST_AUTO_TEST_CASE(defaults_come_from_the_environment)
{
    ::unsetenv("SLO_TOTAL_ROUNDS");
    ::unsetenv("SLO_TAIL_WINDOW");
    BOOST_TEST(plan::verdict_options_from_environment().total_rounds == 8);
    BOOST_TEST(plan::verdict_options_from_environment().tail_window == 4);
    ::setenv("SLO_TOTAL_ROUNDS", "16", 1);
    ::setenv("SLO_TAIL_WINDOW", "8", 1);
    BOOST_TEST(plan::verdict_options_from_environment().total_rounds == 16);
    BOOST_TEST(plan::verdict_options_from_environment().tail_window == 8);
    ::setenv("SLO_TAIL_WINDOW", "", 1);
    BOOST_TEST(plan::verdict_options_from_environment().tail_window == 4);
    ::setenv("SLO_TAIL_WINDOW", "8 rounds", 1);
    BOOST_CHECK_THROW(plan::verdict_options_from_environment(), UsageError);
}

BOOST_AUTO_TEST_CASE(slos)
{
    BOOST_TEST(plan::parse_slo("6.5") == 6.5);
    BOOST_TEST(plan::parse_slo("1e3") == 1000);
    BOOST_TEST(std::isnan(plan::parse_slo("nan")));
    BOOST_CHECK_THROW(plan::parse_slo("6,5"), UsageError);
    BOOST_CHECK_THROW(plan::parse_slo(""), UsageError);
}

BOOST_AUTO_TEST_CASE(merges)
{
    BOOST_TEST((plan::parse_shard_merge("auto") == plan::ShardMerge::automatic));
    BOOST_TEST((plan::parse_shard_merge("mean") == plan::ShardMerge::mean));
    BOOST_TEST((plan::parse_shard_merge("sketch") == plan::ShardMerge::sketch));
    BOOST_CHECK_THROW(plan::parse_shard_merge(""), UsageError);
}

BOOST_AUTO_TEST_CASE(ranges)
{
    VerdictOptions options;
    BOOST_CHECK_NO_THROW(plan::check(options));
    options.min_success_pct = -1;
    BOOST_CHECK_THROW(plan::check(options), UsageError);
    options.min_success_pct = 100;
    options.confidence_level = 0;
    BOOST_CHECK_THROW(plan::check(options), UsageError);
}
