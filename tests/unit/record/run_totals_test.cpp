// SPDX-License-Identifier: MIT
#include <slo/record/run_totals.hpp>

#define BOOST_TEST_MODULE record_run_totals
#include <boost/test/unit_test.hpp>

#include "../../support/totals_of_run.hpp"

using namespace slo::record;

namespace {

const auto within_error = boost::test_tools::tolerance(0.005001);

} // namespace

BOOST_AUTO_TEST_CASE(of_nothing)
{
    const RunTotals totals;
    BOOST_TEST(totals.duration_s() == 0);
    BOOST_TEST(!totals.per_second(5).has_value());
    BOOST_TEST(!totals.achieved_rate().has_value());
    BOOST_TEST(totals.not_ok() == 0);
    BOOST_TEST(!totals.latency_s.quantile(0.5).has_value());
}

BOOST_AUTO_TEST_CASE(rounds_add_up)
{
    const auto totals = slo::test::totals_of_run();
    BOOST_TEST(totals.rounds == 2);
    BOOST_TEST(totals.saturated_rounds == 1);
    BOOST_TEST(totals.in_flight_max == 200);
    BOOST_TEST(totals.due == 200);
    BOOST_TEST(totals.count(RequestStatus::ok) == 198);
    BOOST_TEST(totals.not_ok() == 2);
    BOOST_TEST(totals.by_kind[static_cast<std::size_t>(ErrorKind::reset)] == 2);
    BOOST_TEST(totals.start_s() == 5);
    BOOST_TEST(totals.duration_s() == 10.25);
    BOOST_TEST(totals.end_s() == 15.25);
    BOOST_TEST(totals.achieved_rate().value() == 10);
    BOOST_TEST(totals.per_second(41).value() == 4);
    BOOST_TEST(totals.latency_s.count() == 198);
    BOOST_TEST(totals.latency_s.quantile(0.99).value() == 0.25, within_error);
    BOOST_TEST(totals.ttft_s.moments().mean().value() == 0.05, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(totals.tpot_ms.quantile(0.5).value() == 20, within_error);
    BOOST_TEST(totals.itl_ms.count() == 1980);
    BOOST_TEST(totals.output_tokens.moments().sum() == 198 * 11);
    BOOST_TEST(totals.send_lag_s.count() == 200);
    BOOST_TEST(totals.met_all == 198); // no SLO: every success
}

BOOST_AUTO_TEST_CASE(every_slo_counts)
{
    RoundTerms terms;
    terms.e2e_slo_s = 0.5;
    BOOST_TEST(slo::test::totals_of_run(terms).met_all == 198);
    terms.ttft_slo_ms = 49;
    BOOST_TEST(slo::test::totals_of_run(terms).met_all == 0);
    terms.ttft_slo_ms = 51;
    terms.tpot_slo_ms = 19;
    BOOST_TEST(slo::test::totals_of_run(terms).met_all == 0);
    terms.tpot_slo_ms = 21;
    BOOST_TEST(slo::test::totals_of_run(terms).met_all == 198);
}

BOOST_AUTO_TEST_CASE(an_interrupted_round_marks_the_run)
{
    RunTotals totals;
    RoundWindow window;
    window.duration_s = 2;
    window.flags = {"interrupted"};
    totals.add(window, WindowTotals(RoundTerms()), {});
    BOOST_TEST(totals.interrupted);
    BOOST_TEST(totals.duration_s() == 2); // no request has ended
}
