// SPDX-License-Identifier: MIT
// Unit test of report/table.hpp.

#include <slo/report/table.hpp>

#define BOOST_TEST_MODULE report_table
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;

BOOST_AUTO_TEST_CASE(a_table_as_text_and_as_markdown)
{
    const report::Table table{"a_b", {{"Name", "Value"}, {"x|y", "<b>"}}, "Best 1\nNote\n"};
    BOOST_TEST(report::to_text(table) == "a_b\nName  Value\nx|y   <b>\nBest 1\nNote\n");
    BOOST_TEST(report::to_markdown(table) == "**a\\_b**\n\n| Name | Value |\n|---|---|\n| x\\|y | \\<b\\> |\n"
                                             "\nBest 1\n\nNote\n");
}
