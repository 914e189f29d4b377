// SPDX-License-Identifier: MIT
#include <slo/run/analysis.hpp>

#define BOOST_TEST_MODULE run_analysis
#include <boost/test/unit_test.hpp>

#include <slo/record/verdict.hpp>

#include <cstdio>
#include <fstream>
#include <string>

using namespace slo;

namespace {

// A file of `rounds` rounds of 100 requests, all within the limit, and `tail` behind them.
std::string file_with(const std::string& name, int rounds, const std::string& tail = {})
{
    std::ofstream out(name);
    for (int i = 1; i <= rounds; ++i)
        out << R"({"schema":"sloutils.round/1","measurement_round":)" << i
            << R"(,"target_qps":10,"actual_qps":10,"success_rate":100,"counts":{"due":100,"ok":100},)"
            << R"("Latency":{"p50":1.5},"objectives":[{"objective":"e2e:p50<2","requests":100,"met":)"
            << 90 + i % 3 << "}]}\n";
    out << tail;
    return name;
}

run::AnalysisOptions options_for(const std::vector<std::string>& files, const std::string& looks)
{
    run::AnalysisOptions options;
    options.objectives = {"e2e:p50<2"};
    options.looks = looks;
    options.files = files;
    return options;
}

io::EndOnSignal& signal_watch()
{
    static io::EndOnSignal signal;
    return signal;
}

} // namespace

BOOST_AUTO_TEST_CASE(reading_ends_at_the_look_that_decides)
{
    // What is behind that look could not even be read.
    const auto file = file_with("analysis_test_a.jsonl", 12, "\x01 no record\n");
    const auto verdict = run::analyze_by_objectives(options_for({file}, "8,12"), signal_watch());
    BOOST_TEST((verdict.status == record::VerdictStatus::pass));
    BOOST_TEST(verdict.rounds_seen == 8);
    BOOST_TEST(verdict.malformed_lines == 0);
    std::remove(file.c_str());
}

BOOST_AUTO_TEST_CASE(without_looks_all_is_read)
{
    const auto file = file_with("analysis_test_b.jsonl", 12, "\x01 no record\n");
    const auto verdict = run::analyze_by_objectives(options_for({file}, ""), signal_watch());
    BOOST_TEST(verdict.rounds_seen == 12);
    BOOST_TEST(verdict.malformed_lines == 1);
    std::remove(file.c_str());
}

BOOST_AUTO_TEST_CASE(a_request_log_is_read_like_rounds)
{
    const std::string name = "analysis_test_c.jsonl";
    {
        std::ofstream out(name);
        out << "{\"schema\":\"sloutils.run/1\",\"tool\":\"engine-sim\"}\n";
    }
    // It is known for what it is: one that replay did not write is refused by its line.
    BOOST_CHECK_THROW(run::analyze_by_objectives(options_for({name}, ""), signal_watch()), InputError);
    std::remove(name.c_str());
}

BOOST_AUTO_TEST_CASE(the_warm_up_ends_where_single_requests_show_it)
{
    // Four rounds of 25 requests: a cold service is ten times slower for the first 30.
    std::vector<record::Round> rounds(4);
    std::vector<record::DueLatency> requests;
    for (int i = 0; i < 100; ++i)
        requests.emplace_back(i, (i < 30 ? 10.0 : 1.0) + 0.01 * (i % 7), i / 25 + 1);
    run::detail::mark_warm_up(rounds, requests);
    BOOST_TEST(rounds[0].warming_up.value());
    BOOST_TEST(rounds[1].warming_up.value());
    BOOST_TEST(!rounds[2].warming_up.value());
    BOOST_TEST(!rounds[3].warming_up.value());
    std::vector<record::Round> none(2);
    run::detail::mark_warm_up(none, {});
    BOOST_TEST(!none[0].warming_up.has_value());
}

BOOST_AUTO_TEST_CASE(the_classic_rule)
{
    const auto file = file_with("analysis_test_d.jsonl", 8);
    run::AnalysisOptions options;
    options.files = {file};
    options.slo = "2";
    const auto verdict = run::analyze_classically(options, signal_watch());
    BOOST_TEST((verdict.status == record::VerdictStatus::pass));
    BOOST_TEST(!verdict.certainty.has_value());
    std::remove(file.c_str());
}

BOOST_AUTO_TEST_CASE(requests_that_are_all_refused_are_no_question_of_a_rate)
{
    const auto written = [](const std::string& name, int refused) {
        std::ofstream out(name);
        for (int i = 1; i <= 8; ++i)
            out << R"({"schema":"sloutils.round/1","measurement_round":)" << i
                << R"(,"success_rate":0,"counts":{"due":20,"ok":0},"errors":{"http_4xx":)" << refused
                << R"(,"timeout":)" << 20 - refused << "}}\n";
        return name;
    };
    run::AnalysisOptions options;
    options.files = {written("analysis_test_d.jsonl", 20)};
    const auto is_about_refusals = [](const Error& error) {
        return std::string(error.what()).find("all 160 requests were refused (HTTP 4xx)") == 0;
    };
    BOOST_CHECK_EXCEPTION(run::analyze_classically(options, signal_watch()), Error, is_about_refusals);
    const auto by_objectives = options_for(options.files, "");
    BOOST_CHECK_EXCEPTION(run::analyze_by_objectives(by_objectives, signal_watch()), Error,
                          is_about_refusals);
    // The classic analyzer knows nothing of it.
    options.verdict.min_success_pct = 0;
    options.verdict.ignore_client = true;
    BOOST_CHECK(run::analyze_classically(options, signal_watch()).status ==
                record::VerdictStatus::not_enough_rounds);
    options.verdict.min_success_pct = 99;
    options.files = {written("analysis_test_d.jsonl", 19)};
    BOOST_CHECK(run::analyze_classically(options, signal_watch()).status == record::VerdictStatus::fail);
    std::remove("analysis_test_d.jsonl");
}
