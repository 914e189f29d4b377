// SPDX-License-Identifier: MIT
#include <slo/artifact/envelope.hpp>

#define BOOST_TEST_MODULE artifact_envelope
#include <boost/test/unit_test.hpp>

#include <slo/io/jsonl.hpp>

using namespace slo;

namespace {

json::object object_of(std::string_view text)
{
    return parse_json(text).get_object();
}

artifact::Envelope declared()
{
    artifact::Envelope envelope;
    envelope.add_deployment(card::load_sidecar("tests/data/envelope/benchmark.yaml"));
    envelope.add_workload(card::load_card("tests/data/envelope/chat.yaml"), {}, nullptr);
    return envelope;
}

} // namespace

BOOST_AUTO_TEST_CASE(an_id_is_random_or_of_the_content)
{
    const std::string digits = "0123456789abcdef0123456789abcdef";
    BOOST_TEST(artifact::uuid_of(digits, '4') == "01234567-89ab-4def-8123-456789abcdef");
    const auto one = declared().finish(nullptr, {{{"name", "x"}}}, 1e9, "");
    const auto same = declared().finish(nullptr, {{{"name", "x"}}}, 1e9, "");
    const auto other = declared().finish(nullptr, {{{"name", "y"}}}, 1e9, "");
    BOOST_TEST(to_json(one) == to_json(same));
    BOOST_TEST(*string_at(one, "artifact_id") != *string_at(other, "artifact_id"));
}

BOOST_AUTO_TEST_CASE(without_measurements_all_metrics_are_null_and_no_objective_is_met)
{
    const auto root = declared().finish(nullptr, {{{"name", "x"}}}, 1e9, "");
    const artifact::Artifact made(root, "a");
    BOOST_TEST(!made.at("metrics.completed"));
    BOOST_TEST(!made.at("metrics.ttft_ms.p50"));
    BOOST_TEST(!made.at("slo"));
    const auto targets = object_of(R"({"ttft_p99_ms":100})");
    const artifact::Artifact judged(declared().finish(&targets, {{{"name", "x"}}}, 1e9, ""), "a");
    BOOST_TEST(judged.truth("slo.overall_pass").value() == false);
}

BOOST_AUTO_TEST_CASE(the_server_stands_in_only_where_there_is_no_client)
{
    const auto diff = object_of(R"({"schema":"sloutils.diff/1","status":"OK","engine":"vllm","window_s":10,
        "reset_detected":false,"hit_rate":0.5,"histograms":{"ttft":{"p50":0.5}},
        "counters":{"preemptions":20,"generation_tokens":100,"success":{"stop":5,"abort":2}}})");
    auto alone = declared();
    alone.add_server(diff, "d");
    const artifact::Artifact server(alone.finish(nullptr, {{{"name", "x"}}}, 1e9, ""), "a");
    BOOST_TEST(server.number("metrics.ttft_ms.p50").value() == 500.0);
    BOOST_TEST(server.number("metrics.completed").value() == 5.0);
    BOOST_TEST(!server.at("metrics.error_rate")); // it does not know of what it refused
    BOOST_TEST(server.number("metrics.output_toks_per_s").value() == 10.0);
    BOOST_TEST(*string_at(*server.object("extensions.sloutils.origin"), "metrics.ttft_ms") == "server");
    BOOST_TEST(server.number("extensions.scheduler.preemptions_per_min").value() == 120.0);

    auto both = declared();
    artifact::ClientSide client;
    client.counts.completed = 4;
    both.add_client(client);
    both.add_server(diff, "d");
    const artifact::Artifact made(both.finish(nullptr, {{{"name", "x"}}}, 1e9, ""), "a");
    BOOST_TEST(made.number("metrics.completed").value() == 4.0);
    BOOST_TEST(!made.at("metrics.ttft_ms.p50"));
    BOOST_TEST(made.number("extensions.sloutils.server.ttft_ms.p50").value() == 500.0);
}

// 9.7: what the driver made of these inputs fails its own schema where the sidecar is partial; the counts
// that both make of them are the same.
BOOST_AUTO_TEST_CASE(vectors_of_the_driver_have_the_same_counts_or_differ_for_a_reason)
{
    io::LineReader lines("tests/data/benchmark/envelope.jsonl");
    std::size_t seen = 0;
    while (const auto vector = io::next_object(lines)) {
        ++seen;
        const std::string id(*string_at(*vector, "id"));
        const auto& input = *value_at(*vector, "input.client");
        const auto& run = input.get_object();
        artifact::ClientCounts counts;
        counts.completed = integer_at(run, "ok");
        counts.failed = integer_at(run, "err");
        counts.duration_s = number_at(run, "duration_s");
        counts.output_tokens = number_at(run, "total_tokens");
        const auto ours =
            artifact::metrics_block(counts, object_at(*object_at(*vector, "input"), "prom")
                                                ? *object_at(*object_at(*vector, "input"), "prom")
                                                : json::object());
        const auto& classic = value_at(*vector, "expected.metrics")->get_object();
        for (const auto* name : {"completed", "failed", "error_rate", "duration_s", "output_toks_per_s",
                                 "request_throughput", "total_output_tokens", "ttft_ms", "tpot_ms", "e2e_ms"})
            BOOST_TEST(to_json(*find(ours, name)) == to_json(*find(classic, name)), id << " " << name);
        // 9.12: input tokens that nobody counted are null, and the total is not the output rate again.
        BOOST_TEST(find(ours, "total_input_tokens")->is_null(), id);
        BOOST_TEST(find(ours, "total_toks_per_s")->is_null(), id);
        BOOST_TEST(!find(classic, "total_toks_per_s")->is_null(), id);
    }
    BOOST_TEST(seen == 6U);
}

BOOST_AUTO_TEST_CASE(what_breaks_the_schema_is_not_made)
{
    auto envelope = declared();
    artifact::SideBlock odd;
    odd.value = json::object{{"gate_passed", "yes"}};
    envelope.add_block("quality", odd, "client");
    try {
        envelope.finish(nullptr, {{{"name", "x"}}}, 1e9, "");
        BOOST_ERROR("made");
    } catch (const InputError& error) {
        BOOST_TEST(error.what() ==
                   std::string("the artifact: does not keep its schema: quality.gate_passed: is "
                               "\"yes\", not boolean, null"));
    }
}
