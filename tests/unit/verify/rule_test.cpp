// SPDX-License-Identifier: MIT
// Findings and their record.

#include <slo/verify/rule.hpp>

#define BOOST_TEST_MODULE verify_rule
#include <boost/test/unit_test.hpp>

using namespace slo;
using namespace slo::verify;

BOOST_AUTO_TEST_CASE(five_findings_are_kept_and_all_counted)
{
    RuleReport report{"e", "s", {}, {}, {}};
    for (std::size_t line = 1; line <= 4; ++line)
        report.findings.add(line, "r" + std::to_string(line));
    report.findings.add("whole");
    bool made = false;
    report.findings.add_lazily(6, [&] {
        made = true;
        return std::string("r6");
    });
    BOOST_TEST(!made);
    BOOST_TEST(report.findings.count() == 6U);
    BOOST_TEST(to_json(to_record("name", report)) ==
               R"({"rule":"name","ok":false,"expected":"e","seen":"s","lines":[1,2,3,4],)"
               R"("reasons":["r1","r2","r3","r4","whole"],"findings":6})");
}

BOOST_AUTO_TEST_CASE(a_rule_that_is_kept)
{
    const RuleReport report{"e", "s", {}, {{"count", 3}}, {}};
    BOOST_TEST(
        to_json(to_record("name", report)) ==
        R"({"rule":"name","ok":true,"expected":"e","seen":"s","lines":[],"reasons":[],"findings":0,"figures":{"count":3}})");
}

BOOST_AUTO_TEST_CASE(numbers_of_things)
{
    BOOST_TEST(counted(0, "row") == "0 rows");
    BOOST_TEST(counted(1, "body", "bodies") == "1 body");
    BOOST_TEST(counted(2, "body", "bodies") == "2 bodies");
}
