// SPDX-License-Identifier: MIT
#include <slo/record/row_scan.hpp>

#define BOOST_TEST_MODULE record_row_scan
#include <boost/test/unit_test.hpp>

#include <slo/io/jsonl.hpp>

#include <string>
#include <string_view>

using slo::record::RowScanner;

namespace {

std::string refusal_of_scanner(std::string_view line)
{
    RowScanner scanner;
    try {
        scanner.scan(line);
    } catch (const slo::Error& error) {
        return error.what();
    }
    return "";
}

std::string refusal_of_parser(std::string_view line)
{
    try {
        slo::record::parse_route_object(line);
    } catch (const slo::Error& error) {
        return error.what();
    }
    return "";
}

} // namespace

BOOST_AUTO_TEST_CASE(views_lie_in_the_line)
{
    const std::string line =
        R"(  {"ts": 1760000000.250, "model":"m","conv_id":"c-1","body":{"n":3,"prompt":[)"
        R"({"role":"system","content":"s","name":"x"},"text",7]}} )";
    RowScanner row;
    BOOST_TEST(row.scan(line));
    BOOST_TEST(row.line().front() == '{');
    BOOST_TEST(row.text() == row.line());
    BOOST_TEST(!row.is_log_line());
    BOOST_TEST(row.ts_text() == "1760000000.250");
    BOOST_TEST(row.ts().whole() == 1760000000);
    BOOST_TEST(row.conv_id() == "c-1");
    BOOST_TEST(row.members().size() == 4U);
    BOOST_TEST(row.find("model")->value == "\"m\"");
    BOOST_TEST(!row.find("none"));
    BOOST_TEST(row.body() == row.find("body")->value);
    BOOST_TEST(row.find_in_body("n")->value == "3");
    BOOST_TEST(row.prompt() == row.find_in_body("prompt")->value);
    const auto& messages = row.messages();
    BOOST_REQUIRE(messages.size() == 3U);
    BOOST_TEST((messages[0].is_object() && messages[0].members == 3 && messages[0].role == "\"system\"" &&
                messages[0].content == "\"s\""));
    BOOST_TEST((messages[1].is_text() && messages[1].raw == "\"text\"" && messages[1].members == 0));
    BOOST_TEST((!messages[2].is_text() && !messages[2].is_object()));
}

BOOST_AUTO_TEST_CASE(the_last_of_equal_keys_counts)
{
    RowScanner row;
    BOOST_TEST(row.scan(
        R"({"ts":"x","body":{"a":1},"ts":5,"conv_id":3,"conv_id":"z","body":{"prompt":["a"],"prompt":"b"}})"));
    BOOST_TEST(row.ts_text() == "5");
    BOOST_TEST(row.conv_id() == "z");
    BOOST_TEST(row.body_members().size() == 2U);
    BOOST_TEST(row.prompt() == "\"b\"");
    BOOST_TEST(row.messages().empty());
}

BOOST_AUTO_TEST_CASE(escaped_keys_and_ids_are_decoded)
{
    RowScanner row;
    BOOST_TEST(row.scan(
        R"({"t\u0073":1,"conv_id":"\u0061\n","body":{"\u0070rompt":null,"messages":[{"role":"user"}]}})"));
    BOOST_TEST(row.ts_text() == "1");
    BOOST_TEST(row.conv_id() == "a\n");
    BOOST_TEST(row.messages().size() == 1U);
    BOOST_TEST(row.messages()[0].content.empty());
}

BOOST_AUTO_TEST_CASE(a_body_given_as_text_is_looked_into)
{
    RowScanner row;
    BOOST_TEST(row.scan(R"({"ts":1,"body":" {\"prompt\":\"hi\"} "})"));
    BOOST_TEST(row.body() == R"({"prompt":"hi"})");
    BOOST_TEST(row.prompt() == "\"hi\"");
    BOOST_TEST(row.conv_id() == "");
}

BOOST_AUTO_TEST_CASE(ids_may_be_integers)
{
    RowScanner row;
    for (const auto* id : {"0", "-5", "9223372036854775807", "18446744073709551615"}) {
        BOOST_TEST(row.scan("{\"ts\":1,\"body\":{},\"conv_id\":" + std::string(id) + "}"));
        BOOST_TEST(row.conv_id() == id);
    }
}

BOOST_AUTO_TEST_CASE(log_lines_are_rewritten)
{
    RowScanner row;
    BOOST_TEST(!row.scan(R"(2026-05-01T10:00:00Z {"message":"something else"})"));
    BOOST_TEST(row.scan(
        R"(2026-05-01T10:00:00Z {"message":"[Log chat request] {\"conversationId\":\"a\",\"body\":{\"prompt\":\"hi\"}}"})"));
    BOOST_TEST(row.is_log_line());
    BOOST_TEST(row.text() == R"({"ts":1777629600000000000,"conv_id":"a","body":{"prompt":"hi"}})");
    BOOST_TEST(row.prompt() == "\"hi\"");
}

BOOST_AUTO_TEST_CASE(what_the_parser_refuses_is_refused_for_the_same_reason)
{
    for (const auto* line : {"{", "{}", R"({"ts":1})", R"({"ts":-1,"body":{}})", R"({"ts":"1","body":{}})",
                             R"({"ts":1e300,"body":{}})", R"({"ts":1,"body":[]})", R"({"ts":1,"body":"{"})",
                             R"({"ts":1,"body":"7"})", R"({"ts":1,"conv_id":1.5,"body":{}})",
                             R"({"ts":1,"conv_id":null,"body":{}})", R"({"ts":1,"body":{}} x)",
                             "{\"ts\":1,\"body\":{\"a\":\"\xFF\"}}", R"({"ts":1,"body":{"a":"\ud800"}})",
                             R"({"ts":1,"body":{"prompt":[}})"}) {
        const auto expected = refusal_of_parser(line);
        BOOST_TEST(!expected.empty(), line);
        BOOST_TEST(refusal_of_scanner(line) == expected);
    }
}

BOOST_AUTO_TEST_CASE(whole_routes_scan_as_they_parse)
{
    std::size_t rows = 0;
    for (const auto* path : {"tests/data/routes/autoreply_20.jsonl", "tests/data/routes/multiturn_240.jsonl",
                             "tests/data/routes/legacy.log"}) {
        slo::record::RouteReader reader{std::string(path)};
        slo::io::LineReader lines{std::string(path)};
        RowScanner scanner;
        while (auto row = reader.next()) {
            bool is_row = false;
            while (!is_row) {
                const auto line = lines.next();
                BOOST_REQUIRE(line.has_value());
                is_row = !slo::trim(*line).empty() && scanner.scan(*line);
            }
            ++rows;
            BOOST_TEST(scanner.ts_text() == row->ts_text);
            BOOST_TEST(scanner.conv_id() == row->conv_id);
            BOOST_TEST(slo::parse_json(scanner.body()) == slo::json::value(row->body));
            const auto prompt = slo::record::prompt_of(row->body);
            BOOST_TEST(scanner.messages().size() == (prompt.is_array() ? prompt.get_array().size() : 0));
        }
    }
    BOOST_TEST(rows > 260U);
}
