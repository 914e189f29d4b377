// SPDX-License-Identifier: MIT
#include <slo/artifact/server_side.hpp>

#define BOOST_TEST_MODULE artifact_server_side
#include <boost/test/unit_test.hpp>

#include <slo/artifact/artifact.hpp>
#include <slo/io/jsonl.hpp>

#include <map>
#include <sstream>

using namespace slo;

namespace {

json::object object_of(std::string_view text)
{
    return parse_json(text).get_object();
}

json::object sample(int second, std::string_view values)
{
    return object_of(R"({"schema":"sloutils.snapshot/1","time":"2026-01-01T00:00:0)" +
                     std::to_string(second) + R"(Z","values":)" + std::string(values) + "}");
}

constexpr double new_year_s = 1767225600; // 2026-01-01T00:00:00Z

} // namespace

BOOST_AUTO_TEST_CASE(histograms_become_blocks_in_milliseconds)
{
    const auto block = artifact::server_block(
        object_of(
            R"({"schema":"sloutils.diff/1","status":"OK","engine":"vllm","window_s":8.5,"reset_detected":false,
            "histograms":{"ttft":{"mean":0.5,"p50":0.25,"p90":null,"p95":1.0,"p99":2.0}},
            "counters":{"preemptions":3,"success":{"stop":5}}})"),
        "d.json");
    BOOST_TEST(to_json(*find(block, "ttft_ms")) ==
               R"({"mean":500.0,"p50":250.0,"p90":null,"p95":1000.0,"p99":2000.0})");
    BOOST_TEST(to_json(*find(block, "queue_ms")) == to_json(artifact::unknown_latency()));
    BOOST_TEST(number_at(block, "preemptions").value() == 3.0);
    BOOST_TEST(find(block, "generation_tokens")->is_null());
    const auto refusal = [](std::string_view text) {
        try {
            artifact::server_block(object_of(text), "d.json");
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    BOOST_TEST(refusal(R"({"schema":"sloutils.diff/2"})") ==
               "d.json: is no sloutils.diff/1 record of prom-diff");
    BOOST_TEST(refusal(R"({"schema":"sloutils.diff/1","status":"ERROR","error":"no page"})") ==
               "d.json: is a diff that failed: no page");
}

BOOST_AUTO_TEST_CASE(speculation_is_told_where_there_was_some)
{
    BOOST_TEST(!artifact::speculative_block(object_of(R"({"spec_decode":null})")));
    const auto block = artifact::speculative_block(object_of(
        R"({"spec_decode":{"acceptance_rate":0.7,"draft_tokens":100,"accepted_tokens":70,"mean_accepted_length":2.4}})"));
    BOOST_TEST(
        to_json(*block) ==
        R"({"acceptance_rate":0.7,"tokens_per_step":2.4,"draft_tokens":100.0,"accepted_tokens":70.0})");
}

// 9.12: percent is percent, and a mean over the run, not a point.
BOOST_AUTO_TEST_CASE(gauges_are_those_within_the_run)
{
    artifact::GaugeSamples samples;
    for (int second = 0; second < 6; ++second)
        samples.take(sample(second, R"({"vllm:kv_cache_usage_perc":0.)" + std::to_string(second) +
                                        R"(,"vllm:num_requests_running{engine=\"0\"}":2,)" +
                                        R"("vllm:num_requests_running{engine=\"1\"}":1})"));
    samples.take(sample(7, R"({"other":1})"));
    BOOST_TEST(samples.without_gauges() == 1U);
    json::object cache, scheduler;
    BOOST_TEST(samples.add_to(cache, scheduler, new_year_s + 1, new_year_s + 3));
    BOOST_TEST(number_at(cache, "kv_utilization_pct_mean").value() == 20.0,
               boost::test_tools::tolerance(1e-9));
    BOOST_TEST(number_at(cache, "kv_utilization_pct_max").value() == 30.0,
               boost::test_tools::tolerance(1e-9));
    BOOST_TEST(array_at(cache, "kv_utilization_timeseries")->size() == 3U);
    BOOST_TEST(number_at(scheduler, "running_mean").value() == 3.0);
    BOOST_TEST(!find(scheduler, "waiting_mean"));
    BOOST_TEST(!samples.add_to(cache, scheduler, new_year_s + 100, new_year_s + 200));
    BOOST_CHECK_THROW(samples.take(object_of(R"({"schema":"sloutils.round/1"})")), InputError);
}

// 9.16: the classic sampler drops label sets, matches by prefix and knows old names only.
BOOST_AUTO_TEST_CASE(vectors_of_the_classic_sampler_differ_where_it_was_wrong)
{
    struct Page {
        std::string classic;
        const char* gauge;
        std::optional<double> ours;
    };
    const std::map<std::string, Page> pages{
        // Both engines count, not the last one.
        {"prom_text/last-series-wins", {R"({"running_requests":4.0})", "running_mean", 7}},
        // '}' in a label is no end.
        {"prom_text/brace-in-label", {"{}", "running_mean", 3}},
        // No metric is taken for another whose name begins alike.
        {"prom_text/prefix-match-ambiguity",
         {R"({"gpu_cache_blocks_used":7.0,"gpu_cache_blocks_total":7.0})", "running_mean", std::nullopt}},
        {"prom_text/current-vllm-names-missed", {"{}", "kv_utilization_pct_mean", 50}}};
    io::LineReader lines("tests/data/benchmark/prom_text.jsonl");
    std::size_t seen = 0;
    while (const auto vector = io::next_object(lines)) {
        ++seen;
        const std::string id(*string_at(*vector, "id"));
        const auto& page = pages.at(id);
        json::object values;
        std::istringstream text{std::string(*string_at(*object_at(*vector, "input"), "text"))};
        for (std::string line; std::getline(text, line);)
            values[line.substr(0, line.rfind(' '))] = *parse_double(line.substr(line.rfind(' ') + 1));
        artifact::GaugeSamples samples;
        samples.take(sample(1, to_json(values)));
        json::object blocks;
        samples.add_to(blocks, blocks, new_year_s, new_year_s + 9);
        BOOST_TEST(to_json(or_null(number_at(blocks, page.gauge))) == to_json(or_null(page.ours)), id);
        BOOST_TEST(to_json(*value_at(*vector, "expected.normalized")) == page.classic, id);
    }
    BOOST_TEST(seen == pages.size());
}
