// SPDX-License-Identifier: MIT
// Unit test of plan/edge_evidence.hpp: which verdicts contradict each other, and which may by chance.

#include <slo/plan/edge_evidence.hpp>

#define BOOST_TEST_MODULE plan_edge_evidence
#include <boost/test/unit_test.hpp>

#include <vector>

using namespace slo::plan;

namespace {

Outcome said(Said what, std::vector<double> errors_from_edge = {})
{
    Outcome outcome;
    outcome.said = what;
    for (const double z : errors_from_edge)
        outcome.margins.push_back({"e2e", 0.2 * z, 0.2});
    return outcome;
}

} // namespace

BOOST_AUTO_TEST_CASE(one_edge_is_no_contradiction)
{
    EdgeEvidence evidence;
    BOOST_TEST(!evidence.contradiction().has_value());
    for (int i = 0; i < 5; ++i) {
        evidence.add(10 + i, said(Said::pass, {-9}));
        evidence.add(20 + i, said(Said::fail, {9}));
    }
    BOOST_TEST(!evidence.contradiction().has_value());
    // a rate that passes and fails is unsteady, not a dip
    evidence.add(14, said(Said::fail, {9}));
    BOOST_TEST(!evidence.contradiction().has_value());
}

BOOST_AUTO_TEST_CASE(a_sure_pass_above_a_sure_fail)
{
    EdgeEvidence evidence;
    evidence.add(10, said(Said::fail, {4}));
    evidence.add(20, said(Said::pass, {-4}));
    evidence.add(30, said(Said::fail, {4}));
    const auto found = evidence.contradiction();
    BOOST_REQUIRE(found.has_value());
    BOOST_TEST(found->fails == 10);
    BOOST_TEST(found->passes == 20);
}

BOOST_AUTO_TEST_CASE(a_verdict_that_is_barely_sure_needs_company)
{
    EdgeEvidence evidence;
    evidence.add(10, said(Said::fail, {2.2}));
    evidence.add(20, said(Said::pass, {-4}));
    BOOST_TEST(!evidence.contradiction().has_value());
    evidence.add(11, said(Said::fail, {2.2}));
    BOOST_TEST(evidence.contradiction().has_value());
}

BOOST_AUTO_TEST_CASE(sides_alone_need_four_each)
{
    EdgeEvidence evidence;
    for (int i = 0; i < 3; ++i) {
        evidence.add(10, said(Said::fail));
        evidence.add(20, said(Said::pass));
        BOOST_TEST(!evidence.contradiction().has_value());
    }
    evidence.add(10, said(Said::fail));
    BOOST_TEST(!evidence.contradiction().has_value());
    evidence.add(20, said(Said::pass));
    BOOST_TEST(evidence.contradiction().has_value());
}

BOOST_AUTO_TEST_CASE(the_objective_nearest_to_its_edge_tells)
{
    EdgeEvidence evidence;
    evidence.add(10, said(Said::fail, {-9, 4}));  // one missed is a fail
    evidence.add(20, said(Said::pass, {-9, -1})); // and hardly a pass
    BOOST_TEST(!evidence.contradiction().has_value());
    evidence.add(20, said(Said::pass, {-9, -3}));
    BOOST_TEST(evidence.contradiction().has_value());
}

BOOST_AUTO_TEST_CASE(what_is_open_invalid_or_without_confidence_does_not_count)
{
    EdgeEvidence evidence;
    evidence.add(10, said(Said::fail, {9}));
    evidence.add(20, said(Said::open, {-9}));
    evidence.add(20, said(Said::invalid, {-9}));
    auto guess = said(Said::pass, {-9});
    guess.stated = false;
    evidence.add(20, guess);
    evidence.add(20, said(Said::pass, {9})); // a pass with a margin on the failing side: worth nothing
    BOOST_TEST(!evidence.contradiction().has_value());
}
