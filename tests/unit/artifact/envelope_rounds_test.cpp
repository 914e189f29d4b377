// SPDX-License-Identifier: MIT
#include <slo/artifact/envelope_rounds.hpp>

#define BOOST_TEST_MODULE artifact_envelope_rounds
#include <boost/test/unit_test.hpp>

#include <slo/io/jsonl.hpp>

using namespace slo;

namespace {

void read(artifact::RoundLog& log, const std::string& shard = "")
{
    log.begin_file();
    io::LineReader lines("tests/data/envelope/rounds.jsonl");
    while (auto record = io::next_object(lines)) {
        if (!shard.empty())
            (*record)["shard"] = shard;
        BOOST_TEST(log.add(*record));
    }
}

std::string refusal(artifact::RoundLog& log, std::string_view record)
{
    try {
        log.add(parse_json(record).get_object());
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

} // namespace

BOOST_AUTO_TEST_CASE(the_client_side_of_rounds_is_within_the_error_of_sketches)
{
    artifact::RoundLog log;
    read(log);
    const auto client = log.client({});
    BOOST_TEST(client.counts.completed.value() == 26);
    BOOST_TEST(client.counts.failed.value() == 4);
    BOOST_TEST(client.counts.output_tokens.value() == 156.0, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(client.counts.duration_s.value() == 3.0, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(!client.exact);
    BOOST_TEST(number_at(*object_at(client.latencies, "ttft_ms"), "p50").value() == 10.04,
               boost::test_tools::tolerance(0.01));
    BOOST_TEST(integer_at(client.errors, "http_5xx").value() == 4);
    BOOST_TEST(log.failed_of_all() == 4);
    BOOST_TEST(log.length_s().value() == 3.0, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(to_json(log.steady()) == R"({"first":1,"size":3})");
    BOOST_TEST(find(log.health().get_object(), "saturated")->get_bool() == false);
}

BOOST_AUTO_TEST_CASE(whole_rounds_are_left_out_for_a_warm_up)
{
    artifact::RoundLog log;
    read(log);
    BOOST_TEST(log.first_measured({5, 1}) == 2);
    BOOST_TEST(log.first_measured({10, 1}) == 2);
    BOOST_TEST(log.first_measured({11, 1}) == 3);
    BOOST_TEST(log.first_measured({0, 3}) == 3);
    const auto client = log.client({5, 1});
    BOOST_TEST(client.warm_up_requests == 10);
    BOOST_TEST(client.counts.completed.value() + client.counts.failed.value() == 20);
    BOOST_TEST(client.from_s.value() == 1.0, boost::test_tools::tolerance(1e-9));
    const auto series = log.series(2);
    BOOST_TEST(find(series[0].get_object(), "warm_up")->get_bool());
    BOOST_TEST(!find(series[1].get_object(), "warm_up")->get_bool());
    const auto all = log.client({1000, 1});
    BOOST_TEST(all.warm_up_requests == 0);
    BOOST_TEST(all.notes.at(0) == "all rounds are warm-up: none was left out");
}

BOOST_AUTO_TEST_CASE(rounds_of_two_runs_are_refused)
{
    artifact::RoundLog twice;
    read(twice);
    BOOST_TEST(refusal(twice, R"({"schema":"sloutils.round/1","measurement_round":1})") ==
               "measurement_round: is 1 after 3: the rounds of another run begin here");
    twice.begin_file();
    BOOST_TEST(refusal(twice, R"({"schema":"sloutils.round/1","measurement_round":1})") ==
               "shard: is missing: two files of rounds must be shards of one run");
    artifact::RoundLog shards;
    read(shards, "0/2");
    read(shards, "1/2");
    BOOST_TEST(shards.client({}).counts.completed.value() == 52);
    shards.begin_file();
    BOOST_TEST(refusal(shards, R"({"schema":"sloutils.round/1","measurement_round":1,"shard":"1/2"})") ==
               "shard: is 1/2 again: two files of rounds must be shards of one run");
    BOOST_TEST(
        refusal(shards,
                R"({"schema":"sloutils.round/1","measurement_round":1,"shard":"2/3","target_qps":7})") ==
        "target_qps: is another than that of the file before: these are two runs");
}

BOOST_AUTO_TEST_CASE(rounds_without_sketches_have_no_latencies_and_say_so)
{
    artifact::RoundLog log;
    log.begin_file();
    BOOST_TEST(log.add(parse_json(R"({"Latency":{"p50":1.5},"success_rate":98})").get_object()));
    BOOST_TEST(!log.add(parse_json(R"({"schema":"sloutils.diff/1"})").get_object()));
    const auto client = log.client({});
    BOOST_TEST(!client.counts.completed);
    BOOST_TEST(!client.counts.duration_s);
    BOOST_TEST(to_json(*find(client.latencies, "e2e_ms")) == to_json(artifact::unknown_latency()));
    BOOST_TEST(client.notes.size() == 1U);
    BOOST_TEST(log.health().is_null());
    BOOST_TEST(log.steady().is_null());
}
