// SPDX-License-Identifier: MIT
// Quotas and runs of buckets.

#include <slo/verify/bucket_rules.hpp>

#define BOOST_TEST_MODULE verify_bucket_rules
#include <boost/test/unit_test.hpp>

#include "../../support/verified_rows.hpp"

using namespace slo;
using namespace slo::verify;

namespace {

std::vector<Bucket> two_buckets()
{
    return {{"short", 0, 10, 2, 5}, {"long", 10, 20, 1, 15}};
}

std::string row(const std::string& model)
{
    return R"({"ts":1,"model":{)" + model + R"(},"body":{"prompt":"a"}})";
}

std::string stored(int tokens)
{
    return row("\"prompt_tokens_chat_template\":" + std::to_string(tokens));
}

} // namespace

BOOST_AUTO_TEST_CASE(quotas_are_exact)
{
    QuotasRule good(two_buckets());
    BOOST_TEST(judge(good, {stored(0), stored(10), stored(9)}).findings.empty());
    QuotasRule rule(two_buckets());
    const auto report = judge(rule, {stored(3), stored(15), stored(19), stored(20), stored(-1), row("")});
    BOOST_TEST(lines_of(report) == "4 5 6 0 0");
    BOOST_TEST(report.findings.kept()[0].reason == "20 tokens are in no bucket");
    BOOST_TEST(report.findings.kept()[2].reason == "nothing says how many tokens the prompt has");
    BOOST_TEST(report.findings.kept()[3].reason == "bucket short has 1 row, not 2");
    BOOST_TEST(report.findings.kept()[4].reason == "bucket long has 2 rows, not 1");
}

BOOST_AUTO_TEST_CASE(a_count_beats_what_is_stored)
{
    QuotasRule rule(two_buckets());
    const auto report =
        judge(rule, {stored(15), stored(15), stored(3)}, {{1, 2}, {3}, tokens::TokenList(12)});
    BOOST_TEST(report.findings.empty());
    BOOST_TEST(report.seen == "short 2, long 1");
}

BOOST_AUTO_TEST_CASE(names_serve_where_there_is_no_count)
{
    QuotasRule rule(two_buckets());
    BOOST_TEST(
        judge(rule, {row(R"("bucket":"short")"), row(R"("bucket":"short")"), row(R"("bucket":"long")")})
            .findings.empty());
}

BOOST_AUTO_TEST_CASE(runs)
{
    ClustersRule rule(two_buckets(), 2);
    const auto report = judge(rule, {stored(1), stored(2), stored(11), stored(1), stored(1), stored(1),
                                     stored(1), stored(12), stored(50), stored(50), stored(50)});
    BOOST_TEST(lines_of(report) == "6"); // one finding a run; rows of no bucket make none
    BOOST_TEST(report.figures.at("longest_run").as_int64() == 4);
}

BOOST_AUTO_TEST_CASE(a_row_of_unknown_bucket)
{
    const std::string named = R"("bucket":"a")";
    ClustersRule without_bounds({}, 9);
    const auto report = judge(without_bounds, {row(named), row(""), stored(3)});
    BOOST_TEST(lines_of(report) == "2 3");
    BOOST_TEST(report.findings.kept()[0].reason == "nothing says in which bucket the prompt is");
    ClustersRule with_bounds(two_buckets(), 9);
    BOOST_TEST(lines_of(judge(with_bounds, {row(""), stored(3), stored(50)})) == "1");
}

BOOST_AUTO_TEST_CASE(runs_of_names)
{
    ClustersRule rule({}, 1);
    BOOST_TEST(lines_of(judge(
                   rule, {row(R"("bucket":"a")"), row(R"("bucket":"b")"), row(R"("bucket":"b")")})) == "3");
}
