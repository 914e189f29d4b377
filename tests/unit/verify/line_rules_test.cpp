// SPDX-License-Identifier: MIT
// What looks like the end of a line, in any portions.

#include <slo/verify/line_rules.hpp>

#define BOOST_TEST_MODULE verify_line_rules
#include <boost/test/unit_test.hpp>

#include "../../support/verified_rows.hpp"

using namespace slo::verify;

namespace {

RuleReport check(const std::string& file, std::size_t portion, bool strict = true)
{
    LinesRule rule(strict);
    for (std::size_t at = 0; at < file.size(); at += portion)
        rule.bytes(std::string_view(file).substr(at, portion));
    std::size_t number = 0;
    for (std::size_t at = 0; at < file.size();) {
        const auto end = std::min(file.find('\n', at), file.size());
        rule.line(++number, std::string_view(file).substr(at, end - at));
        at = end + 1;
    }
    return rule.report();
}

} // namespace

BOOST_AUTO_TEST_CASE(in_any_portions)
{
    const std::string file =
        "\xEF\xBB\xBF{}\n\n{\xE2\x80\xA8}\n{}\r\n \r\n{\xC2\x85}\n{\xE2\x80\xA9}\n{\xE2\x80\x99}";
    for (std::size_t portion = 1; portion <= file.size(); ++portion) {
        const auto report = check(file, portion);
        BOOST_TEST(
            report.seen ==
            "2 CRLFs, 2 blank lines, 3 lines with other separators, a byte order mark, no LF at the end");
        BOOST_TEST(report.findings.count() == 8U);
        BOOST_TEST(lines_of(report) == "2 3 5 6 7");
    }
}

BOOST_AUTO_TEST_CASE(the_line_of_the_first_crlf)
{
    const std::string file = "a\nb\nc\r\nd\r\n";
    for (std::size_t portion = 1; portion <= file.size(); ++portion)
        BOOST_TEST(lines_of(check(file, portion)) == "3");
}

BOOST_AUTO_TEST_CASE(counted_only)
{
    BOOST_TEST(check("a\r\n\n", 2, false).findings.empty());
    BOOST_TEST(check("a\r\n\n", 2, false).seen == "1 CRLF, 1 blank line, 0 lines with other separators");
    BOOST_TEST(check("a\rb\n", 2).findings.empty()); // a CR within a line ends nothing
    BOOST_TEST(check("", 1).findings.empty());
}

BOOST_AUTO_TEST_CASE(malformed_lines)
{
    SchemaRule rule;
    rule.bad_line(7, "not JSON");
    rule.other_log_line();
    const auto report = judge(rule, {row_text(R"({"prompt":"a"})")});
    BOOST_TEST(lines_of(report) == "7");
    BOOST_TEST(report.seen == "1 row, 1 malformed line");
    BOOST_TEST(report.figures.at("other_log_lines").as_uint64() == 1U);
}
