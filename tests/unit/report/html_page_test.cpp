// SPDX-License-Identifier: MIT
// Unit test of report/html_page.hpp and of the sections, which stand in headers of their own.

#include <slo/report/html_page.hpp>

#include <slo/report/html_answer.hpp>
#include <slo/report/html_evidence.hpp>
#include <slo/report/html_run.hpp>
#include <slo/report/html_search.hpp>
#include <slo/report/html_service.hpp>
#include <slo/report/objective_words.hpp>
#include <slo/report/page/charts.hpp>
#include <slo/report/page/style.hpp>

#define BOOST_TEST_MODULE report_html_page
#include <boost/test/unit_test.hpp>

#include <slo/report/html.hpp>
#include <slo/report/report_streams.hpp>

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

using namespace slo;

namespace {

void give(report::HtmlModel& model, std::string_view line)
{
    auto object = parse_json(line).as_object();
    const auto kind = report::kind_of(object);
    model.take({kind, "file", 1, std::move(object)});
}

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
    BOOST_TEST(answer("null") == "missed");
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
    const auto answer = [](const std::string& error_rate, const std::string& pass) {
        const auto value = parse_json(
            R"({"schema":"sloutils.envelope/1","schema_version":"1.0.0","metrics":{"error_rate":)" +
            error_rate + R"(},"slo":{"overall_pass":)" + pass +
            R"(,"results":{"ttft_p99_ms":{"target":1,"actual":2,"pass":)" + pass + "}}}}");
        return report::detail::answer_of_envelope({value.get_object(), "a.json"});
    };
    BOOST_TEST(answer("0", "true").tone == "pass");
    BOOST_TEST(answer("0", "true").sentence.empty());
    BOOST_TEST(answer("0", "false").sentence == "Missed: ttft_p99_ms.");
    const auto failing = answer("0.1", "true");
    BOOST_TEST(failing.tone == "fail");
    BOOST_TEST(holds(failing.sentence, " of the requests failed"));
}
