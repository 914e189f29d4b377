// SPDX-License-Identifier: MIT
// Unit test of report/html_page.hpp and of the sections, which stand in headers of their own.

#include <slo/report/html_page.hpp>

#include <slo/report/html_answer.hpp>
#include <slo/report/html_evidence.hpp>
#include <slo/report/html_run.hpp>
#include <slo/report/html_run_answer.hpp>
#include <slo/report/html_search.hpp>
#include <slo/report/html_service.hpp>
#include <slo/report/objective_words.hpp>
#include <slo/report/page/charts.hpp>
#include <slo/report/page/style.hpp>

#define BOOST_TEST_MODULE report_html_page
#include <boost/test/unit_test.hpp>

#include "../../support/page_records.hpp"

#include <slo/report/html.hpp>
#include <slo/report/report_streams.hpp>

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

using namespace slo;

namespace {

using test::give;

report::HtmlModel read(const std::string& path)
{
    report::HtmlModel model;
    report::read_records(
        {path}, [&](report::Record&& record) { model.take(std::move(record)); }, [](auto&) {});
    model.finish();
    return model;
}

bool holds(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

std::size_t count(std::string_view text, std::string_view part)
{
    std::size_t times = 0;
    for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
        ++times;
    return times;
}

} // namespace

BOOST_AUTO_TEST_CASE(objectives_in_words)
{
    BOOST_TEST(report::objective_words("e2e:p50<0.5") == "p50 of end-to-end latency below 500\u00a0ms");
    BOOST_TEST(report::objective_words("ttft:p99<2") == "p99 of time to first token below 2\u00a0s");
    BOOST_TEST(report::objective_words("success>=99%") == "at least 99 % of requests successful");
    BOOST_TEST(
        report::objective_words("goodput(ttft<1,tpot<0.05)>=95%") ==
        "at least 95 % of requests with time to first token below 1\u00a0s and time per output token below "
        "50\u00a0ms");
    BOOST_TEST(report::objective_words("as you like") == "as you like");
}

BOOST_AUTO_TEST_CASE(the_answer_of_a_certified_search)
{
    const auto model = read("tests/data/report/certified.jsonl");
    const auto answer = report::answer_of(model);
    BOOST_TEST(answer.tone == "pass");
    BOOST_TEST(answer.figure == "50.76");
    BOOST_TEST(holds(answer.sentence, "With 95 % confidence"));
    BOOST_TEST(holds(answer.sentence, "p50 of end-to-end latency below 500\u00a0ms"));
    report::ChartSheet charts;
    const auto section = report::search_section(model, charts);
    BOOST_TEST(charts.data().size() == 2U);
    const auto data = to_json(charts.data());
    BOOST_TEST(holds(data, "certified to rejected, 50.76 to 51.47"));
    BOOST_TEST(holds(data, R"({"axis":"y","at":0.5,"label":"e2e:p50<0.5","role":"slo"})"));
    BOOST_TEST(holds(section, "<td class=\"open\">INCONCLUSIVE</td>"));
}

BOOST_AUTO_TEST_CASE(the_answer_of_a_classic_search_states_no_confidence)
{
    const auto answer = report::answer_of(read("tests/data/report/classic.jsonl"));
    BOOST_TEST(answer.figure == "50");
    BOOST_TEST(holds(answer.sentence, "A classic search states no confidence."));
    report::HtmlModel cut; // its records end before the result
    give(cut, R"({"schema":"sloutils.verdict/1","status":"PASS","qps":4,"slo_s":6.5})");
    BOOST_TEST(report::answer_of(cut).figure == "PASS");
}

BOOST_AUTO_TEST_CASE(an_artifact_that_contradicts_its_rows_has_kept_nothing)
{
    const auto answer = [](std::string_view pass) {
        report::HtmlModel model;
        give(
            model,
            R"({"schema":"sloutils.envelope/1","schema_version":"1.0.0","metrics":{},"slo":{"overall_pass":true,)"
            R"("results":{"ttft_p99_ms":{"target":1,"actual":2,"pass":)" +
                std::string(pass) + "}}}}");
        return report::answer_of(model).figure;
    };
    BOOST_TEST(answer("true") == "kept");
    BOOST_TEST(answer("false") == "missed");
    BOOST_TEST(answer("null") == "not known");
}

BOOST_AUTO_TEST_CASE(the_answer_of_a_verdict_and_of_rounds_alone)
{
    report::HtmlModel model;
    BOOST_TEST(report::answer_of(model).tone == "open");
    give(model,
         R"({"schema":"sloutils.verdict/1","status":"FAIL","rounds_seen":8,"slo_s":6.5,"notes":["late"]})");
    const auto answer = report::answer_of(model);
    BOOST_TEST(answer.tone == "fail");
    BOOST_TEST(answer.figure == "FAIL");
    BOOST_TEST(answer.notes.front() == "late");
}

BOOST_AUTO_TEST_CASE(each_class_of_validity_has_its_badge_and_its_reasons)
{
    const auto badge = [](const std::string& classification) {
        return report::detail::validity_badge(artifact::parse_artifact(
            R"({"schema_version":"1.0.0","validity":{"classification":")" + classification + "\"}}", "a"));
    };
    BOOST_TEST(holds(badge("valid_production_representative"), "badge pass"));
    BOOST_TEST(holds(badge("valid_controlled_baseline"), "✓ valid controlled baseline"));
    BOOST_TEST(holds(badge("valid_smoke_only"), "badge open"));
    BOOST_TEST(holds(badge("invalid_or_incomplete"), "badge fail"));
    BOOST_TEST(holds(badge("<script>"), "badge fail")); // no class that is known
    report::HtmlModel model;
    give(
        model,
        R"({"schema":"sloutils.envelope/1","validity":{"classification":"invalid_or_incomplete",)"
        R"("failures":["no requests"]},"slo":{"results":{"ttft_p99_ms":{"target":5,"actual":null,"pass":null}}}})");
    const auto section = report::validity_section(model);
    BOOST_TEST(holds(section, "<li>no requests</li>"));
    BOOST_TEST(holds(section, "<td class=\"open\">not known</td>")); // null is no pass
}

BOOST_AUTO_TEST_CASE(both_sides_and_whether_they_agree)
{
    report::HtmlModel model;
    give(model, R"({"schema":"sloutils.round/1","measurement_round":1,"counts":{"due":100,"ok":100}})");
    give(model, R"({"schema":"sloutils.diff/1","status":"OK","counters":{"success":{"stop":60,"length":35}},)"
                R"("histograms":{"e2e":{"p50":0.25}},"reset_detected":false})");
    BOOST_TEST(holds(report::sides_section(model), "✓ reconciled")); // 5 % apart is within
    BOOST_TEST(holds(report::sides_section(model), "<td class=\"n\">250</td>"));
    model.counts["ok"] = 101;
    BOOST_TEST(holds(report::sides_section(model), "✗ not reconciled"));
    model.counts.clear();
    BOOST_TEST(holds(report::sides_section(model), "? reconciliation not known"));
}

BOOST_AUTO_TEST_CASE(what_was_not_given_is_said_and_no_chart_is_empty)
{
    const report::HtmlModel model;
    const auto page = report::html_page(model, "Title", "Chart");
    BOOST_TEST(count(page, "<p class=\"missing\">") == 9U);
    BOOST_TEST(count(page, "<canvas") == 0U);
    BOOST_TEST(holds(page, "No search records were given"));
    BOOST_TEST(holds(page, "id=\"chart-data\">[]</script>"));
}

BOOST_AUTO_TEST_CASE(hostile_texts_are_texts_and_secrets_are_left_out)
{
    report::HtmlModel model;
    give(model, R"({"schema":"sloutils.run/1","tool":"</script><script>x()</script>","seed":1,"config":{)"
                R"("model":"<img src=x onerror=x()>","api_key":"sk-aaaaaaaaaaaaaaaaaaaa",)"
                R"("api_base":"http://user:hunter2@host/v1"}})");
    give(
        model,
        R"({"schema":"sloutils.round/1","measurement_round":1,"counts":{"failed":1},"exceptions":{"<!--<script>":1}})");
    model.finish();
    const auto page = report::html_page(model, "</title><script>x()</script>", "Chart");
    BOOST_TEST(count(page, "<script") == 3U); // data, Chart.js, the page's own
    BOOST_TEST(count(page, "</script>") == 3U);
    BOOST_TEST(count(page, "<img") == 0U);
    BOOST_TEST(!holds(page, "hunter2"));
    BOOST_TEST(!holds(page, "sk-aaaa"));
    BOOST_TEST(holds(page, "REDACTED"));
}

BOOST_AUTO_TEST_CASE(the_policy_names_what_stands_in_the_page)
{
    const auto page = report::html_page(report::HtmlModel(), "Title", "Chart");
    BOOST_TEST(holds(page, "default-src 'none'; script-src " + report::policy_hash("Chart") + " " +
                               report::policy_hash(report::page::charts) + "; style-src " +
                               report::policy_hash(report::page::style)));
    BOOST_TEST(count(page, "http://") + count(page, "https://") + count(page, "//cdn") == 0U);
    BOOST_TEST(count(page, " style=\"") + count(page, " onclick=") == 0U); // the policy would refuse them
}

BOOST_AUTO_TEST_CASE(what_cannot_stand_in_a_script_is_refused)
{
    const std::string path = "html_page_test.tmp.js";
    const auto reason = [&](const std::string& text) -> std::string {
        std::ofstream(path) << text;
        try {
            report::load_chart_js(path);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    BOOST_TEST(reason("var Chart = 1;").empty());
    BOOST_TEST(holds(reason("Chart = '</SCRIPT>'"), "cannot stand in a page"));
    BOOST_TEST(holds(reason("Chart <!-- "), "cannot stand in a page"));
    BOOST_TEST(holds(reason("var x"), "is not Chart.js"));
    std::remove(path.c_str());
    try {
        report::load_chart_js(path);
        BOOST_ERROR("a file that is not there was read");
    } catch (const InputError& error) {
        BOOST_TEST(holds(error.what(), "libjs-chart.js"));
    }
}

BOOST_AUTO_TEST_CASE(the_answer_names_what_was_missed_and_how_many_failed)
{
    const auto answer = [](const std::string& error_rate, const std::string& rows,
                           const std::string& classification = "valid_smoke_only",
                           const std::string& targets = "{}") {
        report::HtmlModel model;
        give(model, R"({"schema":"sloutils.envelope/1","schema_version":"1.0.0","metrics":{"error_rate":)" +
                        error_rate + R"(},"validity":{"classification":")" + classification +
                        R"("},"slo":{"overall_pass":true,"targets":)" + targets + R"(,"results":{)" + rows +
                        "}}}");
        return report::answer_of(model);
    };
    const std::string kept = R"("ttft_p99_ms":{"target":300,"actual":12,"pass":true})";
    const std::string slow = R"("ttft_p99_ms":{"target":300,"actual":310,"pass":false})";
    const std::string floor = R"("throughput_floor_toks":{"target":60,"actual":54,"pass":false})";
    BOOST_TEST(answer("0", kept).tone == "pass");
    BOOST_TEST(answer("0.01", kept).unit.empty());
    BOOST_TEST(answer("0", slow).unit == "time to first token p99 310\u00a0ms, above 300\u00a0ms");
    BOOST_TEST(answer("0", floor).unit == "output 54\u00a0tok/s, below 60\u00a0tok/s");
    BOOST_TEST(answer("0", floor + ",\"mine\":{\"pass\":false}").unit ==
               "output 54\u00a0tok/s, below 60\u00a0tok/s; mine");
    const auto failing = answer("0.1", kept);
    BOOST_TEST(failing.tone == "fail");
    BOOST_TEST(failing.unit == "10\u00a0% of the requests failed");
    BOOST_TEST(answer("0.005", kept, "valid_smoke_only", R"({"error_rate_max":0.001})").tone == "fail");
    BOOST_TEST(answer("0.02", kept, "valid_smoke_only", R"({"error_rate_max":0.05})").tone == "open");
    const auto invalid = answer("0", kept, "invalid_or_incomplete");
    BOOST_TEST(invalid.tone == "open");
    BOOST_TEST(invalid.unit == "not a valid run");
    BOOST_TEST(answer("0", slow, "invalid_or_incomplete").tone == "fail");
    // What was not measured is neither kept nor missed.
    const auto unknown = answer("0", R"("e2e_p99_ms":{"target":300,"actual":null,"pass":null})");
    BOOST_TEST(unknown.figure == "not known");
    BOOST_TEST(unknown.unit == "end to end p99 not measured");
    report::HtmlModel model; // a verdict is on the requests that succeeded, too
    give(model, R"({"schema":"sloutils.verdict/1","status":"PASS"})");
    model.counts = {{"ok", 90}, {"failed", 10}};
    BOOST_TEST(report::answer_of(model).tone == "fail");
}

BOOST_AUTO_TEST_CASE(why_there_is_no_steady_window)
{
    const auto lead = [](std::initializer_list<const char*> medians) {
        report::HtmlModel model;
        int number = 0;
        for (const std::string median : medians)
            give(model, R"({"schema":"sloutils.round/1","measurement_round":)" + std::to_string(++number) +
                            R"(,"Latency":{"p50":)" + median + "}}");
        report::ChartSheet charts;
        const auto section = report::rounds_section(model, charts);
        const auto from = section.find("\"lead\">") + 7;
        return section.substr(from, section.find("</p>", from) - from);
    };
    BOOST_TEST(lead({"1"}) == "No steady window: it takes at least 3 rounds, and there is one.");
    BOOST_TEST(lead({"1", "1"}) == "No steady window: it takes at least 3 rounds, and there are 2.");
    BOOST_TEST(lead({"1", "null", "1"}) == "No steady window: no median latency is known of round 2.");
    BOOST_TEST(holds(lead({"1", "1", "2", "1"}), "the median of round 3, 2\u00a0s, is more than 30 % from "
                                                 "that of the round after it, 1\u00a0s"));
    BOOST_TEST(holds(lead({"1", "2", "1", "1.2"}), "the median of round 2, 2\u00a0s, is more than 30 % from "
                                                   "that of the rounds after it, 1.1\u00a0s"));
    BOOST_TEST(holds(lead({"0", "0", "0"}), "No steady window: the median latency of the last round is not"));
    BOOST_TEST(holds(lead({"1", "1", "1"}), "Steady from round 1 to 3"));
}

BOOST_AUTO_TEST_CASE(the_rate_asked_for_stands_beside_the_rate_answered)
{
    report::HtmlModel model;
    give(model, R"({"schema":"sloutils.envelope/1","metrics":{"request_throughput":9},)"
                R"("workload":{"load":{"request_rate":10}}})");
    const auto tile = report::answer_of(model).tiles.front();
    BOOST_TEST(tile.first == "9\u00a0req/s");
    BOOST_TEST(tile.second == "answered per second, first due to last answer; asked for: 10\u00a0req/s");
}
