// SPDX-License-Identifier: MIT
// Categories with their promises.

#include <slo/verify/boundary_rule.hpp>

#define BOOST_TEST_MODULE verify_boundary_rule
#include <boost/test/unit_test.hpp>

#include "../../support/verified_rows.hpp"

using namespace slo;
using namespace slo::verify;

namespace {

BoundaryRule rule_of_two()
{
    workload::Category edge;
    edge.name = "edge";
    edge.rows = 2;
    edge.promise.prompt_tokens = workload::Range{5, 6};
    workload::Category cut;
    cut.name = "cut";
    cut.rows = 1;
    cut.promise.trimmed = true;
    workload::EntryKind direct;
    direct.name = "direct";
    return BoundaryRule({edge, cut}, {direct});
}

std::string row(const std::string& categories, int tokens, bool trimmed, const std::string& entry = "direct")
{
    return R"({"ts":1,"assembly":{"boundary_categories":)" + categories + R"(,"trimmed":)" +
           (trimmed ? "true" : "false") + R"(,"entry":")" + entry +
           R"("},"model":{"prompt_tokens_chat_template":)" + std::to_string(tokens) +
           R"(},"body":{"prompt":"a"}})";
}

} // namespace

BOOST_AUTO_TEST_CASE(all_there_and_kept)
{
    auto rule = rule_of_two();
    const auto report = judge(rule, {row(R"(["edge"])", 5, false), row(R"(["edge","cut"])", 6, true)});
    BOOST_TEST(report.findings.empty());
    BOOST_TEST(report.figures.at("edge").as_int64() == 2);
}

BOOST_AUTO_TEST_CASE(each_way_to_break_it)
{
    auto rule = rule_of_two();
    const auto report = judge(rule, {row(R"(["edge"])", 7, false, "other"),
                                     row(R"(["cut"])", 5, false, "other"), row("[]", 5, true, "other")});
    BOOST_TEST(lines_of(report) == "1 2 3 0 0");
    BOOST_TEST(report.findings.kept()[0].reason == "edge: prompt_tokens 7 outside 5–6");
    BOOST_TEST(report.findings.kept()[1].reason == "cut: not trimmed");
    BOOST_TEST(report.findings.kept()[2].reason == "of no category");
    BOOST_TEST(report.findings.kept()[3].reason == "category edge has 1 row, not 2");
    BOOST_TEST(report.findings.kept()[4].reason == "no row entered by direct");
    auto other = rule_of_two();
    BOOST_TEST(judge(other, {row(R"(["tall"])", 5, true), row("[5]", 5, true)}).findings.kept()[0].reason ==
               "unknown category \"tall\"");
}

BOOST_AUTO_TEST_CASE(a_recount_decides)
{
    auto rule = rule_of_two();
    const auto report = judge(rule, {row(R"(["edge"])", 5, false)}, {{1, 2, 3}});
    BOOST_TEST(report.findings.kept()[0].reason == "edge: prompt_tokens 3 outside 5–6");
}
