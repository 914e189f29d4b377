// SPDX-License-Identifier: MIT
// Unit test of report/report_input.hpp.

#include <slo/report/report_input.hpp>

#define BOOST_TEST_MODULE report_report_input
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace slo;
using namespace slo::report;

namespace {

Kind kind(const char* text)
{
    return kind_of(parse_json(text).get_object());
}

// What reading a file of that text hands out and notes, a line each.
std::vector<std::string> seen(const std::string& text)
{
    const auto path = std::filesystem::temp_directory_path() / "report_input_test.jsonl";
    std::ofstream(path, std::ios::binary) << text;
    std::vector<std::string> lines;
    read_records(
        {path.string()},
        [&](Record&& record) {
            lines.push_back(std::string(name_of(record.kind)) + "@" + std::to_string(record.line));
        },
        [&](const std::string& note) { lines.push_back(note.substr(note.rfind('/') + 1)); });
    std::filesystem::remove(path);
    return lines;
}

std::string refusal(const std::string& text)
{
    try {
        return seen(text).empty() ? "nothing" : "no error";
    } catch (const InputError& error) {
        const std::string what = error.what();
        return what.substr(what.rfind("report_input_test"));
    }
}

using Lines = std::vector<std::string>;

} // namespace

BOOST_AUTO_TEST_CASE(a_schema_names_the_kind)
{
    for (const auto name : {"search", "round", "request", "run", "verdict", "diff", "envelope", "preflight"})
        BOOST_TEST(name_of(kind((R"({"schema":"sloutils.)" + std::string(name) + "/1\"}").c_str())) == name);
    BOOST_TEST(name_of(kind(R"({"schema":"sloutils.capacity/1","qps":1})")) == "other");
    BOOST_TEST(name_of(kind(R"({"schema":"sloutils.other/1"})")) == "other");
    BOOST_TEST(name_of(kind(R"({"schema":"vendor/1","Latency":{}})")) == "other");
    BOOST_CHECK_THROW(kind(R"({"schema":"sloutils.round/2"})"), Error);
}

BOOST_AUTO_TEST_CASE(records_of_older_producers_are_told_by_their_members)
{
    BOOST_TEST(name_of(kind(R"({"target_qps":1,"Latency":{"p50":1}})")) == "round");
    BOOST_TEST(name_of(kind(R"({"success_rate":0,"actual_qps":1})")) == "round");
    BOOST_TEST(name_of(kind(R"({"event":"probe","qps":1})")) == "search");
    BOOST_TEST(name_of(kind(R"({"status":"PASS","rounds_seen":8})")) == "verdict");
    BOOST_TEST(name_of(kind(R"({"status":"OK","hit_metric":"x"})")) == "diff");
    BOOST_TEST(name_of(kind(R"({"due_s":1,"status":"ok"})")) == "request");
    BOOST_TEST(name_of(kind(R"({"gpus":[],"issues_red":[]})")) == "preflight");
    BOOST_TEST(name_of(kind(R"({"schema_version":"1.0.0"})")) == "envelope");
    BOOST_TEST(name_of(kind(R"({"engine":{},"metrics":{}})")) == "envelope");
    BOOST_TEST(name_of(kind(R"({"engine":{},"model":{}})")) == "other"); // a sidecar
    BOOST_TEST(name_of(kind(R"({"status":"ERROR","error":"why"})")) == "verdict");
    BOOST_TEST(name_of(kind("{}")) == "other");
}

BOOST_AUTO_TEST_CASE(a_file_holds_lines_or_one_document)
{
    BOOST_TEST(seen("\xEF\xBB\xBF{\"schema\":\"sloutils.run/1\"}\r\n\n{\"due_s\":0,\"status\":\"ok\"}") ==
                   (Lines{"run@1", "request@3"}),
               boost::test_tools::per_element());
    BOOST_TEST(seen("{\n  \"schema_version\": \"1.0.0\",\n  \"metrics\": {}\n}\n") == Lines{"envelope@1"},
               boost::test_tools::per_element());
    BOOST_TEST(seen("").empty());
}

BOOST_AUTO_TEST_CASE(what_is_left_out_is_said)
{
    BOOST_TEST(seen("{\"schema\":\"sloutils.run/1\"}\n{}\n[1") ==
                   (Lines{"run@1", "report_input_test.jsonl: last record cut short, left out",
                          "left out: 1 record that no report shows (no schema)"}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_a_taker_refuses_has_its_line)
{
    const auto path = std::filesystem::temp_directory_path() / "report_input_test.jsonl";
    std::ofstream(path) << "\n{\"schema\":\"sloutils.run/1\"}\n";
    const auto refused = [&](auto thrown) {
        try {
            read_records(
                {path.string()}, [&](Record&&) { thrown(); }, [](const std::string&) {});
            return std::string("not");
        } catch (const Error& error) {
            const std::string what = error.what();
            return what.substr(what.rfind('/') + 1);
        }
    };
    BOOST_TEST(refused([] { throw Error("of no use"); }) == "report_input_test.jsonl:2: of no use");
    BOOST_TEST(refused([] { throw InputError("member", "bad"); }) ==
               "report_input_test.jsonl:2: member: bad");
    BOOST_TEST(refused([&] { throw InputError(path.string(), "bad"); }) == "report_input_test.jsonl: bad");
    BOOST_TEST(refused([] { throw ClosedPipe(); }) == ClosedPipe().what());
    std::filesystem::remove(path);
}

BOOST_AUTO_TEST_CASE(what_is_no_record_ends_it_with_its_line)
{
    BOOST_TEST(refusal("{\"schema\":\"sloutils.run/1\"}\nbad\n{}\n")
                   .starts_with("report_input_test.jsonl:2: not JSON"));
    BOOST_TEST(refusal("bad\n{}\n").starts_with("report_input_test.jsonl:1: not JSON"));
    BOOST_TEST(refusal("{\n\"a\": NaN\n}\n").starts_with("report_input_test.jsonl: not JSON"));
    BOOST_TEST(refusal("{}\n[1]\n") == "report_input_test.jsonl:2: not a JSON object");
    BOOST_TEST(refusal("{\"schema\":\"sloutils.search/3\"}\n") ==
               "report_input_test.jsonl:1: schema sloutils.search/3 is of a version that is not known here");
}
