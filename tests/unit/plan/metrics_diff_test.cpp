// SPDX-License-Identifier: MIT
// Diffs of snapshots: the vectors of the classic tool, the metric cases, each engine, and what is no diff at
// all.

#include <slo/plan/metrics_diff.hpp>

#define BOOST_TEST_MODULE plan_metrics_diff
#include <boost/test/unit_test.hpp>

#include <slo/io/jsonl.hpp>
#include <slo/record/snapshot_file.hpp>

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>

using namespace slo;
using namespace slo::plan;

namespace {

const std::string classic = "tests/data/classic/";
const std::string cases = "tests/data/cases/";

record::Diff diff_files(const std::string& before, const std::string& after)
{
    return diff_snapshots(record::read_snapshot(before), record::read_snapshot(after));
}

record::Diff diff_texts(std::string_view before, std::string_view after, const DiffOptions& options = {})
{
    return diff_snapshots(record::merge_snapshots(record::parse_snapshots(before, "before")),
                          record::merge_snapshots(record::parse_snapshots(after, "after")), options);
}

bool mentions(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

// The lines of vectors; the classic tool prints NaN, which is null here.
json::object vector_of(std::string line)
{
    for (auto at = line.find("NaN,"); at != std::string::npos; at = line.find("NaN,"))
        line.replace(at, 3, "null");
    return parse_json(line).as_object();
}

// A member of the classic record against ours; NaN there is null here.
bool same(const json::value* theirs, const json::value* ours)
{
    if (!ours)
        return false;
    if (const auto number = as_number(theirs))
        return as_number(ours) == number;
    return *theirs == *ours;
}

std::map<std::string, double> rates(const std::vector<std::pair<std::string, record::CacheRate>>& list)
{
    std::map<std::string, double> all;
    for (const auto& [name, rate] : list)
        all[name] = rate.hit_rate.value_or(-1);
    return all;
}

} // namespace

BOOST_AUTO_TEST_CASE(prefix_vectors_are_equal_where_the_classic_tool_is_right)
{
    // What is right instead: hit_rate, hits, queries, status.
    struct Right {
        std::optional<double> hit_rate, hits, queries;
        std::string status = "OK";
    };
    const std::map<std::string, Right> differ{
        {"02_vllm_external_bigger_queries", {0.25, 1000, 4000}}, // the local cache, not the connector's
        {"09_sglang_gauge", {0.6, 60, 100}},                     // counters of SGLang
        {"10_trtllm_kv", {1.0 / 3, 10, 30}},                     // counters of TensorRT-LLM
        {"13_nan_value", {{}, {}, 10}},                          // NaN is no number of hits
        {"15_label_brace_in_quotes", {102.0 / 196, 102, 196}},   // a brace within quotes ends no labels
        {"16_label_brace_space", {{}, 99, 10}},                  // as above; one series vanished
        {"19_histogram_buckets", {0.5, 50, 100}},                // buckets are no hits
        {"20_negative_delta_hits", {{}, -50, 100}},              // a rate is never negative
        {"23_unrelated_prefix_total_wins", {0.5, 10, 20}},       // evictions are no lookups
        {"24_rate_over_one", {{}, 30, 20}},                      // nor above 1
        {"26_bad_lines", {{}, 1, 8}},                            // `}3` has a value; its series vanished
        {"32_hit_rate_gauge_prefix", {{}, {}, {}, "NO_PREFIX_METRICS"}}, // a gauge of rates counts nothing
    };
    io::LineReader reader(classic + "prefix_vectors.jsonl");
    int seen = 0;
    while (const auto line = reader.next()) {
        const auto vector = vector_of(std::string(*line));
        const auto& argv = *array_at(vector, "argv");
        const std::string before(argv[2].as_string());
        const auto record =
            record::to_record(diff_files(classic + before, classic + std::string(argv[4].as_string())));
        const auto& theirs = *object_at(vector, "stdout");
        const auto name = before.substr(5, before.find('.') - 5);
        if (const auto right = differ.find(name); right != differ.end()) {
            BOOST_TEST((number_at(record, "hit_rate") == right->second.hit_rate), name);
            BOOST_TEST((number_at(record, "hits") == right->second.hits), name);
            BOOST_TEST((number_at(record, "queries") == right->second.queries), name);
            BOOST_TEST(string_at(record, "status").value() == right->second.status, name);
        } else {
            for (const auto& member : theirs)
                BOOST_TEST(same(&member.value(), record.if_contains(member.key())),
                           name << " " << std::string(member.key()) << ": " << to_json(record));
        }
        const auto rate = number_at(record, "hit_rate");
        BOOST_TEST((!rate || (*rate >= 0 && *rate <= 1)), name);
        BOOST_TEST(rate.has_value() == (find(record, "reason") == nullptr), name);
        ++seen;
    }
    BOOST_TEST(seen == 27);
}

BOOST_AUTO_TEST_CASE(spec_vectors_are_equal_where_the_classic_tool_is_right)
{
    // Where the classic tool draws lots among tied counters, or takes a start time for a count.
    const std::map<std::string, std::pair<double, double>> differ{{"s2_created_missing_before", {50, 100}}};
    io::LineReader reader(classic + "spec_vectors.jsonl");
    int seen = 0;
    while (const auto line = reader.next()) {
        const auto vector = vector_of(std::string(*line));
        const auto& argv = *array_at(vector, "argv");
        const std::string before(argv[2].as_string());
        const auto diff = diff_files(classic + before, classic + std::string(argv[4].as_string()));
        const auto name = before.substr(5, before.find('.') - 5);
        BOOST_TEST_REQUIRE(diff.spec_decode.has_value(), name);
        const auto& spec = *diff.spec_decode;
        const auto& theirs = *object_at(vector, "stdout");
        if (const auto right = differ.find(name); right != differ.end()) {
            BOOST_TEST(spec.accepted_tokens.value() == right->second.first, name);
            BOOST_TEST(spec.draft_tokens.value() == right->second.second, name);
            BOOST_TEST(spec.acceptance_rate.value() == right->second.first / right->second.second, name);
        } else {
            BOOST_TEST((spec.acceptance_rate == number_at(theirs, "acceptance_rate")), name);
            BOOST_TEST((spec.accepted_tokens == number_at(theirs, "accepted_tokens")), name);
            BOOST_TEST((spec.draft_tokens == number_at(theirs, "draft_tokens")), name);
        }
        BOOST_TEST(spec.acceptance_rate.has_value() == spec.reason.empty(), name);
        BOOST_TEST(diff.reset_detected == (name == "s7_reset"), name);
        ++seen;
    }
    BOOST_TEST(seen == 6);
}

BOOST_AUTO_TEST_CASE(P01_rates_are_those_of_the_window_with_and_without_the_suffix)
{
    const auto folder = cases + "P01-rename-and-window/";
    BOOST_TEST(diff_files(folder + "before.prom", folder + "after.prom").total.hit_rate.value() == 0.75);
    BOOST_TEST(diff_files(folder + "before_unsuffixed.prom", folder + "after_unsuffixed.prom")
                   .total.hit_rate.value() == 0.75);
    // A server that was upgraded in between spells its counters otherwise: the same counters.
    BOOST_TEST(diff_files(folder + "before_unsuffixed.prom", folder + "after.prom").total.hit_rate.value() ==
               0.75);
}

BOOST_AUTO_TEST_CASE(P02_deprecated_twins_and_start_times_are_no_hits)
{
    const auto folder = cases + "P02-deprecated-and-created/";
    const auto diff = diff_files(folder + "before.prom", folder + "after.prom");
    BOOST_TEST(diff.total.hit_rate.value() == 0.5);
    BOOST_TEST(diff.total.hits.value() == 400);
    BOOST_TEST(diff.total.queries.value() == 800);
    BOOST_TEST(diff.total.hit_metric == "vllm:prefix_cache_hits_total");
    BOOST_TEST(diff.total.denom_metric == "vllm:prefix_cache_queries_total");
    BOOST_TEST(!diff.reset_detected);
}

BOOST_AUTO_TEST_CASE(P04_P05_P06_labels_timestamps_and_loose_syntax)
{
    BOOST_TEST(diff_files(cases + "P04-label-escapes/before.prom", cases + "P04-label-escapes/after.prom")
                   .total.hit_rate.value() == 0.25);
    const auto timed =
        diff_files(cases + "P05-sample-timestamps/before.prom", cases + "P05-sample-timestamps/after.prom");
    BOOST_TEST(timed.total.hit_rate.value() == 0.6);
    BOOST_TEST(timed.window_s.value() == 60);
    for (const std::string after : {"after.prom", "after_crlf.prom", "after_no_final_newline.prom"})
        BOOST_TEST(diff_files(cases + "P06-loose-syntax/before.prom", cases + "P06-loose-syntax/" + after)
                           .total.hit_rate.value() == 0.9,
                   after);
}

BOOST_AUTO_TEST_CASE(P07_exemplars_and_histograms)
{
    const auto folder = cases + "P07-openmetrics-exemplars/";
    for (const std::string after : {"after.prom", "after_hash.prom"}) {
        const auto diff = diff_files(folder + "before.prom", folder + after);
        BOOST_TEST(diff.total.hit_rate.value() == 0.7, after);
        BOOST_TEST_REQUIRE(diff.histograms.size() == 1U);
        const auto& ttft = diff.histograms.front();
        BOOST_TEST(ttft.name == "ttft");
        BOOST_TEST(ttft.count.value() == 8);
        BOOST_TEST(ttft.mean.value() == 0);
        // Rank 4 of the 5 in (0, 0.5], and beyond the last finite bound that bound.
        BOOST_TEST(ttft.quantiles[0].value() == 0.4);
        BOOST_TEST(ttft.quantiles[3].value() == 0.5);
    }
}

BOOST_AUTO_TEST_CASE(P09_many_engines_are_added_up_and_told_apart)
{
    const auto diff =
        diff_files(cases + "P09-many-engines/before.prom", cases + "P09-many-engines/after.prom");
    BOOST_TEST(diff.total.hit_rate.value() == 0.58);
    BOOST_TEST(diff.total.hits.value() == 3480);
    BOOST_TEST(
        (rates(diff.per_engine) == std::map<std::string, double>{{"0", 0.1}, {"1", 0.75}, {"2", 0.38}}));
}

BOOST_AUTO_TEST_CASE(P10_the_gauge_of_sglang_is_no_rate)
{
    const auto diff =
        diff_files(cases + "P10-sglang-gauge/before.prom", cases + "P10-sglang-gauge/after.prom");
    BOOST_TEST(diff.engine == "sglang");
    BOOST_TEST(diff.total.hit_rate.value() == 0.4);
    BOOST_TEST(diff.total.hits.value() == 400);
    BOOST_TEST((diff.total.by_source == record::NamedFigures{{"device", 0.3}, {"host", 0.1}}));
    BOOST_TEST_REQUIRE(diff.notes.size() == 1U);
    BOOST_TEST(mentions(diff.notes[0], "sglang:cache_hit_rate"));
    BOOST_TEST(mentions(diff.notes[0], "last batch only"));

    // Without the counters there is none at all, and the reason says so.
    const auto gauge = diff_texts("sglang:cache_hit_rate 0.5\n", "sglang:cache_hit_rate 0.9\n");
    BOOST_TEST((gauge.status == record::DiffStatus::no_prefix_metrics));
    BOOST_TEST(mentions(gauge.total.reason, "last batch only"));
}

BOOST_AUTO_TEST_CASE(P13_tokens_by_position_are_part_of_the_accepted_ones)
{
    const auto diff = diff_files(cases + "P13-spec-decode/before.prom", cases + "P13-spec-decode/after.prom");
    BOOST_TEST_REQUIRE(diff.spec_decode.has_value());
    const auto& spec = *diff.spec_decode;
    BOOST_TEST(spec.drafts.value() == 100);
    BOOST_TEST(spec.draft_tokens.value() == 300);
    BOOST_TEST(spec.accepted_tokens.value() == 180);
    BOOST_TEST(spec.acceptance_rate.value() == 0.6);
    BOOST_TEST(spec.mean_accepted_length.value() == 2.8);
    BOOST_TEST((spec.per_position == std::vector{0.9, 0.6, 0.3}));
}

BOOST_AUTO_TEST_CASE(L01_numbers_have_points)
{
    const auto folder = cases + "L01-decimal-comma-locale/";
    BOOST_TEST(diff_files(folder + "before.prom", folder + "after.prom").total.hit_rate.value() == 0.75);
}

BOOST_AUTO_TEST_CASE(layers_are_never_mixed)
{
    const std::string local = "vllm:prefix_cache_hits_total 10\nvllm:prefix_cache_queries_total 40\n";
    const std::string others =
        "vllm:external_prefix_cache_hits_total 5\nvllm:external_prefix_cache_queries_total 30\n"
        "vllm:mm_cache_hits_total 3\nvllm:mm_cache_queries_total 4\n";
    const auto diff = diff_texts("vllm:num_requests_running 0\n", local + others);
    BOOST_TEST(diff.total.hit_rate.value() == 0.25);
    BOOST_TEST((rates(diff.layers) == std::map<std::string, double>{
                                          {"local", 0.25}, {"external", 5.0 / 30}, {"multimodal", 0.75}}));

    const auto only = diff_texts("vllm:num_requests_running 0\n",
                                 "vllm:mm_cache_hits_total 3\nvllm:mm_cache_queries_total 4\n");
    BOOST_TEST(!only.total.hit_rate.has_value());
    BOOST_TEST(mentions(only.total.reason, "multimodal"));

    // SGLang's third tier lies behind a connector, too.
    const auto tiers =
        diff_texts("sglang:prompt_tokens_total 0\n",
                   "sglang:prompt_tokens_total 100\nsglang:cached_tokens_total{cache_source=\"device\"} 20\n"
                   "sglang:cached_tokens_total{cache_source=\"storage_file\"} 30\n");
    BOOST_TEST((rates(tiers.layers) == std::map<std::string, double>{{"local", 0.2}, {"external", 0.3}}));
}

BOOST_AUTO_TEST_CASE(a_restart_is_seen_though_the_counters_have_overtaken_themselves)
{
    const std::string before = "vllm:prefix_cache_hits_total 10\nvllm:prefix_cache_queries_total 40\n";
    const std::string after = "vllm:prefix_cache_hits_total 30\nvllm:prefix_cache_queries_total 90\n";
    BOOST_TEST(diff_texts(before, after).total.hit_rate.value() == 0.4);

    const auto expect_reset = [&](const std::string& more_before, const std::string& more_after, bool reset) {
        const auto diff = diff_texts(before + more_before, after + more_after);
        BOOST_TEST(diff.reset_detected == reset, more_after);
        BOOST_TEST(diff.total.hit_rate.has_value() != reset, more_after);
        BOOST_TEST(diff.total.reason.empty() != reset, more_after);
    };
    expect_reset("process_start_time_seconds 1.76e9\n", "process_start_time_seconds 1760000100\n", true);
    expect_reset("process_start_time_seconds 1.76e9\n", "process_start_time_seconds 1.76e9\n", false);
    expect_reset("vllm:prefix_cache_hits_created 1.76e9\n", "vllm:prefix_cache_hits_created 1760000100\n",
                 true);
    expect_reset("vllm:generation_tokens_total 500\n", "vllm:generation_tokens_total 499\n", true);
    expect_reset("vllm:num_requests_running 5\n", "vllm:num_requests_running 0\n", false);
    expect_reset("other_total 500\n", "other_total 499\n", false);
}

BOOST_AUTO_TEST_CASE(the_restart_of_one_engine_leaves_the_others_their_rates)
{
    const auto diff = diff_texts(
        "vllm:prefix_cache_hits_total{engine=\"0\"} 10\nvllm:prefix_cache_hits_total{engine=\"1\"} 10\n"
        "vllm:prefix_cache_queries_total{engine=\"0\"} 20\n"
        "vllm:prefix_cache_queries_total{engine=\"1\"} 20\n",
        "vllm:prefix_cache_hits_total{engine=\"0\"} 13\nvllm:prefix_cache_hits_total{engine=\"1\"} 1\n"
        "vllm:prefix_cache_queries_total{engine=\"0\"} 24\n"
        "vllm:prefix_cache_queries_total{engine=\"1\"} 2\n");
    BOOST_TEST(diff.reset_detected);
    BOOST_TEST(!diff.total.hit_rate.has_value());
    BOOST_TEST((rates(diff.per_engine) == std::map<std::string, double>{{"0", 0.75}, {"1", -1}}));
}

BOOST_AUTO_TEST_CASE(endpoints_in_one_file_are_told_apart)
{
    const auto file = [](int hits, int queries, const std::string& exporter_start) {
        std::string text;
        for (const std::string label : {"a", "b"})
            text += "# sloutils.snapshot/1 time=2026-05-18T04:00:00Z url=http://" + label +
                    "/metrics label=" + label + "\nvllm:prefix_cache_hits_total " +
                    std::to_string(hits * (label == "a" ? 1 : 2)) + "\nvllm:prefix_cache_queries_total " +
                    std::to_string(queries) + "\n";
        return text + "# sloutils.snapshot/1 label=gpu\nDCGM_FI_DEV_GPU_UTIL 3\nprocess_start_time_seconds " +
               exporter_start + "\n";
    };
    // The exporter's restart is none of the engines'.
    const auto diff = diff_texts(file(0, 0, "1.7e9"), file(10, 40, "1.8e9"));
    BOOST_TEST(diff.total.hit_rate.value() == 0.375);
    BOOST_TEST((rates(diff.per_engine) == std::map<std::string, double>{{"a", 0.25}, {"b", 0.5}}));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_compared_has_no_rate_but_a_reason)
{
    const std::string low = "vllm:prefix_cache_hits_total{model_name=\"m\"} "
                            "1\nvllm:prefix_cache_queries_total{model_name=\"m\"} 2\n";
    const std::string high = "vllm:prefix_cache_hits_total{model_name=\"m\"} "
                             "5\nvllm:prefix_cache_queries_total{model_name=\"m\"} 9\n";
    const auto header = [](const std::string& time, const std::string& url) {
        return "# sloutils.snapshot/1 time=2026-05-18T" + time + "Z url=" + url + "\n";
    };
    const auto expect_reason = [](const record::Diff& diff, std::string_view reason) {
        BOOST_TEST((diff.status == record::DiffStatus::ok));
        BOOST_TEST(!diff.total.hit_rate.has_value());
        BOOST_TEST(mentions(diff.total.reason, reason), diff.total.reason);
    };
    const auto good =
        diff_texts(header("04:00:00", "http://a") + low, header("04:00:30.5", "http://a") + high);
    BOOST_TEST(good.total.hit_rate.has_value());
    BOOST_TEST(good.window_s.value() == 30.5);
    const auto swapped =
        diff_texts(header("04:00:30", "http://a") + high, header("04:00:00", "http://a") + low);
    expect_reason(swapped, "wrong order");
    BOOST_TEST(!swapped.reset_detected);
    BOOST_TEST(!swapped.window_s.has_value());
    expect_reason(diff_texts(high, low), "wrong order");
    expect_reason(diff_texts(header("04:00:00", "http://a") + low, header("04:00:30", "http://b") + high),
                  "different servers");
    expect_reason(diff_texts("vllm:prefix_cache_hits_total{model_name=\"x\"} 1\n", high),
                  "different servers");
    expect_reason(diff_texts("sglang:num_running_reqs 1\n", high), "different engines");
    expect_reason(diff_texts(high, high), "identical");
    expect_reason(diff_texts("", high), "no metrics");
    expect_reason(diff_texts(high, ""), "missing in the second snapshot");
    // The first snapshot is cut off before the counters: they did not start at 0.
    expect_reason(diff_texts("a_total 1\nvllm:prefix_cache_hi", high), "cut off");
}

BOOST_AUTO_TEST_CASE(what_is_no_metrics_is_an_error)
{
    const std::string metrics = "vllm:prefix_cache_hits_total 5\nvllm:prefix_cache_queries_total 9\n";
    for (const std::string text :
         {"<!DOCTYPE html>\n<html><body>502 Bad Gateway</body></html>\n", "{\"error\":\"no\"}\n",
          "\x1f\x8b\x08 gzip", "no metrics at all, but prose\n"}) {
        const auto diff = diff_texts(metrics, text);
        BOOST_TEST((diff.status == record::DiffStatus::error), text);
        BOOST_TEST(mentions(diff.error, "after: "), diff.error);
        BOOST_TEST(mentions(diff_texts(text, metrics).error, "before: "));
        BOOST_TEST((string_at(record::to_record(diff), "status") == "ERROR"));
    }
    const auto empty = diff_texts("", "");
    BOOST_TEST((empty.status == record::DiffStatus::no_prefix_metrics));
    BOOST_TEST(!empty.total.reason.empty());
}

BOOST_AUTO_TEST_CASE(malformed_lines_are_counted)
{
    const auto diff = diff_texts("a_prefix_hits 1\na_prefix_queries 2\nbroken line here\n",
                                 "a_prefix_hits 2\na_prefix_queries 4\n");
    BOOST_TEST(diff.total.hit_rate.value() == 0.5);
    BOOST_TEST_REQUIRE(!diff.notes.empty());
    BOOST_TEST(mentions(diff.notes[0], "malformed lines: 1, the first at line 3"), diff.notes[0]);
}

BOOST_AUTO_TEST_CASE(metrics_can_be_named_by_hand)
{
    const std::string before = "x_found_total 1\nx_asked 2\n";
    const std::string after = "x_found_total 4\nx_asked 8\n";
    BOOST_TEST((diff_texts(before, after).status == record::DiffStatus::no_prefix_metrics));
    const auto diff = diff_texts(before, after, {"x_found", "x_asked"});
    BOOST_TEST(diff.total.hit_rate.value() == 0.5);
    BOOST_TEST(diff.total.hit_metric == "x_found_total");
    const auto wrong = diff_texts(before, after, {"x_found", "x_lost"});
    BOOST_TEST((wrong.status == record::DiffStatus::no_prefix_metrics));
    BOOST_TEST(mentions(wrong.total.reason, "x_lost"));
}

BOOST_AUTO_TEST_CASE(n_and_the_block_size_explain_two_thirds)
{
    const std::string before = "vllm:prefix_cache_hits_total 0\nvllm:prefix_cache_queries_total 0\n";
    const std::string after = "vllm:prefix_cache_hits_total 664\nvllm:prefix_cache_queries_total 1000\n";
    const auto guess = diff_texts(before, after);
    BOOST_TEST_REQUIRE(guess.notes.size() == 1U);
    BOOST_TEST(mentions(guess.notes[0], "n = 3"));

    const std::string known = "vllm:request_params_n_count 10\nvllm:request_params_n_sum 30\n"
                              "vllm:cache_config_info{block_size=\"16\"} 1\nvllm:prompt_tokens_total 24000\n"
                              "vllm:request_success_total{finished_reason=\"stop\"} 30\n";
    const auto told = diff_texts(before, after + known);
    BOOST_TEST(told.mean_choices_n.value() == 3);
    BOOST_TEST(told.block_tokens.value() == 16);
    BOOST_TEST_REQUIRE(told.notes.size() == 1U);
    // (2/3) (1 - 8.5 / 800)
    BOOST_TEST(mentions(told.notes[0], "about 0.6596"), told.notes[0]);
    BOOST_TEST(mentions(told.notes[0], "a block holds 16 tokens"));

    // SGLang looks each prompt up n + 1 times.
    const auto sglang = diff_texts("sglang:prompt_tokens_total 0\nsglang:cached_tokens_total 0\n",
                                   "sglang:prompt_tokens_total 1000\nsglang:cached_tokens_total 745\n");
    BOOST_TEST_REQUIRE(sglang.notes.size() == 1U);
    BOOST_TEST(mentions(sglang.notes[0], "n/(n+1) = 0.7500"), sglang.notes[0]);

    // With n = 1 the same rate has another cause.
    const auto other =
        diff_texts(before, after + "vllm:request_params_n_count 10\nvllm:request_params_n_sum 10\n");
    BOOST_TEST(other.notes.empty());
}

BOOST_AUTO_TEST_CASE(llama_cpp_counts_prompts_without_what_it_found)
{
    const auto diff =
        diff_files("tests/data/captures/03_metrics_before.txt", "tests/data/captures/60_metrics_after.txt");
    BOOST_TEST(diff.engine == "llamacpp");
    BOOST_TEST(diff.total.hits.value() == 641);
    BOOST_TEST(diff.total.queries.value() == 753);
    BOOST_TEST(!diff.total.denom_is_total);
    BOOST_TEST(diff.counter("prompt_tokens").value() == 753);
    BOOST_TEST(diff.counter("generation_tokens").value() == 737);
    BOOST_TEST(
        (diff.gauges == record::NamedFigures{{"kv_cache_usage", {}}, {"running", 0.0}, {"waiting", 0.0}}));
}

BOOST_AUTO_TEST_CASE(other_engines)
{
    const auto trtllm =
        diff_texts("trtllm_kv_cache_reused_blocks_total 0\ntrtllm_kv_cache_missed_blocks_total 0\n",
                   "trtllm_kv_cache_reused_blocks_total 3\ntrtllm_kv_cache_missed_blocks_total 9\n"
                   "trtllm_kv_cache_tokens_per_block 32\ntrtllm_kv_cache_utilization 0.5\n"
                   "trtllm_request_success_total{finished_reason=\"length\"} 4\n");
    BOOST_TEST(trtllm.total.hit_rate.value() == 0.25);
    BOOST_TEST(trtllm.block_tokens.value() == 32);
    BOOST_TEST((trtllm.success == record::NamedFigures{{"length", 4.0}}));
    const auto lmdeploy =
        diff_texts("lmdeploy_prefix_cache_hits_total 0\n",
                   "lmdeploy_prefix_cache_hits_total 3\nlmdeploy_prefix_cache_queries_total 4\n");
    BOOST_TEST(lmdeploy.engine == "lmdeploy");
    BOOST_TEST(lmdeploy.total.hit_rate.value() == 0.75);
    const auto tgi =
        diff_texts("tgi_request_success 1\ntgi_queue_size 3\n",
                   "tgi_request_success 4\ntgi_queue_size 2\ntgi_request_generated_tokens_sum 90\n"
                   "tgi_request_duration_bucket{le=\"1\"} 3\ntgi_request_duration_bucket{le=\"+Inf\"} 3\n");
    BOOST_TEST((tgi.status == record::DiffStatus::no_prefix_metrics));
    BOOST_TEST((tgi.success == record::NamedFigures{{"ended", 3.0}}));
    BOOST_TEST(tgi.counter("generation_tokens").value() == 90);
    BOOST_TEST_REQUIRE(tgi.histograms.size() == 1U);
    BOOST_TEST(tgi.histograms[0].quantiles[0].value() == 0.5);
    const auto old = diff_texts(
        "vllm:gpu_prefix_cache_hit_rate 0.1\nvllm:num_requests_swapped 0\n",
        "vllm:gpu_prefix_cache_hit_rate 0.4\nvllm:num_requests_swapped 0\nvllm:gpu_cache_usage_perc 0.2\n");
    BOOST_TEST(old.engine == "vllm-0.6");
    BOOST_TEST(mentions(old.total.reason, "vllm:gpu_prefix_cache_hit_rate"));
    BOOST_TEST(old.gauges[0].second.value() == 0.2);
}
