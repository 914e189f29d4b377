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

namespace {

// "REQUESTS MET" of each objective over the requests.
std::vector<std::string> counts_of(const std::vector<std::string>& texts,
                                   const std::vector<Request>& requests,
                                   LatencyBasis basis = LatencyBasis::due)
{
    RoundTerms terms;
    terms.basis = basis;
    for (const auto& text : texts)
        terms.objectives.push_back(slo::stats::parse_objective(text));
    WindowTotals totals(terms);
    for (const auto& request : requests)
        totals.add(request);
    std::vector<std::string> counts;
    for (const auto& count : totals.objectives)
        counts.push_back(count.text + ": " + std::to_string(count.requests) + " " +
                         std::to_string(count.met));
    return counts;
}

} // namespace

BOOST_AUTO_TEST_CASE(objectives_are_counted_over_all_that_were_due)
{
    Request failed = late_request();
    failed.status = RequestStatus::failed;
    Request unfinished;
    unfinished.status = RequestStatus::unfinished;
    Request one_token = late_request();
    one_token.output_tokens = 1;
    one_token.last_token_s = one_token.first_token_s;
    const std::vector<Request> requests{late_request(), failed, unfinished, Request{}, one_token};
    const std::vector<std::string> expected{"e2e:p50<1.6: 5 2",   "e2e:p50<1.5: 5 0",
                                            "ttft:p99<0.76: 5 2", "tpot:p90<0.251: 4 1",
                                            "success>=99%: 5 2",  "goodput(ttft<0.76,tpot<0.2)>=95%: 5 1"};
    BOOST_TEST(counts_of({"e2e:p50<1.6", "e2e:p50<1.5", "ttft:p99<760ms", "tpot:p90<251ms", "success>=99%",
                          "goodput(ttft<0.76,tpot<0.2)>=95%"},
                         requests) == expected,
               boost::test_tools::per_element());
    BOOST_TEST(counts_of({"e2e:p50<1.5"}, requests, LatencyBasis::send).front() == "e2e:p50<1.5: 5 2");
    BOOST_TEST(counts_of({}, requests).empty());
}

BOOST_AUTO_TEST_CASE(the_worst_choice_decides_on_tpot)
{
    auto request = late_request();
    request.choices = {
        {0, "stop", 3, 10, 1.75, 1.95}, {1, "stop", 3, 10, 1.75, 2.5}, {2, "stop", 1, 4, 2, 2}};
    BOOST_TEST(measured_of(request, LatencyBasis::due).tpot_s.value() == 0.375);
    BOOST_TEST(counts_of({"tpot:p50<0.376"}, {request}).front() == "tpot:p50<0.376: 1 1");
    BOOST_TEST(counts_of({"tpot:p50<0.3"}, {request}).front() == "tpot:p50<0.3: 1 0");
}

BOOST_AUTO_TEST_CASE(an_answer_without_token_times_meets_no_limit_for_them)
{
    auto request = late_request();
    request.first_token_s.reset();
    request.last_token_s.reset();
    BOOST_TEST(counts_of({"tpot:p50<9"}, {request}).front() == "tpot:p50<9: 1 0");
    BOOST_TEST(counts_of({"ttft:p50<9"}, {request}).front() == "ttft:p50<9: 1 0");
    BOOST_TEST(counts_of({"goodput(tpot<9)>=9%"}, {request}).front() == "goodput(tpot<9)>=9%: 1 0");
    BOOST_TEST(counts_of({"e2e:p50<9"}, {request}).front() == "e2e:p50<9: 1 1");
}
