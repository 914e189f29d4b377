// SPDX-License-Identifier: MIT
#include <slo/engine/lengths.hpp>
#define BOOST_TEST_MODULE engine_lengths
#include <boost/test/unit_test.hpp>

#include <vector>

using namespace slo::engine;
using Kind = LengthLaw::Kind;

namespace {

void check(const OutputPlan& plan, std::int64_t tokens, FinishReason reason)
{
    BOOST_TEST(plan.tokens == tokens);
    BOOST_TEST(name_of(plan.reason) == name_of(reason));
}

} // namespace

BOOST_AUTO_TEST_CASE(the_limit_law_runs_to_max_tokens)
{
    const LengthLaw law{Kind::limit, 64, 0};
    check(plan_output(law, {50, 0, false}, 1000, 1), 50, FinishReason::length);
    check(plan_output(law, {{}, 0, false}, 1000, 1), 64, FinishReason::length);
    check(plan_output(law, {500, 0, false}, 100, 1), 100, FinishReason::length);
}

BOOST_AUTO_TEST_CASE(the_fixed_law_stops_unless_told_otherwise)
{
    const LengthLaw law{Kind::fixed, 20, 0};
    check(plan_output(law, {50, 0, false}, 1000, 1), 20, FinishReason::stop);
    check(plan_output(law, {20, 0, false}, 1000, 1), 20, FinishReason::length);
    check(plan_output(law, {50, 0, true}, 1000, 1), 50, FinishReason::length);
    check(plan_output(law, {50, 30, false}, 1000, 1), 30, FinishReason::stop);
    check(plan_output(law, {{}, 0, false}, 1000, 1), 20, FinishReason::stop);
    check(plan_output(law, {{}, 0, true}, 1000, 1), 1000, FinishReason::length);
}

BOOST_AUTO_TEST_CASE(the_lognormal_law_has_its_median_and_depends_on_the_seed_alone)
{
    const LengthLaw law{Kind::lognormal, 100, 0.5};
    int below = 0;
    std::vector<std::int64_t> seen;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        const auto plan = plan_output(law, {{}, 0, false}, 100000, seed);
        BOOST_TEST(plan.tokens == plan_output(law, {{}, 0, false}, 100000, seed).tokens);
        BOOST_TEST(plan.tokens >= 1);
        below += plan.tokens < 100;
    }
    // Binomial(2000, 1/2): four standard deviations are 89.
    BOOST_TEST(below > 911);
    BOOST_TEST(below < 1089);
}
