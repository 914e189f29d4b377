// SPDX-License-Identifier: MIT
#include <slo/artifact/envelope_run.hpp>

#define BOOST_TEST_MODULE artifact_envelope_run
#include <boost/test/unit_test.hpp>

using namespace slo;

namespace {

json::object run(double start_s, std::string_view config)
{
    return parse_json(R"({"schema":"sloutils.run/1","start":"S","start_epoch_s":)" + format_double(start_s) +
                      R"(,"config":)" + std::string(config) + "}")
        .get_object();
}

std::string refusal(artifact::RunFacts& facts, const json::object& record)
{
    try {
        facts.take_run(record);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

} // namespace

BOOST_AUTO_TEST_CASE(the_load_is_that_of_the_run)
{
    artifact::RunFacts open, closed, ramp, rounds;
    open.take_run(run(100, R"({"target_qps":2.5,"endpoint":"chat","stream":true})"));
    closed.take_run(
        run(100, R"({"target_qps":null,"concurrency":8,"endpoint":"completions","stream":false})"));
    ramp.take_run(run(100, R"({"target_qps":2,"ramp_to":9})"));
    BOOST_TEST(to_json(open.load_point()) == R"({"request_rate":2.5})");
    BOOST_TEST(to_json(closed.load_point()) == R"({"concurrency":8})");
    BOOST_TEST(to_json(ramp.load_point()) == "{}");
    rounds.take_round(parse_json(R"({"target_qps":3.0})").get_object());
    BOOST_TEST(to_json(rounds.load_point()) == R"({"request_rate":3})");
    rounds.take_round(parse_json(R"({"target_qps":4.0})").get_object());
    BOOST_TEST(to_json(rounds.load_point()) == "{}");
    BOOST_TEST(to_json(*open.api()) ==
               R"({"type":"chat","streaming":true,"endpoint":"/v1/chat/completions"})");
    BOOST_TEST(*string_at(*closed.api(), "endpoint") == "/v1/completions");
    BOOST_TEST(!ramp.api());
}

BOOST_AUTO_TEST_CASE(runs_of_another_start_or_load_are_refused_and_shards_are_not)
{
    artifact::RunFacts one;
    one.take_run(run(100, R"({"target_qps":2,"shard":null})"));
    BOOST_TEST(refusal(one, run(200, R"({"target_qps":2,"shard":null})")) ==
               "run records: are of two runs: one began at S, the other at S");
    BOOST_TEST(refusal(one, run(100, R"({"target_qps":3,"shard":null})")) ==
               "run records: are of two runs: target_qps is 2 in one, 3 in the other");
    BOOST_TEST(refusal(one, run(100, R"({"target_qps":2,"shard":null})")).empty());
    artifact::RunFacts shards;
    shards.take_run(run(100, R"({"target_qps":2,"shard":"0/2"})"));
    BOOST_TEST(refusal(shards, run(101, R"({"target_qps":2,"shard":"1/2"})")).empty());
    BOOST_TEST(!refusal(shards, run(102, R"({"target_qps":2,"shard":"0/2"})")).empty());
    BOOST_TEST(refusal(shards, parse_json("{}").get_object()) ==
               "run: start_epoch_s is missing from the run record");
}

BOOST_AUTO_TEST_CASE(clocks_that_disagree_are_noted)
{
    artifact::RunFacts facts;
    facts.take_run(run(1000, "{}"));
    artifact::ClientSide client;
    client.from_s = 10;
    client.to_s = 60;
    facts.set_window(client, 60);
    BOOST_TEST(facts.window()->start_s == 1010.0);
    BOOST_TEST(facts.window()->end_s == 1060.0);
    BOOST_TEST(facts.clock_notes(999, 1061).empty());
    BOOST_TEST(facts.clock_notes(1002, 1058).empty()); // within the tolerance
    BOOST_TEST(facts.clock_notes(1003, 1057).size() == 2U);
    BOOST_TEST(facts.clock_notes(std::nullopt, 1).empty());
    BOOST_TEST(facts.window_notes(60).empty());
    BOOST_TEST(
        facts.window_notes(57).at(0) ==
        "clocks disagree, or the snapshots are of another run: the server's window is 57.0 s, the run took "
        "60.0 s");
    BOOST_TEST(facts.window_notes(151).at(0).starts_with("the server's figures are of more than this run"));
    BOOST_TEST(!artifact::RunFacts().window());
}
