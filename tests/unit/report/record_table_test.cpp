// SPDX-License-Identifier: MIT
// Unit test of report/record_table.hpp.

#include <slo/report/record_table.hpp>

#define BOOST_TEST_MODULE report_record_table
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace slo;
using namespace slo::report;

namespace {

Record made(Kind kind, const std::string& text, const std::string& file = "f")
{
    return {kind, file, 1, parse_json(text).get_object()};
}

std::vector<Table> tables(std::initializer_list<Record> records)
{
    RecordTables tables;
    for (const auto& record : records)
        tables.take(Record(record));
    return tables.tables();
}

using Row = report::detail::Row;

} // namespace

BOOST_AUTO_TEST_CASE(a_round_in_which_nothing_succeeded_has_no_latencies)
{
    const auto row =
        round_row(parse_json(R"({"measurement_round":3,"target_qps":4,"actual_qps":4.5,"success_rate":0,
        "Latency":{"unit":"s","p50":null},"errors":{"connect":0,"timeout":12},"flags":["interrupted"],
        "client":{"saturated":true},"shard":"0/2"})")
                      .get_object());
    BOOST_TEST(row == (Row{"3", "4.00", "4.50", "0.0 %", "n/a", "n/a", "n/a", "n/a", "n/a", "n/a",
                           "shard 0/2; client saturated; 12 timeout; interrupted"}),
               boost::test_tools::per_element());
    BOOST_TEST(streamed_line({"1", "long-er than 9"}, {"Round", "X"}) == "1          long-er than 9\n");
}

BOOST_AUTO_TEST_CASE(requests_are_summed_up)
{
    const std::string request =
        R"("round":1,"due_s":1,"sent_s":1.5,"first_token_s":2,"last_token_s":3,"end_s":3)";
    const auto all = tables(
        {made(Kind::run, R"({"latency_basis":"send"})"),
         made(Kind::request, "{" + request + R"(,"status":"ok","output_tokens":11,"itl_ms":[100,100]})"),
         made(Kind::request, R"({"round":1,"due_s":2,"status":"failed","error_kind":"timeout"})")});
    BOOST_REQUIRE(all.size() == 1u);
    BOOST_TEST(all[0].rows[1] ==
                   (Row{"Latency", "1", "1.500 s", "1.500 s", "1.500 s", "1.500 s", "1.500 s", "1.500 s"}),
               boost::test_tools::per_element());
    BOOST_TEST(all[0].rows[2][3] == "500.0 ms");
    BOOST_TEST(all[0].rows[3][3] == "100.00 ms");
    BOOST_TEST(all[0].rows[4][1] == "2");
    BOOST_TEST(all[0].answer == "1 ok; 1 failed; 1 by timeout\n");
    BOOST_CHECK_THROW(tables({made(Kind::request, R"({"round":1,"status":"ok"})")}), InputError);
}

BOOST_AUTO_TEST_CASE(a_verdict_with_a_rate_is_a_probe)
{
    const auto all =
        tables({made(Kind::verdict, R"({"status":"FAIL","rounds_seen":8,"rounds_required":8,"slo_s":6,
                    "avg_p50_latency_s":7,"primary_metric":"tail","notes":["n"]})"),
                made(Kind::verdict, R"({"status":"PASS","qps":2,"slo_s":6,"avg_p50_latency_s":5})"),
                made(Kind::verdict, R"({"status":"ERROR","error":"why"})")});
    BOOST_REQUIRE(all.size() == 2u);
    BOOST_TEST(all[0].rows[1][1] == "2.0");
    BOOST_TEST(all[0].answer == "No result record: the search goes on, or was cut off.\n");
    BOOST_TEST(all[1].rows[1] == (Row{"FAIL", "7.000 s", "tail", "6.000 s", "8 of 8", "n/a", "n"}),
               boost::test_tools::per_element());
    BOOST_TEST(all[1].rows[2][6] == "why");
}

BOOST_AUTO_TEST_CASE(artifacts_have_a_row_each_and_null_is_not_0)
{
    const auto all = tables({made(Kind::envelope, R"({"schema_version":"1.0.0","engine":{"name":"vllm"},
        "metrics":{"error_rate":0.5,"ttft_ms":{"p50":null,"p99":200}},"slo":{"overall_pass":false}})",
                                  "a.json")});
    BOOST_REQUIRE(all.size() == 1u);
    BOOST_TEST(all[0].rows[1] == (Row{"a.json", "vllm", "n/a", "n/a", "n/a", "200.0 ms", "n/a", "n/a", "n/a",
                                      "n/a", "n/a", "50.00 %", "fail", "n/a"}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(each_file_is_a_search_and_kinds_without_a_table_are_counted)
{
    const std::string start =
        R"({"schema":"sloutils.search/1","event":"start","low_qps":1,"high_qps":2,"slo_s":6.5,
        "precision":0.1,"total_rounds":8,"tail_window":4})";
    RecordTables both;
    both.take(made(Kind::search, start, "a"));
    both.take(made(Kind::search, start, "b"));
    both.take(made(Kind::snapshot, "{}"));
    BOOST_TEST(both.tables().size() == 2u);
    BOOST_TEST(both.tables()[1].title == "b");
    BOOST_TEST(both.without_table().at("snapshot") == 1u);
}
