// SPDX-License-Identifier: MIT
// Unit test of report/compare.hpp, and the vectors of its kind.

#include <slo/report/compare.hpp>

#define BOOST_TEST_MODULE report_compare
#include <boost/test/unit_test.hpp>

#include <slo/cli/options.hpp>

#include "../../support/compared_runs.hpp"
#include "../../support/vector_table.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace slo;
using namespace slo::report;

namespace {

using test::compared;
using test::run;

// What a run of the verb came to.
struct Seen {
    int status = 0;
    json::object record; ///< empty where none was written
    std::string error;
    std::vector<std::string> notes;
};

Seen see(std::vector<std::string> words)
{
    Seen seen;
    words.emplace_back("--json");
    const auto path = std::filesystem::temp_directory_path() / "compare_test.out";
    try {
        CompareOptions options;
        cli::OptionTable table;
        options.describe(table);
        table.parse(words);
        io::JsonlWriter out(path.string());
        seen.status = static_cast<int>(
            options.run({out, [&](const std::string& note) { seen.notes.push_back(note); }}));
    } catch (const Error& error) {
        seen.status = static_cast<int>(Exit::error);
        seen.error = error.what();
    }
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    if (!text.str().empty())
        seen.record = parse_json(text.str()).get_object();
    std::filesystem::remove(path);
    return seen;
}

// The current folder for a while: the arguments of vectors are bare names.
class ScratchFolder {
public:
    ScratchFolder() : before_(std::filesystem::current_path())
    {
        const auto folder = std::filesystem::temp_directory_path() / "compare_test";
        std::filesystem::create_directories(folder);
        std::filesystem::current_path(folder);
    }
    ~ScratchFolder()
    {
        const auto folder = std::filesystem::current_path();
        std::filesystem::current_path(before_);
        std::filesystem::remove_all(folder);
    }

private:
    std::filesystem::path before_;
};

// The rows of the classic table: by label the figures of both, the change in percent and its mark.
json::object classic_rows(const std::string& text)
{
    json::object rows;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const auto change = line.find_last_of("+-=");
        const auto percent = line.rfind('%');
        if (percent == std::string::npos || change == std::string::npos || change < percent)
            continue;
        const auto figure = [&](std::size_t from, std::size_t to) {
            return json::value(*parse_double(trim(line.substr(from, to - from))));
        };
        rows[std::string(trim(line.substr(0, 22)))] = {{"a", figure(22, 31)},
                                                       {"b", figure(34, 44)},
                                                       {"change", figure(46, percent)},
                                                       {"mark", line.substr(change, 1)}};
    }
    return rows;
}

// The same of our record.
json::object our_rows(const json::object& record)
{
    json::object rows;
    const auto* metrics = array_at(record, "metrics");
    for (std::size_t i = 0; metrics && i < metrics->size(); ++i) {
        const auto& metric = (*metrics)[i].get_object();
        const auto& change = metric.at("changes").as_array()[0].as_object();
        const auto* definition =
            std::find_if(artifact::compared_metrics.begin(), artifact::compared_metrics.end(),
                         [&](auto& one) { return one.name == *string_at(metric, "metric"); });
        const auto p50 = [&](std::size_t side) {
            const auto figure = number_at(metric.at("groups").as_array()[side].as_object(), "p50");
            return json::value(*parse_double(format_fixed(*figure * definition->factor, 1)));
        };
        const double delta = number_at(change, "delta").value_or(0);
        const bool good = definition->higher_is_better ? delta > 0 : delta < 0;
        const auto percent = number_at(change, "pct");
        rows[std::string(definition->label)] = {
            {"a", p50(0)},
            {"b", p50(1)},
            {"change",
             percent ? json::value(*parse_double(format_fixed(*percent, 1))) : json::value(nullptr)},
            {"mark", delta == 0 ? "="
                     : good     ? "+"
                                : "-"}};
    }
    return rows;
}

} // namespace

BOOST_AUTO_TEST_CASE(every_vector_is_answered_alike_or_stricter)
{
    const std::string shared_status = "section 9, 21: usage errors and regressions shared status 1";
    test::VectorTable table({
        {"compare/two-error-rate-from-zero", "rows.Error rate.b", "50.0",
         "section 9, 21: a fraction printed with %"},
        {"compare/two-error-rate-from-zero", "rows.Error rate.change", "null",
         "section 9, 21: 0 to 50 % is no +0.0 %"},
        {"compare/two-error-rate-from-zero", "rows.Error rate.mark", "\"-\"",
         "section 9, 21: 0 to 50 % is worse"},
        {"compare/regression-errors-from-zero-missed", "exit_code", "1",
         "section 9, 21: 0 to 100 % is a regression"},
        {"compare/regression-missing-args", "exit_code", "3", shared_status},
        {"compare/one-file", "exit_code", "3", shared_status},
        {"compare/no-metrics-key", "exit_code", "3",
         "section 9, 21: no comparability check, and a traceback"},
    });
    std::ifstream vectors("tests/data/benchmark/compare.jsonl");
    int count = 0;
    for (std::string line; std::getline(vectors, line); ++count) {
        const auto vector = parse_json(line).get_object();
        const auto& input = vector.at("input").as_object();
        const auto& expected = vector.at("expected").as_object();
        const ScratchFolder scratch;
        for (const auto& file : input.at("artifacts").as_object())
            std::ofstream(std::string(file.key())) << to_json(file.value());
        std::vector<std::string> words;
        for (const auto& word : input.at("args").as_array())
            words.emplace_back(word.as_string());
        const auto seen = see(words);
        const std::string id(vector.at("id").as_string());
        const json::value ours{{"exit_code", seen.status}, {"rows", our_rows(seen.record)}};
        const json::value theirs{
            {"exit_code", expected.at("exit_code")},
            {"rows", classic_rows(std::string(string_at(expected, "stdout").value_or("")))}};
        BOOST_TEST((!id.starts_with("compare/two") || theirs.at("rows").as_object().size() == 7));
        table.compare(id, "", theirs, &ours);
    }
    BOOST_TEST(count == 7);
    table.finish();
}

BOOST_AUTO_TEST_CASE(what_is_not_comparable_is_listed_and_refused)
{
    const ScratchFolder scratch;
    std::ofstream("a.json")
        << R"({"engine":{"name":"vllm","version":"1"},"metrics":{"output_toks_per_s":100}})";
    std::ofstream("b.json")
        << R"({"engine":{"name":"sglang","version":"2"},"metrics":{"output_toks_per_s":90}})";
    const auto refused = see({"a.json", "b.json", "--across", "engine.version"});
    BOOST_TEST(refused.status == 3);
    BOOST_TEST(refused.error == "not comparable: 1 key differs; --across KEY names one that is meant to");
    BOOST_TEST(refused.notes == std::vector<std::string>{"engine.name: vllm in a, sglang in b"},
               boost::test_tools::per_element());
    BOOST_TEST(string_at(refused.record, "status").value() == "NOT_COMPARABLE");
    BOOST_TEST(array_at(refused.record, "metrics")->empty());
    BOOST_TEST(see({"a.json", "b.json", "--across", "engine"}).status == 0);
    BOOST_TEST(see({"a.json", "b.json", "--across", "engine", "--regression"}).status == 1);
    BOOST_TEST(see({"a.json", "b.json", "--across", "engine", "--regression", "--threshold", "10"}).status ==
               0);
    BOOST_TEST(see({"a.json", "b.json", "--across", "engin"}).status == 3);
    std::ofstream("c.json") << R"({"engine":{"name":"vllm","version":"1"},"metrics":{}})";
    BOOST_TEST(see({"a.json", "c.json", "--regression"}).status == 1);
    BOOST_TEST(see({"c.json", "a.json", "--regression"}).error == "c: has no metric that is compared");
    BOOST_TEST(see({"a.json", "c.json", "--threshold", "-1"}).status == 3);
    BOOST_TEST(see({"a.json", "c.json", "--confidence", "1"}).status == 3);
}

BOOST_AUTO_TEST_CASE(beyond_the_threshold_but_within_the_noise_is_undecided)
{
    const ScratchFolder scratch;
    const auto put = [](const char* name, std::initializer_list<int> values) {
        std::ofstream file(name);
        for (const int value : values)
            file << R"({"schema_version":"1.0.0","metrics":{"output_toks_per_s":)" << value << "}}\n";
    };
    put("a.json", {100, 120, 80});
    put("b.json", {90, 70, 110});
    BOOST_TEST(see({"a.json", "b.json", "--regression"}).status == 2);
    BOOST_TEST(see({"a.json", "b.json"}).status == 0);
}

BOOST_AUTO_TEST_CASE(no_winner_and_no_acquittal_among_invalid_runs)
{
    const std::string invalid = R"(,"validity":{"classification":"invalid_or_incomplete"})";
    auto all = compared(
        {{"a", {run(1, "0"), run(1.1, "0")}}, {"b", {run(9, "0", invalid), run(9.1, "0", invalid)}}});
    all.regression = true;
    const auto text = to_text(all);
    BOOST_TEST(text.find("b better") == std::string::npos);
    BOOST_TEST(text.find("invalid runs") != std::string::npos);
    BOOST_TEST(text.ends_with("Undecided: some runs are invalid\n"));
    BOOST_TEST(string_at(to_record(all), "status").value() == "UNDECIDED");
}

BOOST_AUTO_TEST_CASE(notes_say_what_the_figures_do_not)
{
    const std::string invalid = R"(,"validity":{"classification":"invalid_or_incomplete"})";
    const auto tail = [](const char* p99) {
        return artifact::parse_artifact(
            std::string(R"({"metrics":{"ttft_ms":{"p50":10,"p99":)") + p99 + "}}}", "a");
    };
    auto all = compared({{"a", {run(1, "0", invalid), run(2, "0")}}, {"b", {run(1, "0")}}});
    all.differences.push_back({"engine.version", {"1", "not known"}, true});
    const auto notes = comparison_notes(all, {&all.groups[0].runs[0]});
    BOOST_TEST(notes[0] == "meant to differ: engine.version: 1 in a, not known in b");
    BOOST_TEST(
        notes[1].starts_with("could not be compared, no artifact says it: engine.version, model.id, "));
    BOOST_TEST(notes[2].starts_with("in no artifact: TTFT p50, TTFT p99, TPOT p50"));
    BOOST_TEST(notes[3] == "a: 1 of 2 invalid or incomplete by run-validate");
    const auto tails = compared({{"a", {tail("31"), tail("31")}}, {"b", {tail("30")}}});
    const auto said = comparison_notes(tails, {});
    BOOST_TEST(said[said.size() - 2] == "a: TTFT p99 is more than 3 times its p50");
    BOOST_TEST(said.back() == "a: its runs are the same to the last digit, so they tell nothing of noise");
}
