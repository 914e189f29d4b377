// SPDX-License-Identifier: MIT
#include <slo/workload/scanned_rows.hpp>

#define BOOST_TEST_MODULE workload_scanned_rows
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_file.hpp"

#include <fstream>
#include <string>

namespace workload = slo::workload;

namespace {

constexpr auto log_line =
    R"(2026-05-01T10:00:00Z {"message":"[Log chat request] {\"conversationId\":\"a\",\"body\":{\"prompt\":\"hi\"}}"})";
constexpr auto other_log_line = R"(2026-05-01T10:00:00Z {"message":"hello"})";

struct Source {
    explicit Source(const std::string& text) { std::ofstream(file.path()) << text; }
    workload::ScannedRows rows(workload::Kinds kinds = workload::Kinds::any) const
    {
        return workload::ScannedRows(slo::io::LineReader(file.path()), kinds);
    }
    slo::test::ScratchFile file;
};

std::string changed(const std::string& line, std::optional<std::string_view> conv_id)
{
    slo::record::RowScanner row;
    BOOST_REQUIRE(row.scan(line));
    std::string out;
    workload::append_changed(out, row, "99", conv_id);
    return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(rows_come_with_their_places)
{
    const std::string first = R"({"ts":1,"body":{}})";
    const Source source("\n" + first + "\r\n" + other_log_line + "\n  " + first + "\n");
    auto rows = source.rows();
    BOOST_TEST(rows.next()->line() == first);
    BOOST_TEST(rows.line() == 2U);
    BOOST_TEST(rows.offset() == 1U);
    BOOST_TEST(rows.next()->line() == first);
    BOOST_TEST(rows.line() == 4U);
    BOOST_TEST(rows.offset() == 1 + first.size() + 2 + std::string(other_log_line).size() + 1 + 2);
    BOOST_TEST(!rows.next());
    BOOST_TEST(rows.rows() == 2U);
    BOOST_TEST(rows.other_log_lines() == 1U);
}

BOOST_AUTO_TEST_CASE(errors_name_file_and_line)
{
    for (const auto* line : {R"({"ts":1})", R"({"ts":1,"body":{)", "what is this"}) {
        const Source source("{\"ts\":1,\"body\":{}}\n" + std::string(line) + "\n");
        auto rows = source.rows();
        rows.next();
        BOOST_CHECK_EXCEPTION(rows.next(), slo::InputError, [&](const slo::InputError& error) {
            return std::string(error.what()).starts_with(source.file.path() + ":2: ");
        });
    }
}

BOOST_AUTO_TEST_CASE(times_of_two_kinds_may_be_refused)
{
    const Source source(std::string(log_line) + "\n{\"ts\":1,\"body\":{}}\n");
    auto any = source.rows();
    BOOST_TEST(any.next());
    BOOST_TEST(any.next());
    auto one = source.rows(workload::Kinds::one);
    BOOST_TEST(one.next());
    BOOST_CHECK_THROW(one.next(), slo::InputError);
}

BOOST_AUTO_TEST_CASE(a_row_changes_only_where_it_shall)
{
    const std::string line = R"({"model": "m", "conv_id": "a",  "ts": 5, "body": {"prompt":"x"}, "z":[1]})";
    BOOST_TEST(changed(line, {}) ==
               R"({"model": "m", "conv_id": "a",  "ts": 99, "body": {"prompt":"x"}, "z":[1]})");
    BOOST_TEST(changed(line, "\"b\"") ==
               R"({"model": "m", "conv_id": "b",  "ts": 99, "body": {"prompt":"x"}, "z":[1]})");
    BOOST_TEST(changed(R"({"ts":1,"conv_id":2,"ts":3,"body":{}})", "\"b\"") ==
               R"({"ts":1,"conv_id":"b","ts":99,"body":{}})");
    BOOST_TEST(changed(R"({"ts":1,"body":{}})", "\"b\"") == R"({"ts":99,"body":{}})");
    BOOST_TEST(changed(log_line, "\"b\"") == R"({"ts":99,"conv_id":"b","body":{"prompt":"hi"}})");
}

BOOST_AUTO_TEST_CASE(a_bare_row_has_its_body_as_it_stood)
{
    slo::record::RowScanner row;
    row.scan(R"({"model":"m","ts":5,"body":{"prompt" : "x"},"z":1})");
    std::string out;
    workload::append_bare(out, row, "6", "\"b\"");
    BOOST_TEST(out == R"({"ts":6,"conv_id":"b","body":{"prompt" : "x"}})");
    out.clear();
    workload::append_bare(out, row, "6", "");
    BOOST_TEST(out == R"({"ts":6,"body":{"prompt" : "x"}})");
}

BOOST_AUTO_TEST_CASE(a_verb_may_take_one_source_only)
{
    BOOST_TEST(workload::only_source({"a"}) == "a");
    BOOST_CHECK_THROW(workload::only_source({"a", "b"}), slo::UsageError);
}
