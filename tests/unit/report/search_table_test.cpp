// SPDX-License-Identifier: MIT
// Unit test of report/search_table.hpp.

#include <slo/report/search_table.hpp>

#define BOOST_TEST_MODULE report_search_table
#include <boost/test/unit_test.hpp>

#include <optional>
#include <string>

using namespace slo;
using namespace slo::record;

namespace {

SearchResult ended(const std::string& reason, std::optional<double> max_qps, double first_fail_qps)
{
    SearchResult result;
    result.max_qps = max_qps;
    result.first_fail_qps = first_fail_qps;
    result.reason = reason;
    return result;
}

} // namespace

BOOST_AUTO_TEST_CASE(columns_line_up_and_unknown_figures_are_named)
{
    SearchProbe pass;
    pass.step = 1;
    pass.qps = 8.5;
    pass.status = ProbeStatus::pass;
    pass.avg_p50_latency_s = 4.876;
    pass.window = "steady 3-8";
    pass.tail_avg_p50_latency_s = 5.25;
    pass.hit_rate = 0.6254;
    pass.notes = {"µ-note", "two\nlines"};
    SearchProbe fail;
    fail.step = 2;
    fail.qps = 10;
    fail.status = ProbeStatus::not_enough_rounds;
    const SearchSettings settings{8.5, 10, 0.1, 6.5, true, 16, 8, 1, {"p"}};
    const auto result = ended("converged", 8.5, 8.6);
    BOOST_TEST(report::search_table({pass, fail}, result, settings) ==
               "Step  QPS   Result             Primary p50 (window)  Tail-8 p50  Prefix cache hit  Notes\n"
               "1     8.5   PASS               4.88 s (steady 3-8)   5.25 s      62.5 %            µ-note; "
               "two?lines\n"
               "2     10.0  NOT_ENOUGH_ROUNDS  n/a                   n/a         n/a\n"
               "Best 8.5 qps, first fail 8.6 qps (converged); SLO 6.5 s, offload on, 16 rounds, tail 8\n");
    BOOST_TEST(report::probe_line(pass) == "8.5 qps PASS, p50 4.88 s (µ-note; two?lines)");
}

BOOST_AUTO_TEST_CASE(a_search_without_an_answer_says_so)
{
    const SearchSettings settings{8.5, 10, 0.1, 6.5, false, 8, 4, 1, {"p"}};
    auto result = ended("below_floor", std::nullopt, 0.1);
    result.notes = {"odd"};
    BOOST_TEST(
        report::answer_line(result, settings) ==
        "Best none, first fail 0.1 qps (below_floor); SLO 6.5 s, offload off, 8 rounds, tail 4\nNote: odd\n");
}

BOOST_AUTO_TEST_CASE(a_confirmed_answer_says_how_often)
{
    const SearchSettings settings{8.5, 10, 0.1, 6.5, false, 8, 4, 1, {"p"}};
    auto result = ended("unstable_edge", 8.5, 8.6);
    result.confirm = 3;
    result.converged = true;
    BOOST_TEST(report::answer_line(result, settings) ==
               "Best 8.5 qps, first fail 8.6 qps (unstable_edge); SLO 6.5 s, offload off, 8 rounds, tail 4, "
               "confirmed 3 times\n");
    result.converged = false;
    BOOST_TEST(report::answer_line(result, settings).find("confirmed") == std::string::npos);
}

namespace {

SearchSettings by_likelihood(const std::string& strategy)
{
    SearchSettings settings;
    settings.precision_qps = 0.01;
    settings.strategy = strategy;
    return settings;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_search_by_likelihood_shows_margins_and_rounds)
{
    SearchProbe pass;
    pass.step = 1;
    pass.qps = 8.5;
    pass.phase = "locate";
    pass.status = ProbeStatus::pass;
    pass.evidence.margins = {{"e2e:p50<4", -0.54, 0.1}, {"ttft:p99<1", -0.2, 0.05}};
    pass.evidence.rounds = 4;
    pass.evidence.looks = {4, 8};
    SearchProbe open;
    open.step = 2;
    open.qps = 10;
    open.phase = "certify";
    open.status = ProbeStatus::inconclusive;
    open.evidence.margins = {{"e2e:p50<4", 1e300, 0.071}};
    open.evidence.looks = {12};
    open.notes = {"odd"};
    BOOST_TEST(
        report::probe_table({pass, open}, by_likelihood("certify")) ==
        "Step  QPS    Phase    Result        Margin                       Rounds  Prefix cache hit  Notes\n"
        "1     8.50   locate   PASS          -0.200 ± 0.050 (ttft:p99<1)  4       n/a\n"
        "2     10.00  certify  INCONCLUSIVE  +1e+300 ± 0.071              n/a     n/a               odd\n");
    BOOST_TEST(report::probe_line(pass) ==
               "8.5 qps PASS (locate), margin -0.200 ± 0.050 (ttft:p99<1), 4 rounds");
}

BOOST_AUTO_TEST_CASE(the_answer_of_a_search_by_likelihood_says_how_sure_it_is)
{
    auto result = ended("converged", 9.83, 10.9);
    result.certified = CertifiedRates{10.3612, 9.83, 10.9, 10.1, 10.6, false, 92};
    BOOST_TEST(report::answer_line(result, by_likelihood("certify")) ==
               "max 9.83 req/s certified (95 %), point 10.36, rejected 10.90; resolution 10.3 %, 92 rounds "
               "(converged)\n");
    result.certified->certified_qps.reset();
    result.certified->rejected_qps.reset();
    result.reason = "not_resolved";
    result.notes = {"odd"};
    BOOST_TEST(report::answer_line(result, by_likelihood("certify")) ==
               "no rate certified (95 %), point 10.36, none rejected; 92 rounds (not_resolved)\nNote: odd\n");
    result.reason = "converged";
    result.notes.clear();
    BOOST_TEST(report::answer_line(result, by_likelihood("probabilistic")) ==
               "point 10.36 req/s (not certified), nine in ten between 10.10 and 10.60; 92 rounds "
               "(converged)\n");
}
