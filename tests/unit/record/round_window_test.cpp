// SPDX-License-Identifier: MIT
#include <slo/record/round_window.hpp>

#define BOOST_TEST_MODULE record_round_window
#include <boost/test/unit_test.hpp>

using namespace slo::record;

BOOST_AUTO_TEST_CASE(a_basis_has_a_name)
{
    BOOST_TEST((latency_basis("due") == LatencyBasis::due));
    BOOST_TEST((latency_basis("send") == LatencyBasis::send));
    BOOST_TEST(!latency_basis("sent").has_value());
    BOOST_TEST(!latency_basis("").has_value());
    BOOST_TEST(name_of(LatencyBasis::send) == "send");
}

BOOST_AUTO_TEST_CASE(the_smallest_slo)
{
    RoundTerms terms;
    BOOST_TEST(!smallest_slo_s(terms).has_value());
    terms.tpot_slo_ms = 20;
    BOOST_TEST(!smallest_slo_s(terms).has_value());
    terms.ttft_slo_ms = 500;
    BOOST_TEST(smallest_slo_s(terms).value() == 0.5);
    terms.e2e_slo_s = 2;
    BOOST_TEST(smallest_slo_s(terms).value() == 0.5);
    terms.e2e_slo_s = 0.25;
    BOOST_TEST(smallest_slo_s(terms).value() == 0.25);
}

BOOST_AUTO_TEST_CASE(the_limits_of_objectives_count_too)
{
    RoundTerms terms;
    terms.objectives.push_back(slo::stats::parse_objective("goodput(tpot<0.01,ttft<800ms)>=95%"));
    BOOST_TEST(smallest_slo_s(terms).value() == 0.8);
    terms.objectives.push_back(slo::stats::parse_objective("e2e:p50<0.5"));
    BOOST_TEST(smallest_slo_s(terms).value() == 0.5);
    terms.e2e_slo_s = 0.25;
    BOOST_TEST(smallest_slo_s(terms).value() == 0.25);
}
