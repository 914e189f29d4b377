// SPDX-License-Identifier: MIT
#include <slo/artifact/validity.hpp>

#define BOOST_TEST_MODULE artifact_validity
#include <boost/test/unit_test.hpp>

#include <slo/io/jsonl.hpp>

#include "../../support/judged_artifact.hpp"

#include <map>

using namespace slo;
using artifact::Claim;
using artifact::Class;
using artifact::Gate;
using test::put;

namespace {

struct Change {
    std::string path;
    std::string value;
};

artifact::Validity judged(json::object root, const Gate& gate)
{
    return artifact::judge(artifact::Artifact(std::move(root), "a.json"), gate);
}

Gate gate_of(Claim claim, json::object card = test::sound_card())
{
    Gate gate;
    gate.claim = claim;
    gate.card = artifact::CardFile{std::move(card), ""};
    return gate;
}

std::string joined(const std::vector<std::string>& names)
{
    std::string text;
    for (const auto& name : names)
        text += (text.empty() ? "" : " ") + name;
    return text;
}

// One way to break each rule that needs neither files nor options, and the class that remains to a baseline.
struct Spoiled {
    std::string_view broken; ///< the rules, blanks between them
    Class remains;
    std::vector<Change> changes;
};
const std::vector<Spoiled> spoiled{
    {"schema", Class::invalid, {{"engine/replicas", "\"1\""}}},
    {"identity", Class::invalid, {{"engine/container_image", "\" \""}}},
    {"metrics", Class::invalid, {{"metrics/itl_ms/p99", "null"}}},
    {"nonzero", Class::invalid, {{"metrics/itl_ms/p50", "0"}}},
    {"agreement", Class::invalid, {{"metrics/request_throughput", "50"}}},
    {"agreement", Class::invalid, {{"created_at", "\"2026-11-30T20:00:00Z\""}}},
    {"agreement", Class::invalid, {{"extensions/session_metadata/run_end", "\"2026-11-30T23:09:33Z\""}}},
    {"error-rate error-limit slo-rows",
     Class::invalid,
     {{"metrics/error_rate", "0.6"}, {"metrics/failed", "105"}}},
    {"figures-agree", Class::invalid, {{"extensions/sloutils/client", R"({"ttft_ms":{"p99":27.941}})"}}},
    {"figures-agree", Class::invalid, {{"extensions/sloutils/client", R"({"itl_ms":{"mean":6.8531}})"}}},
    {"error-limit slo-kept",
     Class::smoke,
     {{"metrics/error_rate", "0.0141"},
      {"metrics/failed", "1"},
      {"slo/results/error_rate_max/actual", "0.0141"},
      {"slo/results/error_rate_max/pass", "false"},
      {"slo/overall_pass", "false"}}},
    {"completed",
     Class::smoke,
     {{"metrics/completed", "9"},
      {"metrics/request_throughput", "1.274"},
      {"extensions/sloutils/warm_up/requests_left_out", "71"}}},
    {"ttft-tail reliability", Class::baseline, {{"metrics/ttft_ms/p50", "3"}}},
    {"reconciled server-side", Class::invalid, {{"extensions/reconciliation/prom_success", "75"}}},
    {"reconciled server-side", Class::invalid, {{"extensions/reconciliation/reconciled", "false"}}},
    {"server-side", Class::baseline, {{"extensions/reconciliation", "null"}}},
    {"server-side", Class::baseline, {{"extensions/reconciliation", R"({"reconciled":true})"}}},
    {"server-side",
     Class::baseline,
     {{"extensions/reconciliation/client_ok", "5"}, {"extensions/reconciliation/prom_success", "5"}}},
    {"declared-figures",
     Class::invalid,
     {{"extensions/sloutils/origin/extensions.distribution.output_tokens", "\"card\""}}},
    {"declared-figures measured-figures",
     Class::invalid,
     {{"extensions/sloutils/origin/metrics.e2e_ms", "\"sidecar\""}}},
    {"measured-figures", Class::baseline, {{"extensions/sloutils/origin/metrics.itl_ms", ""}}},
    {"measured-figures", Class::baseline, {{"extensions/sloutils/origin/metrics.failed", "\"card\""}}},
    {"sources", Class::baseline, {{"extensions/sloutils/sources/1/sha256", "null"}}},
    {"client-health", Class::baseline, {{"extensions/sloutils/client_health/saturated", "true"}}},
    {"client-health", Class::baseline, {{"extensions/sloutils/client_health", "null"}}},
    {"steady", Class::baseline, {{"extensions/sloutils/steady/size", "2"}}},
    {"dataset card-dataset", Class::invalid, {{"workload/dataset/type", "\"synthetic\""}}},
    {"dataset dataset-known card-dataset", Class::invalid, {{"workload/dataset/type", "\"audio-clips\""}}},
    {"card-dataset", Class::invalid, {{"workload/dataset/type", "\"trace-replay\""}}},
    {"gpu", Class::baseline, {{"extensions/gpu_telemetry", R"({"a":0})"}}},
    {"gpu", Class::baseline, {{"extensions/sloutils/origin/extensions.gpu_telemetry", ""}}},
    {"hardware", Class::baseline, {{"extensions/gpu_telemetry/xid_errors", "1"}}},
    {"hardware", Class::baseline, {{"hardware_errors/xid_events", R"(["79"])"}}},
    {"quality", Class::invalid, {{"quality/evals/0/passed", "false"}}},
    {"quality", Class::smoke, {{"quality", ""}}}, // the card demands it
    {"stability", Class::invalid, {{"stability/drift_gate_passed", "false"}}},
    {"stability", Class::baseline, {{"stability/drift_gate_passed", "null"}}},
    {"stability", Class::invalid, {{"stability/unrecoverable_errors", "1"}}},
    {"slo slo-kept",
     Class::baseline,
     {{"slo/results/ttft_p99_ms/actual", "null"},
      {"slo/results/ttft_p99_ms/pass", "null"},
      {"slo/overall_pass", "false"}}},
    {"slo slo-rows", Class::invalid, {{"slo/results/ttft_p99_ms/actual", "null"}}},
    {"slo-rows", Class::invalid, {{"slo/results/ttft_p99_ms/target", "1"}}},
    {"slo-rows", Class::invalid, {{"slo/results/ttft_p99_ms/actual", "7.941"}}},
    {"slo-rows slo-kept", Class::invalid, {{"slo/overall_pass", "false"}}},
    {"slo", Class::baseline, {{"slo", ""}}},
    {"slo-kept",
     Class::baseline,
     {{"slo/results/ttft_p99_ms/target", "1"},
      {"slo/results/ttft_p99_ms/pass", "false"},
      {"slo/overall_pass", "false"}}},
    {"card-id", Class::invalid, {{"workload/catalog_id", "\"chatbot-long\""}}},
    {"card-load", Class::smoke, {{"workload/load/request_rate", "11"}}},
    {"card-load", Class::smoke, {{"extensions/sloutils/rounds/0/target_qps", "11"}}},
    {"card-load", Class::smoke, {{"workload/load/type", ""}}},
    {"warm-up", Class::smoke, {{"extensions/sloutils/warm_up/requests_left_out", "9"}}},
    {"warm-up card-load", Class::smoke, {{"extensions/sloutils/warm_up", ""}}},
    {"smoke-card", Class::smoke, {{"workload/use_case", "\"chat smoke\""}}},
    {"required-metrics", Class::invalid, {{"power/tokens_per_joule", "null"}}},
    {"required-metrics", Class::invalid, {{"extensions/distribution/input_tokens/p99", "null"}}},
    {"required-measured", Class::baseline, {{"extensions/sloutils/origin/power", ""}}},
    {"required-config", Class::smoke, {{"engine/tensor_parallel", "2"}}},
    {"reliability", Class::invalid, {{"extensions/cache_stats/prefix_hit_rate", "0.31"}}},
};

std::set<std::string> as_set(std::string_view words)
{
    std::set<std::string> names;
    std::string text(words);
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find(' ', at), text.size());
        names.insert(text.substr(at, end - at));
        at = end + 1;
    }
    return names;
}

std::set<std::string> as_set(const std::vector<std::string>& names)
{
    return {names.begin(), names.end()};
}

} // namespace

BOOST_AUTO_TEST_CASE(bears_production_where_every_rule_is_kept)
{
    auto gate = gate_of(Claim::production);
    gate.sources = "tests/data/validity";
    gate.strict_production = true;
    gate.card = artifact::load_card_file("tests/data/validity/card.yaml");
    const auto validity = judged(test::sound_artifact(), gate);
    BOOST_TEST(joined(test::broken(validity.findings)) == "");
    BOOST_TEST((validity.classification == Class::production && validity.met));
    BOOST_TEST(validity.required_next.empty());
}

BOOST_AUTO_TEST_CASE(each_rule_alone_costs_what_it_should)
{
    std::set<std::string> seen{"digests", "digests-checked", "card", "card-digest",
                               "age",     "repeats"}; // below
    for (const auto& entry : spoiled) {
        auto root = test::sound_artifact();
        for (const auto& [path, value] : entry.changes)
            put(root, path, value);
        BOOST_TEST_CONTEXT(entry.broken << ", " << entry.changes[0].path << " = " << entry.changes[0].value)
        {
            const auto baseline = judged(root, gate_of(Claim::baseline));
            const auto rules = as_set(test::broken(baseline.findings, false));
            BOOST_TEST((rules == as_set(entry.broken)), joined(test::broken(baseline.findings)));
            BOOST_TEST((baseline.classification == entry.remains), name_of(baseline.classification));
            BOOST_TEST(baseline.met == (entry.remains == Class::baseline));
            // Production is borne by warnings alone, and a claim that is not is no lesser class but none.
            const auto production = judged(root, gate_of(Claim::production));
            const bool is_warning = entry.broken == "slo-kept";
            BOOST_TEST((production.classification == (is_warning ? Class::production : Class::invalid)));
            BOOST_TEST(production.failures.empty() == is_warning);
            seen.insert(rules.begin(), rules.end());
        }
    }
    for (const auto& row : artifact::validity_rules)
        BOOST_TEST(seen.count(std::string(row.id)) == 1, row.id << " is broken by no test");
}

BOOST_AUTO_TEST_CASE(card_and_sources_are_asked_for)
{
    Gate gate;
    gate.claim = Claim::baseline;
    auto validity = judged(test::sound_artifact(), gate);
    BOOST_TEST(joined(test::broken(validity.findings)) == "card");
    BOOST_TEST((validity.classification == Class::smoke && !validity.met));

    gate = gate_of(Claim::baseline);
    gate.card->sha256 = std::string(64, '1');
    validity = judged(test::sound_artifact(), gate);
    BOOST_TEST(joined(test::broken(validity.findings)) == "card-digest");
    BOOST_TEST((validity.classification == Class::baseline)); // other bytes alone are a warning
    BOOST_TEST(validity.warnings.size() == 1U);
    put(gate.card->root, "dataset/source", "\"other\"");
    validity = judged(test::sound_artifact(), gate);
    BOOST_TEST(joined(test::broken(validity.findings)) == "card-digest");
    BOOST_TEST((validity.classification == Class::smoke));

    gate = gate_of(Claim::production);
    gate.strict_production = true;
    validity = judged(test::sound_artifact(), gate);
    BOOST_TEST(joined(test::broken(validity.findings)) == "digests-checked");
    BOOST_TEST((validity.classification == Class::invalid));

    gate.sources = "tests/data/validity";
    auto root = test::sound_artifact();
    put(root, "extensions/sloutils/sources/1/sha256", '"' + std::string(64, '1') + '"');
    validity = judged(root, gate);
    BOOST_TEST(joined(test::broken(validity.findings)) == "digests:rounds");
    BOOST_TEST((validity.classification == Class::invalid));
}

BOOST_AUTO_TEST_CASE(age_and_repeats_are_asked_for)
{
    auto gate = gate_of(Claim::baseline);
    gate.max_age_days = 2;
    const auto root = test::sound_artifact();
    const auto made_s = artifact::detail::moment_s(artifact::Artifact(root, "a.json"), "created_at").value();
    for (const auto& [days, is_kept] : {std::pair{2.0, true}, {2.1, false}, {-0.5, true}, {-1.5, false}}) {
        gate.now_s = made_s + days * 86400;
        BOOST_TEST(joined(test::broken(judged(root, gate).findings)) == (is_kept ? "" : "age"));
    }
    auto card = test::sound_card();
    put(card, "statistics/min_repeats", "3");
    gate = gate_of(Claim::production, card);
    gate.runs = 2;
    BOOST_TEST(joined(test::broken(judged(root, gate).findings)) == "repeats");
    gate.runs = 3;
    BOOST_TEST(judged(root, gate).met);
}

BOOST_AUTO_TEST_CASE(claims_select_the_class_and_are_met_by_higher_ones)
{
    const auto root = test::sound_artifact();
    BOOST_TEST((judged(root, gate_of(Claim::smoke)).classification == Class::smoke));
    BOOST_TEST((judged(root, gate_of(Claim::baseline)).classification == Class::baseline));
    BOOST_TEST((judged(root, gate_of(Claim::automatic)).classification == Class::production));
    // Real data wish for production; what does not bear it is no baseline until a baseline is claimed.
    auto lesser = root;
    put(lesser, "extensions/gpu_telemetry", "null");
    const auto wished = judged(lesser, gate_of(Claim::automatic));
    BOOST_TEST((wished.classification == Class::invalid && !wished.met));
    BOOST_TEST((std::find(wished.required_next.begin(), wished.required_next.end(),
                          "claim a baseline (--claim baseline), or less") != wished.required_next.end()));
    BOOST_TEST((judged(lesser, gate_of(Claim::smoke)).met));
    BOOST_CHECK_THROW(artifact::claim_named("best"), UsageError);
}

BOOST_AUTO_TEST_CASE(an_old_verdict_has_no_say_and_the_new_one_is_written)
{
    auto root = test::sound_artifact();
    put(root, "validity", R"({"classification":"nonsense"})");
    put(root, "mine", R"([1,2.5,"x"])");
    const artifact::Artifact given(root, "a.json");
    const auto validity = artifact::judge(given, gate_of(Claim::baseline));
    BOOST_TEST((validity.classification == Class::baseline));
    const auto written = artifact::parse_artifact(artifact::with_validity(given, validity), "b.json");
    BOOST_TEST(written.text("validity.classification").value() == "valid_controlled_baseline");
    BOOST_TEST(artifact::check_envelope(written.root()).empty());
    BOOST_TEST(to_json(*written.at("mine")) == R"([1,2.5,"x"])");
    const auto record = artifact::to_record(validity, "a.json");
    BOOST_TEST(record.at("rules").get_array().size() == validity.findings.size());
    BOOST_TEST(to_json(record.at("rules").get_array()[0]) ==
               R"({"rule":"schema","ok":true,"severity":"invalid","evidence":"derived","seen":"kept",)"
               R"("expected":"an envelope of version 1"})");
}

// The vectors of the classic gate. None of their artifacts keeps the schema, so ours refuses each as it
// stands; what they are about is seen where all else that an artifact must have is there.
namespace {

// What the vector's own artifact lacks, of a sound one: nothing of its metrics nor of what its card requires.
json::object completed(json::object root, const json::object& card)
{
    if (root.empty())
        return root;
    const auto sound = test::sound_artifact();
    const auto fill = [&](json::object& into, const json::object& from) {
        for (const auto& member : from) {
            if (!into.contains(member.key()))
                into[member.key()] = member.value();
        }
    };
    for (const auto* block : {"model", "engine", "infrastructure"})
        fill(root[block].as_object(), sound.at(block).get_object());
    root["source_tool"].as_object()["name"] = "custom";
    const auto* targets = value_at(sound, "slo.targets");
    const auto* metrics = object_at(root, "metrics");
    if (const auto slo = artifact::slo_block(targets->if_object(), metrics ? *metrics : json::object{}))
        root["slo"] = *slo;
    auto& workload = root["workload"].as_object();
    workload["modality"] = "text";
    workload["api"] = sound.at("workload").at("api");
    if (const auto* load = object_at(card, "load"))
        workload["load"] = *load;
    auto& extensions = root["extensions"].as_object();
    extensions["sloutils"] = sound.at("extensions").at("sloutils");
    put(root, "extensions/sloutils/rounds", "[]");
    put(root, "extensions/sloutils/warm_up/requests_left_out", "2000");
    if (object_at(root["extensions"].get_object(), "reconciliation")) {
        put(root, "extensions/reconciliation/client_ok", "100");
        put(root, "extensions/reconciliation/prom_success", "100");
    }
    return root;
}

// What the classic gate says, and ours on purpose: the class, and where section 9 of the notes on the classic
// tools says that it is wrong.
struct Difference {
    std::string_view classification;
    std::string_view reason;
};
const std::map<std::string_view, Difference> differences{
    {"validity/synthetic-ok-claim-smoke", {"valid_smoke_only", "9.20 claim-smoke"}},
    {"validity/synthetic-recon-false-auto", {"invalid_or_incomplete", "9.17 fails-closed, reconciled"}},
    {"validity/missing-itl-not-checked", {"invalid_or_incomplete", "9.20 metrics, schema"}},
    {"validity/zero-latency-passes", {"invalid_or_incomplete", "9.20 nonzero"}},
    {"validity/completed-9", {"invalid_or_incomplete", "9.20 agreement: 9 in 100 s are not 1/s"}},
    {"validity/completed-10", {"invalid_or_incomplete", "9.20 agreement: 10 in 100 s are not 1/s"}},
    {"validity/completed-9-float-not-warned", {"invalid_or_incomplete", "9.20 agreement"}},
    {"validity/empty-artifact-auto", {"invalid_or_incomplete", "9.17 fails-closed"}},
    {"validity/production-mix-complete",
     {"invalid_or_incomplete", "9.20 required-metrics: {\"c1\":{}} is empty"}},
    {"validity/production-mix-complete-claim-baseline", {"invalid_or_incomplete", "9.20 required-metrics"}},
    {"validity/production-mix-missing-hist-claim-baseline", {"invalid_or_incomplete", "9.17 fails-closed"}},
    {"validity/production-mix-vendor-tool", {"invalid_or_incomplete", "9.18 server-side"}},
    {"validity/sharegpt-required-met",
     {"invalid_or_incomplete", "9.19 required-metrics: a p50 is no p50 and p99"}},
    {"validity/required-null-is-missing", {"invalid_or_incomplete", "9.17 fails-closed, required-metrics"}},
    {"validity/smoke-by-artifact-use-case", {"invalid_or_incomplete", "9.20 card-id"}},
    {"validity/smoke-with-failures", {"invalid_or_incomplete", "9.17 fails-closed, metrics"}},
    {"validity/card-artifact-mismatch-not-checked", {"invalid_or_incomplete", "9.20 card-id"}},
};

// The rule of ours that answers what the classic gate noted.
std::set<std::string> answers_to(std::string_view code)
{
    if (code.starts_with("missing:metrics"))
        return {"metrics"};
    if (code.starts_with("missing:"))
        return {"identity"};
    if (code.starts_with("required:"))
        return {"required-metrics:" + std::string(code.substr(9))};
    if (code.starts_with("few_completed"))
        return {"completed"};
    if (code.starts_with("unrecognized_dataset"))
        return {"dataset-known"};
    if (code == "reconciliation_failed")
        return {"reconciled", "server-side"};
    if (code == "not_bench_standard")
        return {"measured-figures"};
    if (code == "claim_needs_production_dataset")
        return {"dataset"};
    return {std::string(code)};
}

Gate gate_of_vector(const json::object& input)
{
    auto gate = gate_of(input.contains("claim") ? artifact::claim_named(*string_at(input, "claim"))
                                                : Claim::automatic,
                        *object_at(input, "card"));
    gate.strict_production = input.contains("strict_production") && input.at("strict_production").as_bool();
    return gate;
}

} // namespace

BOOST_AUTO_TEST_CASE(vectors_equal_or_stricter_with_a_reason)
{
    io::LineReader reader("tests/data/benchmark/validity.jsonl");
    std::set<std::string> used;
    std::size_t count = 0;
    while (const auto vector = io::next_object(reader)) {
        ++count;
        const std::string id(*string_at(*vector, "id"));
        const auto& input = vector->at("input").get_object();
        const auto& expected = vector->at("expected").get_object();
        const auto gate = gate_of_vector(input);
        const auto& root = input.at("artifact").get_object();
        BOOST_TEST_CONTEXT(id)
        {
            const auto bare = judged(root, gate);
            const auto broken = test::broken(bare.findings);
            BOOST_TEST((bare.classification == Class::invalid && broken.front() == "schema"));
            for (const auto* list : {"failures", "warnings"}) {
                for (const auto& code : expected.at(list).get_array()) {
                    const auto answers = answers_to(std::string(code.get_string()));
                    BOOST_TEST(std::any_of(broken.begin(), broken.end(),
                                           [&](const auto& rule) { return answers.count(rule) == 1; }),
                               std::string(code.get_string()) << " is seen by no rule");
                }
            }
            const auto full = judged(completed(root, gate.card->root), gate);
            const auto ours = name_of(full.classification);
            const auto classic = *string_at(expected, "classification");
            const auto difference = differences.find(id);
            if (difference == differences.end()) {
                BOOST_TEST(ours == classic, joined(test::broken(full.findings)));
            } else {
                used.insert(id);
                BOOST_TEST(ours == difference->second.classification, joined(test::broken(full.findings)));
                BOOST_TEST(ours != classic);
            }
            if (integer_at(expected, "exit_code") != 0)
                BOOST_TEST(!full.met);
        }
    }
    BOOST_TEST(count == 32U);
    BOOST_TEST(used.size() == differences.size());
}

BOOST_AUTO_TEST_CASE(vectors_of_the_command_line)
{
    io::LineReader reader("tests/data/benchmark/validity_cli.jsonl");
    const auto vector = io::next_object(reader).value(); // the other is a missing file: a case of the tool
    const auto& input = vector.at("input").get_object();
    auto gate = gate_of_vector(input);
    gate.strict_production = true;
    bool all_met = true;
    for (const auto& pair : vector.at("expected").at("classifications").as_array()) {
        const std::string file(pair.at(0).as_string());
        const auto validity =
            judged(completed(input.at("files").at(file).as_object(), gate.card->root), gate);
        BOOST_TEST(name_of(validity.classification) == std::string_view(pair.at(1).as_string()));
        all_met = all_met && validity.met;
    }
    BOOST_TEST(!all_met);
}
