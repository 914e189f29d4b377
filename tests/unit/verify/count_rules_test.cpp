// SPDX-License-Identifier: MIT
// Rows enough for a run, its shards and a sample.

#include <slo/verify/count_rules.hpp>

#define BOOST_TEST_MODULE verify_count_rules
#include <boost/test/unit_test.hpp>

#include "../../support/verified_rows.hpp"

#include <limits>

using namespace slo;
using namespace slo::verify;

namespace {

std::vector<std::string> conversations(int count)
{
    std::vector<std::string> rows;
    for (int i = 0; i < count; ++i)
        rows.push_back(row_text(R"({"prompt":"a"})", "c" + std::to_string(i)));
    return rows;
}

} // namespace

BOOST_AUTO_TEST_CASE(plans)
{
    BOOST_TEST(RunPlan::parse("0.5,12,30").rows() == 180U);
    BOOST_TEST(RunPlan::parse("8.2,1,30").rows() == 246U); // not 245.99999999999997
    for (const auto* bad : {"", "1", "1,2", "0,1,1", "1,0,1", "1,1,0", "1,1.5,1", "x,1,1", "1,1,1,1",
                            "-1,1,1", "nan,1,1", "1,1,1.5", "1,1000001,1", "1,1,10000001"})
        BOOST_CHECK_THROW(RunPlan::parse(bad), UsageError);
    BOOST_CHECK_THROW(RunPlan::parse("1e9,1000,1000").rows(), UsageError);
}

BOOST_AUTO_TEST_CASE(rows)
{
    RowsRule enough(5);
    BOOST_TEST(judge(enough, conversations(5)).findings.empty());
    RowsRule few(180);
    BOOST_TEST(judge(few, conversations(5)).findings.kept()[0].reason ==
               "175 rows missing: 36 cycles of it would do");
    RowsRule most(std::numeric_limits<std::uint64_t>::max());
    BOOST_TEST(judge(most, conversations(2)).findings.kept()[0].reason ==
               "18446744073709551613 rows missing: 9223372036854775808 cycles of it would do");
    RowsRule none(0);
    BOOST_TEST(judge(none, {}).findings.kept()[0].reason == "the route is empty");
}

BOOST_AUTO_TEST_CASE(shards)
{
    ShardsRule rule(4, 0.2);
    const auto report = judge(rule, conversations(2000));
    BOOST_TEST(report.findings.empty());
    std::uint64_t sum = 0;
    for (const auto& rows : report.figures.at("rows").as_array())
        sum += rows.as_uint64();
    BOOST_TEST(sum == 2000U);
    // All turns of a conversation are in one shard; rows of none go by their lines.
    ShardsRule one(2, 0.2);
    const auto same = judge(one, {row_text(R"({"prompt":"a"})", "x"), row_text(R"({"prompt":"a"})", "x")});
    BOOST_TEST(same.findings.count() == 2U);
    ShardsRule lines(2, 0.2);
    const auto even = judge(lines, {row_text(R"({"prompt":"a"})", ""), row_text(R"({"prompt":"a"})", "")});
    BOOST_TEST(even.findings.empty());
    BOOST_TEST(even.figures.at("rows_without_conversation").as_uint64() == 2U);
}

BOOST_AUTO_TEST_CASE(samples)
{
    SampleRule rule(0.25, 0.75, 0.1, 900);
    const auto report = judge(rule, conversations(2000));
    BOOST_TEST(report.findings.empty());
    SampleRule few(0.25, 0.75, 0.1, 1900);
    BOOST_TEST(judge(few, conversations(2000)).findings.kept()[0].reason.ends_with("missing in the sample"));
    SampleRule off(0.0, 0.5, 0.1, 0);
    BOOST_TEST(judge(off, {row_text(R"({"prompt":"a"})", "x")}).findings.count() == 1U);
}
