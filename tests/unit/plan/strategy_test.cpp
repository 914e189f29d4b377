// SPDX-License-Identifier: MIT
#include <slo/plan/strategy.hpp>

#define BOOST_TEST_MODULE plan_strategy
#include <boost/test/unit_test.hpp>

using namespace slo::plan;

BOOST_AUTO_TEST_CASE(names_there_and_back)
{
    for (const auto kind : {StrategyKind::classic, StrategyKind::probabilistic, StrategyKind::certify})
        BOOST_TEST((strategy_named(name_of(kind)) == kind));
    BOOST_TEST(!strategy_named("Classic").has_value());
    BOOST_TEST(!strategy_named("").has_value());
}
