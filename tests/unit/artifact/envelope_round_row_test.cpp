// SPDX-License-Identifier: MIT
#include <slo/artifact/envelope_round_row.hpp>

#define BOOST_TEST_MODULE artifact_envelope_round_row
#include <boost/test/unit_test.hpp>

#include <slo/io/jsonl.hpp>

using namespace slo;

namespace {

json::object first_round()
{
    io::LineReader lines("tests/data/envelope/rounds.jsonl");
    return *io::next_object(lines);
}

artifact::RoundRow row_of(const std::vector<json::object>& shards)
{
    artifact::RoundRow row;
    for (const auto& record : shards)
        row.add(*record::read_round(record), record);
    return row;
}

} // namespace

BOOST_AUTO_TEST_CASE(one_shard_keeps_its_exact_figures)
{
    const auto record = first_round();
    const auto line = row_of({record}).to_json_object(1, true);
    BOOST_TEST(number_at(line, "e2e_p50_ms").value() ==
               number_at(*object_at(record, "Latency"), "p50").value() * 1000);
    BOOST_TEST(number_at(line, "tpot_p99_ms").value() ==
               number_at(*object_at(record, "TPOT"), "p99").value());
    BOOST_TEST(integer_at(line, "due").value() == 10);
    BOOST_TEST(find(line, "warm_up")->get_bool());
    BOOST_TEST(number_at(line, "output_toks_per_s").value() ==
               number_at(record, "output_tokens_per_minute").value() / 60);
}

BOOST_AUTO_TEST_CASE(shards_are_added_up_and_their_sketches_merged)
{
    const auto record = first_round();
    const auto row = row_of({record, record});
    const auto one = row_of({record});
    BOOST_TEST(row.round.due.value() == 2 * one.round.due.value());
    BOOST_TEST(row.round.actual_qps.value() == 2 * one.round.actual_qps.value());
    BOOST_TEST(row.failed == 2 * one.failed);
    BOOST_TEST(row.output_tokens == 2 * one.output_tokens);
    BOOST_TEST(row.round.target_qps.value() == one.round.target_qps.value());
    BOOST_TEST(row.round.latency->count() == 2 * one.round.latency->count());
    BOOST_TEST(row.in_flight_max == 2 * one.in_flight_max);
    BOOST_TEST(row.lateness_p99_s.value() == one.lateness_p99_s.value());
    BOOST_TEST(row.p50_latency_s().value() == one.p50_latency_s().value(),
               boost::test_tools::tolerance(0.01));
}

BOOST_AUTO_TEST_CASE(an_older_record_has_no_more_than_it_says)
{
    const auto record = parse_json(R"({"Latency":{"p50":1.5},"success_rate":98})").get_object();
    const auto line = row_of({record}).to_json_object(3, false);
    BOOST_TEST(number_at(line, "e2e_p50_ms").value() == 1500.0);
    BOOST_TEST(number_at(line, "success_rate").value() == 98.0);
    for (const auto* unknown : {"due", "ok", "e2e_p99_ms", "ttft_p50_ms", "output_toks_per_s"})
        BOOST_TEST(find(line, unknown)->is_null(), unknown);
}
