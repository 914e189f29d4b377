#include <slo/serving/finding.hpp>

#define BOOST_TEST_MODULE serving_finding
#include <boost/test/unit_test.hpp>

using namespace slo;
using serving::RuleReport;

BOOST_AUTO_TEST_CASE(a_rule_is_checked_until_it_says_otherwise)
{
    RuleReport report("r");
    BOOST_TEST(to_json(report.record()) == R"({"rule":"r","state":"checked"})");
    report.figures()["n"] = 1;
    report.fail("too much", "a.b").figures["suggested_tp"] = json::array{1, 2};
    BOOST_TEST(to_json(report.record()) == R"({"rule":"r","state":"checked","figures":{"n":1}})");
    BOOST_TEST(to_json(to_record(report.findings().front())) ==
               R"({"rule":"r","verdict":"fail","reason":"too much","source":"a.b","suggested_tp":[1,2]})");

    RuleReport unknown("u");
    unknown.not_judged("not known", "a.c", "say a.c");
    BOOST_TEST(to_json(unknown.record()) == R"({"rule":"u","state":"not_judged"})");
    BOOST_TEST(to_json(to_record(unknown.findings().front())) ==
               R"({"rule":"u","verdict":"info","reason":"not known","source":"a.c","fix":"say a.c"})");

    RuleReport other("o");
    other.not_applicable("no cache");
    BOOST_TEST(to_json(other.record()) == R"({"rule":"o","state":"not_applicable","why":"no cache"})");
    BOOST_TEST(has(report.findings(), serving::Verdict::fail));
    BOOST_TEST(!has(report.findings(), serving::Verdict::warn));
    BOOST_TEST(!has(other.findings(), serving::Verdict::info));
}
