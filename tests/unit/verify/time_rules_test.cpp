// SPDX-License-Identifier: MIT
// Order and unit of timestamps.

#include <slo/verify/time_rules.hpp>

#define BOOST_TEST_MODULE verify_time_rules
#include <boost/test/unit_test.hpp>

#include "../../support/verified_rows.hpp"

using namespace slo;
using namespace slo::verify;

namespace {

std::vector<std::string> at(const std::vector<std::string>& times)
{
    std::vector<std::string> rows;
    for (const auto& ts : times)
        rows.push_back("{\"ts\":" + ts + ",\"body\":{\"prompt\":\"a\"}}");
    return rows;
}

RuleReport order(const std::vector<std::string>& times)
{
    OrderRule rule;
    return judge(rule, at(times));
}

RuleReport unit(const std::vector<std::string>& times, std::optional<record::TsUnit> declared = {})
{
    UnitRule rule(declared);
    return judge(rule, at(times));
}

} // namespace

BOOST_AUTO_TEST_CASE(times_may_stand_still_but_not_fall)
{
    BOOST_TEST(order({"0", "0", "0.5", "1", "1e0"}).findings.empty());
    const auto report = order({"0", "1500", "900", "901", "900.999999999999999999"});
    BOOST_TEST(lines_of(report) == "3 5");
    BOOST_TEST(report.findings.kept()[0].reason == "ts 900 is out of order after 1500");
    BOOST_TEST(lines_of(order({"1760000000000000008", "1760000000000000007"})) == "2");
}

BOOST_AUTO_TEST_CASE(stamps_are_compared_among_themselves)
{
    OrderRule rule;
    const auto log = [](const std::string& time) {
        return time +
               R"( {"message":"[Log chat request] {\"conversationId\":\"c\",\"body\":{\"prompt\":\"a\"}}"})";
    };
    const auto report =
        judge(rule, {log("2026-05-01T10:00:01Z"), at({"5"})[0], log("2026-05-01T10:00:00Z"), at({"6"})[0]});
    BOOST_TEST(lines_of(report) == "3");
}

BOOST_AUTO_TEST_CASE(units_by_magnitude)
{
    BOOST_TEST(unit({"1760000000", "1760000003"}).findings.empty());
    BOOST_TEST(unit({"1760000000000", "1760000003000"}).seen == "moments between 2001 and 2286 in ms");
    BOOST_TEST(unit({"1760000000000000007"}).seen == "moments between 2001 and 2286 in ns");
    const auto relative = unit({"0", "3000"});
    BOOST_TEST(relative.findings.count() == 1U);
    BOOST_TEST(relative.findings.kept()[0].reason.starts_with("unit_must_be_declared"));
    BOOST_TEST(unit({"1760000000", "1760000000000"}).findings.count() == 1U);
}

BOOST_AUTO_TEST_CASE(declared_units)
{
    using record::TsUnit;
    BOOST_TEST(unit({"0", "3000"}, TsUnit::ms).findings.empty());
    BOOST_TEST(unit({"1760000000"}, TsUnit::s).findings.empty());
    BOOST_TEST(unit({"1760000000"}, TsUnit::ms).findings.kept().at(0).reason ==
               "declared as ms, but moments between 2001 and 2286 in s");
    BOOST_TEST(lines_of(unit({"1", "1760000000000"}, TsUnit::s)) == "2");
}
