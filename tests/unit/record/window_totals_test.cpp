// SPDX-License-Identifier: MIT
#include <slo/record/window_totals.hpp>

#define BOOST_TEST_MODULE record_window_totals
#include <boost/test/unit_test.hpp>

using namespace slo::record;

namespace {

// Due at 1 s, sent 0.5 s late, first token 0.25 s after that, over at 2.5 s.
Request late_request()
{
    Request request;
    request.status = RequestStatus::ok;
    request.due_s = 1;
    request.sent_s = 1.5;
    request.first_token_s = request.first_content_s = 1.75;
    request.last_token_s = request.end_s = 2.5;
    request.output_tokens = 4;
    request.itl_ms = {250, 250, 250};
    return request;
}

WindowTotals totals_of(LatencyBasis basis)
{
    RoundTerms terms;
    terms.basis = basis;
    terms.e2e_slo_s = 1;
    terms.ttft_slo_ms = 250;
    WindowTotals totals(terms);
    totals.add(late_request());
    return totals;
}

} // namespace

BOOST_AUTO_TEST_CASE(latencies_count_from_the_due_time)
{
    const auto totals = totals_of(LatencyBasis::due);
    BOOST_TEST(totals.latency_s.ranked(0) == 1.5);
    BOOST_TEST(totals.ttft_s.ranked(0) == 0.75);
    BOOST_TEST(totals.ttft_content_s.ranked(0) == 0.75);
    BOOST_TEST(totals.server_latency_s.ranked(0) == 1.0);
    BOOST_TEST(totals.sequencer_wait_s.ranked(0) == 0.5);
    BOOST_TEST(totals.met_e2e == 0);
    BOOST_TEST(totals.met_ttft == 0);
}

BOOST_AUTO_TEST_CASE(or_from_the_sending_where_that_is_asked_for)
{
    const auto totals = totals_of(LatencyBasis::send);
    BOOST_TEST(totals.latency_s.ranked(0) == 1.0);
    BOOST_TEST(totals.ttft_s.ranked(0) == 0.25);
    BOOST_TEST(totals.ttft_content_s.ranked(0) == 0.25);
    BOOST_TEST(totals.server_latency_s.ranked(0) == 1.0);
    BOOST_TEST(totals.sequencer_wait_s.ranked(0) == 0.5);
    BOOST_TEST(totals.met_e2e == 1);
    BOOST_TEST(totals.met_ttft == 1);
}

BOOST_AUTO_TEST_CASE(the_last_end_is_that_of_any_request)
{
    WindowTotals totals{RoundTerms()};
    BOOST_TEST(!totals.last_end_s.has_value());
    Request failed;
    failed.status = RequestStatus::failed;
    failed.end_s = 9;
    totals.add(failed);
    totals.add(late_request());
    totals.add(Request());
    BOOST_TEST(totals.last_end_s.value() == 9);
    BOOST_TEST(totals.due == 3);
    BOOST_TEST(totals.sent == 1);
}

BOOST_AUTO_TEST_CASE(gaps_beyond_the_bound_are_counted_all_the_same)
{
    WindowTotals totals{RoundTerms()};
    auto request = late_request();
    request.itl_ms.assign(1 << 16, 10.0);
    for (std::size_t i = 0; i < WindowTotals::most_exact_gaps; i += request.itl_ms.size())
        totals.add(request);
    BOOST_TEST(totals.itl_ms.exact());
    totals.add(request);
    BOOST_TEST(!totals.itl_ms.exact());
    BOOST_TEST(totals.itl_ms.size() == WindowTotals::most_exact_gaps + request.itl_ms.size());
    BOOST_TEST(totals.latency_s.exact());
}
