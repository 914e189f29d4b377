// SPDX-License-Identifier: MIT
// Route rows: forms, what is malformed and how it is said, order, units.

#include <slo/record/route.hpp>

#define BOOST_TEST_MODULE record_route
#include <boost/test/unit_test.hpp>

#include <slo/record/route_load.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <clocale>

#include <string>
#include <string_view>
#include <vector>

namespace {

using slo::record::RouteReader;
using slo::record::TsUnit;
using slo::record::UnitSource;

// A reader of `text`, by way of a file in memory.
RouteReader reader_of(std::string_view text, bool skip_bad = false)
{
    slo::io::Fd file(::memfd_create("r", MFD_CLOEXEC));
    slo::io::write_all(file, text, "r");
    BOOST_REQUIRE(::lseek(file.get(), 0, SEEK_SET) == 0);
    return RouteReader(slo::io::LineReader(std::move(file), "r"), skip_bad);
}

std::optional<std::string> body_text(slo::record::RouteRow& row)
{
    return slo::to_json(row.body);
}

std::string error_of(std::string_view text)
{
    auto reader = reader_of(text);
    try {
        while (reader.next()) {
        }
    } catch (const slo::InputError& error) {
        return error.what();
    }
    return "none";
}

slo::record::Route load(const std::string& path, std::optional<TsUnit> unit = {}, bool skip_bad = false)
{
    RouteReader reader(path, skip_bad);
    return slo::record::load_route(reader, unit, body_text);
}

std::string prompt_of(std::string_view body)
{
    auto value = slo::parse_json(body);
    try {
        return slo::to_json(slo::record::prompt_of(value.as_object()));
    } catch (const slo::record::RowError& error) {
        return error.what();
    }
}

} // namespace

BOOST_AUTO_TEST_CASE(a_row_keeps_all_it_has)
{
    auto reader = reader_of("\n  "
                            "{\"ts\":1.50,\"x\":1,\"conv_id\":\"c\",\"y\":[2],\"body\":{\"prompt\":\"p\","
                            "\"top_p\":0.2},\"z\":null}  \n");
    const auto row = reader.next().value();
    BOOST_TEST(row.line == 2u);
    BOOST_TEST(row.ts_text == "1.50");
    BOOST_TEST(row.ts.to_ns(TsUnit::s).value() == 1500000000);
    BOOST_TEST(!row.utc);
    BOOST_TEST(row.conv_id == "c");
    BOOST_TEST(slo::to_json(row.body) == R"({"prompt":"p","top_p":0.2})");
    BOOST_TEST(slo::to_json(row.other) == R"({"x":1,"y":[2],"z":null})");
    BOOST_TEST(!reader.next());
}

BOOST_AUTO_TEST_CASE(conversation_ids)
{
    const auto id = [](const std::string& member) {
        return reader_of("{\"ts\":1," + member + "\"body\":{}}").next().value().conv_id;
    };
    BOOST_TEST(id("") == "");
    BOOST_TEST(id("\"conv_id\":\"\",") == "");
    BOOST_TEST(id("\"conv_id\":7,") == "7");
    BOOST_TEST(id("\"conv_id\":-7,") == "-7");
    BOOST_TEST(id("\"conv_id\":18446744073709551615,") == "18446744073709551615");
    for (const std::string bad : {"null", "true", "7.5", "7.0", "[]", "{}", "1e2"})
        BOOST_TEST(error_of("{\"ts\":1,\"conv_id\":" + bad + ",\"body\":{}}") ==
                   "r:1: conv_id is neither text nor an integer");
}

BOOST_AUTO_TEST_CASE(a_body_may_be_text_that_holds_json)
{
    auto reader = reader_of(R"({"ts":1,"body":"{\"prompt\":\"x\"}"})");
    BOOST_TEST(slo::to_json(reader.next().value().body) == R"({"prompt":"x"})");
    BOOST_TEST(error_of(R"({"ts":1,"body":"not json"})").starts_with("r:1: body is text that is not JSON ("));
    BOOST_TEST(error_of(R"({"ts":1,"body":"[1]"})") == "r:1: body is neither an object nor text holding one");
    BOOST_TEST(error_of(R"({"ts":1,"body":[1]})") == "r:1: body is neither an object nor text holding one");
    BOOST_TEST(error_of(R"({"ts":1,"body":null})") == "r:1: body is neither an object nor text holding one");
    BOOST_TEST(error_of(R"({"ts":1,"conv_id":"c"})") == "r:1: body is missing");
}

BOOST_AUTO_TEST_CASE(malformed_lines_are_named)
{
    BOOST_TEST(error_of("[]") == "r:1: neither a JSON object nor a log line with a UTC stamp");
    BOOST_TEST(error_of("garbage") == "r:1: neither a JSON object nor a log line with a UTC stamp");
    BOOST_TEST(error_of("\n\n{\"ts\":1,\"body\":{}} tail").starts_with("r:3: not JSON ("));
    BOOST_TEST(error_of("{\"ts\":1,\"body\":{\"a\":\"\xFF\"}}").starts_with("r:1: not JSON ("));
    BOOST_TEST(error_of("{\"ts\":Infinity,\"body\":{}}").starts_with("r:1: not JSON ("));
    BOOST_TEST(error_of("{\"ts\":1e400,\"body\":{}}") == "r:1: ts is out of range");
    BOOST_TEST(error_of("{\"ts\":true,\"body\":{}}") == "r:1: ts is not a number");
    BOOST_TEST(error_of("{\"ts\":null,\"body\":{}}") == "r:1: ts is not a number");
    BOOST_TEST(error_of("{\"ts\":\"5\",\"ts\":-5,\"body\":{}}") == "r:1: ts is negative");
    BOOST_TEST(error_of("2025-13-07T12:34:56Z x") == "r:1: the stamp is no date between 1970 and 2261");
    BOOST_TEST(error_of("2025-05-07T12:34:56Z {\"message\":\"[Log chat request] {bad\"}")
                   .starts_with("r:1: not JSON ("));
    BOOST_TEST(error_of("2025-05-07T12:34:56Z {\"message\":\"[Log chat request] {}\"}") ==
               "r:1: body is missing");
    BOOST_TEST(error_of("2025-05-07T12:34:56Z {\"message\":\"[Log chat request] 7\"}") ==
               "r:1: the logged request is no JSON object");
    std::string deep = "{\"ts\":1,\"body\":";
    for (int i = 0; i < 100000; ++i)
        deep += "[";
    BOOST_TEST(error_of(deep).starts_with("r:1: not JSON ("));
}

BOOST_AUTO_TEST_CASE(bad_rows_are_counted_when_they_may_be_skipped)
{
    auto reader =
        reader_of("x\n{\"ts\":1,\"body\":{}}\n{\"ts\":-1,\"body\":{}}\n{\"ts\":2,\"body\":{}}\n", true);
    BOOST_TEST(reader.next().value().line == 2u);
    BOOST_TEST(reader.next().value().line == 4u);
    BOOST_TEST(!reader.next());
    BOOST_TEST(reader.bad_rows() == 2u);
    BOOST_TEST(reader.first_bad() == "r:1: neither a JSON object nor a log line with a UTC stamp");
}

BOOST_AUTO_TEST_CASE(log_lines)
{
    auto reader = reader_of("2025-05-07T12:34:56Z stdout F {\"message\":\"started {\"}\n"
                            "2025-05-07T12:34:57Z no json\n"
                            " 2025-05-07T12:34:58Z F {\"message\": \"[Log chat request] "
                            "{\\\"conversationId\\\": \\\"b\\\", \\\"body\\\": "
                            "{\\\"prompt\\\": \\\"has } brace\\\"}}\"}\n"
                            "2025-05-07T12:34:59.5Z {\"message\": \"[Log chat request] {\\\"body\\\": "
                            "{\\\"prompt\\\": \\\"x\\\"}}\"}\n");
    const auto first = reader.next().value();
    BOOST_TEST(first.line == 3u);
    BOOST_TEST(first.utc);
    BOOST_TEST(first.conv_id == "b");
    BOOST_TEST(slo::to_json(first.body) == R"({"prompt":"has } brace"})");
    BOOST_TEST(first.ts.to_ns(TsUnit::ns).value() == 1746621298000000000);
    const auto second = reader.next().value();
    BOOST_TEST(second.conv_id == "");
    BOOST_TEST(second.ts.to_ns(TsUnit::ns).value() == 1746621299500000000);
    BOOST_TEST(!reader.next());
    BOOST_TEST(reader.other_log_lines() == 2u);
}

BOOST_AUTO_TEST_CASE(an_old_log_as_a_whole)
{
    const auto route = load("tests/data/routes/legacy.log");
    BOOST_TEST(route.rows.size() == 20u);
    BOOST_TEST((route.unit_source == UnitSource::stamps));
    BOOST_TEST(route.rows.front().ts_ns == 1777629600000000000);
    BOOST_TEST(route.rows.front().conv_id == "c0");
    BOOST_TEST(route.rows.front().text.find("\\\"quoted\\\" {braces} 你好 😀") != std::string::npos);
    BOOST_TEST(route.bad_rows == 0u);
}

BOOST_AUTO_TEST_CASE(prompts)
{
    BOOST_TEST(prompt_of(R"({"prompt":"x"})") == R"("x")");
    BOOST_TEST(prompt_of(R"({"messages":"x"})") == R"("x")");
    BOOST_TEST(prompt_of(R"({"prompt":null,"messages":[{"role":"user","content":"a"}]})") ==
               R"([{"role":"user","content":"a"}])");
    BOOST_TEST(prompt_of(R"({"prompt":["a","b"]})") ==
               R"([{"role":"user","content":"a"},{"role":"user","content":"b"}])");
    BOOST_TEST(prompt_of("{}") == "body has neither prompt nor messages");
    BOOST_TEST(prompt_of(R"({"prompt":null})") == "body has neither prompt nor messages");
    BOOST_TEST(prompt_of(R"({"prompt":""})") == "the prompt is empty");
    BOOST_TEST(prompt_of(R"({"prompt":[]})") == "the prompt is empty");
    for (const std::string bad :
         {"5", "true", "{\"a\":1}", "[0]", "[[1,2],[3]]", "[\"a\",2]", "[{\"role\":\"user\"},\"b\"]"})
        BOOST_TEST(prompt_of("{\"prompt\":" + bad + "}") ==
                   "the prompt is neither text nor a list of messages");
}

BOOST_AUTO_TEST_CASE(D01_units_are_told_apart_by_magnitude)
{
    const std::vector<std::int64_t> expected_ms{0, 250, 1500, 3000};
    for (const std::string name : {"epoch_s", "epoch_ms", "epoch_ns"}) {
        const auto route = load("tests/data/routes/D01-timestamp-units/" + name + ".jsonl");
        BOOST_TEST((route.unit_source == UnitSource::magnitude), name);
        BOOST_TEST(name == "epoch_" + std::string(name_of(route.unit)));
        BOOST_REQUIRE(route.rows.size() == 4u);
        for (std::size_t i = 0; i < 4; ++i)
            BOOST_TEST(route.rows[i].ts_ns - route.rows[0].ts_ns == expected_ms[i] * 1000000);
    }
    BOOST_TEST(load("tests/data/routes/D01-timestamp-units/epoch_ns.jsonl").rows[0].ts_ns ==
               1760000000000000007);
}

BOOST_AUTO_TEST_CASE(D01_times_from_a_trace_start_need_a_declared_unit)
{
    const std::string path = "tests/data/routes/D01-timestamp-units/relative.jsonl";
    const auto untold = load(path);
    BOOST_TEST((untold.unit_source == UnitSource::unknown));
    BOOST_TEST(unit_note(untold).find("--ts-unit") != std::string::npos);
    BOOST_TEST(load(path, TsUnit::ms).rows.back().ts_ns == 3'000'000'000);
    BOOST_TEST(load(path, TsUnit::s).rows.back().ts_ns == 3'000'000'000'000);
    BOOST_TEST((load(path, TsUnit::s).unit_source == UnitSource::declared));
}

BOOST_AUTO_TEST_CASE(D01_bad_rows_are_reported_never_defaulted)
{
    const std::string path = "tests/data/routes/D01-timestamp-units/bad.jsonl";
    BOOST_CHECK_EXCEPTION(load(path), slo::InputError, [&](const slo::InputError& error) {
        return error.what() == path + ":2: ts is negative";
    });
    // Out of order (line 6) is no fault of a row: the route is sorted.
    const auto route = load(path, TsUnit::ms, true);
    BOOST_TEST(route.bad_rows == 4u);
    BOOST_TEST(route.first_bad == path + ":2: ts is negative");
    std::vector<std::size_t> lines;
    for (const auto& row : route.rows)
        lines.push_back(row.line);
    BOOST_TEST(lines == (std::vector<std::size_t>{1, 6, 5}), boost::test_tools::per_element());
    const auto lines_of_file = [&](std::size_t wanted) {
        slo::io::LineReader lines_reader(path);
        while (const auto line = lines_reader.next()) {
            if (lines_reader.line() == wanted)
                return std::string(*line);
        }
        return std::string();
    };
    BOOST_TEST(error_of(lines_of_file(3)) == "r:1: ts is missing");
    BOOST_TEST(error_of(lines_of_file(4)) == "r:1: ts is not a number");
    BOOST_TEST(error_of(lines_of_file(7)).starts_with("r:1: not JSON ("));
}

BOOST_AUTO_TEST_CASE(D03_equal_times_keep_their_order)
{
    const auto route = load("tests/data/routes/D03-duplicate-ids/dataset.jsonl", TsUnit::s);
    std::vector<std::size_t> lines;
    for (const auto& row : route.rows)
        lines.push_back(row.line);
    BOOST_TEST(lines == (std::vector<std::size_t>{1, 4, 2, 6, 3, 5}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(D05_only_lf_ends_a_row)
{
    RouteReader reader("tests/data/routes/D05-line-separators/dataset.jsonl");
    std::vector<std::string> contents;
    while (auto row = reader.next()) {
        const auto messages = slo::record::prompt_of(row->body);
        contents.emplace_back(slo::string_at(messages.as_array()[0].as_object(), "content").value());
    }
    BOOST_REQUIRE(contents.size() == 4u);
    BOOST_TEST(slo::count_code_points(contents[1]) == 16u);
}

BOOST_AUTO_TEST_CASE(L01_numbers_do_not_depend_on_the_locale)
{
    std::setlocale(LC_ALL, "de_DE.UTF-8");
    RouteReader reader("tests/data/routes/L01-decimal-comma-locale/dataset.jsonl");
    const auto row = reader.next().value();
    BOOST_TEST(row.ts.to_ns(TsUnit::s).value() == 1500000000);
    BOOST_TEST(slo::number_at(row.body, "temperature").value() == 0.7);
    BOOST_TEST(slo::to_json(row.body) == R"({"temperature":0.7,"n":3})");
    std::setlocale(LC_ALL, "C");
}

BOOST_AUTO_TEST_CASE(loading_leaves_out_and_rejects_what_the_caller_says)
{
    auto reader = reader_of(
        "{\"ts\":3,\"conv_id\":\"keep\",\"body\":{}}\n{\"ts\":1,\"conv_id\":\"leave\",\"body\":{}}\n"
        "{\"ts\":2,\"conv_id\":\"bad\",\"body\":{}}\n{\"ts\":1,\"conv_id\":\"keep\",\"body\":{}}\n",
        true);
    const auto route = slo::record::load_route(
        reader, TsUnit::s, [](slo::record::RouteRow& row) -> std::optional<std::string> {
            if (row.conv_id == "bad")
                throw slo::record::RowError("not wanted");
            return row.conv_id == "keep" ? std::optional<std::string>("text") : std::nullopt;
        });
    BOOST_TEST(route.rows.size() == 2u);
    BOOST_TEST(route.rows[0].line == 4u);
    BOOST_TEST(route.rows[0].text == "text");
    BOOST_TEST(route.left_out == 1u);
    BOOST_TEST(route.bad_rows == 1u);
    BOOST_TEST(route.first_bad == "r:3: not wanted");
}

BOOST_AUTO_TEST_CASE(times_beyond_the_unit_are_errors)
{
    auto reader = reader_of("{\"ts\":1760000000000,\"body\":{}}\n");
    BOOST_CHECK_EXCEPTION(slo::record::load_route(reader, TsUnit::s, body_text), slo::InputError,
                          [](const slo::InputError& error) {
                              return error.what() == std::string("r:1: ts is out of range when it counts s");
                          });
    auto empty = reader_of("\n\n");
    BOOST_TEST(slo::record::load_route(empty, {}, body_text).rows.empty());
}
