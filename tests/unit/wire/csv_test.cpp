// SPDX-License-Identifier: MIT
#include <slo/wire/csv.hpp>

#define BOOST_TEST_MODULE wire_csv
#include <boost/test/unit_test.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace {
using slo::wire::CsvHeader;
using slo::wire::CsvRecord;
using slo::wire::CsvRow;

// Each record as "[a|b]", a bad one as its fault, an unfinished one as "...".
std::string read(std::initializer_list<std::string_view> lines)
{
    CsvRecord record;
    std::string seen;
    auto state = CsvRecord::State::complete;
    for (const auto line : lines) {
        state = record.take(line);
        if (state == CsvRecord::State::bad)
            seen += std::string("!") + record.fault();
        if (state != CsvRecord::State::complete)
            continue;
        seen += "[";
        for (std::size_t i = 0; i < record.size(); ++i)
            seen.append(i == 0 ? "" : "|").append(record[i]);
        seen += "]";
    }
    return seen + (state == CsvRecord::State::open ? "..." : "");
}

BOOST_AUTO_TEST_CASE(fields_and_quotes)
{
    BOOST_TEST(read({"a,b,c", "1,,3", ",", ""}) == "[a|b|c][1||3][|][]");
    BOOST_TEST(read({R"("a,b","say ""hi""","")"}) == R"([a,b|say "hi"|])");
    BOOST_TEST(read({R"( a , b )"}) == "[ a | b ]");
}

BOOST_AUTO_TEST_CASE(a_quoted_field_goes_over_lines)
{
    BOOST_TEST(read({R"(1,"two)", "", R"(lines, ""both""",3)", "4,5"}) ==
               "[1|two\n\nlines, \"both\"|3][4|5]");
    BOOST_TEST(read({R"(1,"never ends)", "2"}) == "...");
}

BOOST_AUTO_TEST_CASE(what_is_no_record_does_not_spoil_the_next)
{
    BOOST_TEST(read({R"(a"b,c)", "1,2"}) == "!a quote inside of a field that does not begin with one[1|2]");
    BOOST_TEST(read({R"("a"b,c)", "1,2"}) == "!text after the closing quote of a field[1|2]");
    BOOST_TEST(read({"\"" + std::string(CsvRecord::max_bytes, 'x'), "1,2"}) ==
               "!a record longer than 1 MiB[1|2]");
    BOOST_TEST(read({std::string(1023, ',')}).size() == 1023 + 2);
    BOOST_TEST(read({std::string(1024, ','), "1"}) == "!more than 1024 fields[1]");
}

BOOST_AUTO_TEST_CASE(columns_have_names)
{
    CsvRecord record;
    record.take("TIMESTAMP, Request tokens ,timestamp");
    const CsvHeader header(record);
    record.take(" 5 ,472,9");
    const CsvRow row{header, record};
    BOOST_TEST(row.at("timestamp").value() == "5");
    BOOST_TEST(row.at("request tokens").value() == "472");
    BOOST_TEST(!row.at("model"));
    BOOST_TEST(header.name(1) == "Request tokens");
}

} // namespace
