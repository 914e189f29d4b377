// SPDX-License-Identifier: MIT
// Two snapshots side by side: how series are paired, and metrics found under any of their spellings.

#include <slo/plan/metrics_window.hpp>

#define BOOST_TEST_MODULE plan_metrics_window
#include <boost/test/unit_test.hpp>

#include <slo/plan/engine_dialect.hpp>
#include <slo/plan/engine_dialects.hpp>

#include <string>
#include <vector>

using namespace slo;
using namespace slo::plan;

BOOST_AUTO_TEST_CASE(series_are_paired_by_their_labels)
{
    const auto before = record::parse_snapshot("m{e=\"0\"} 1\nm{e=\"2\"} 5\n", "before");
    const auto after = record::parse_snapshot("m{e=\"1\"} 7\nm{e=\"0\"} 4\n", "after");
    const auto family = MetricsWindow(before, after).find("m");
    BOOST_TEST(family.name == "m");
    BOOST_TEST_REQUIRE(family.changes.size() == 3U);
    BOOST_TEST(family.changes[0].difference() == 3);
    BOOST_TEST(!family.changes[0].fell());
    BOOST_TEST((!family.changes[1].before && family.changes[1].difference() == 7)); // new: from 0
    BOOST_TEST((!family.changes[2].after && family.changes[2].difference() == -5)); // vanished
    BOOST_TEST(family.changes[2].fell());
    BOOST_TEST(family.has_before());
}

BOOST_AUTO_TEST_CASE(a_metric_is_found_under_any_spelling)
{
    const auto found = [](const std::string& before, const std::string& after) {
        const auto first = record::parse_snapshot(before, "");
        const auto second = record::parse_snapshot(after, "");
        const auto family = MetricsWindow(first, second).find("vllm:tokens");
        return family.name + " " +
               std::to_string(family.changes.empty() ? -1 : static_cast<int>(family.changes[0].difference()));
    };
    BOOST_TEST(found("vllm:tokens_total 1\n", "vllm:tokens_total 3\n") == "vllm:tokens_total 2");
    BOOST_TEST(found("vllm:tokens 1\n", "vllm:tokens_total 3\n") == "vllm:tokens_total 2");
    BOOST_TEST(found("vllm_tokens 1\n", "vllm_tokens 3\n") == "vllm_tokens 2");
    BOOST_TEST(found("", "ray_vllm_tokens_total 3\n") == "ray_vllm_tokens_total 3");
    BOOST_TEST(found("vllm:tokens 1\n", "") == "vllm:tokens -1");
    BOOST_TEST(found("vllm:token 1\n", "vllm:tokens_too 3\n") == " -1");
    // Both spellings at once: never the sum.
    BOOST_TEST(found("vllm:tokens 1\nvllm:tokens_total 1\n", "vllm:tokens 3\nvllm:tokens_total 3\n") ==
               "vllm:tokens_total 2");
}

BOOST_AUTO_TEST_CASE(rules_choose_series)
{
    const auto before = record::parse_snapshot("", "");
    const auto after = record::parse_snapshot("m{s=\"storage_a\"} 1\nm{s=\"device\"} 2\nm 4\n", "");
    const MetricsWindow window(before, after);
    const auto sum = [&](const SeriesRule& rule) {
        double total = 0;
        for (const auto& change : window.find("m", rule).changes)
            total += change.difference();
        return total;
    };
    BOOST_TEST(sum({}) == 7);
    BOOST_TEST(sum({"s", "storage", true}) == 1);
    BOOST_TEST(sum({"s", "storage", false}) == 6);
    BOOST_TEST(window.find_first("x|m|n").changes.size() == 3U);
    BOOST_TEST(window.find_first("x|y").empty());
}

BOOST_AUTO_TEST_CASE(names_come_apart)
{
    BOOST_TEST((split_names("a|b", '|') == std::vector<std::string_view>{"a", "b"}));
    BOOST_TEST((split_names("a", '+') == std::vector<std::string_view>{"a"}));
    BOOST_TEST(split_names("", '|').empty());
}

BOOST_AUTO_TEST_CASE(engines_are_known_by_their_names)
{
    const auto engine = [](const std::string& text) {
        return std::string(dialect_of(record::parse_snapshot(text, "")).name);
    };
    BOOST_TEST(engine("vllm:num_requests_running 1\n") == "vllm");
    BOOST_TEST(engine("vllm:num_requests_running 1\nvllm:num_requests_swapped 0\n") == "vllm-0.6");
    BOOST_TEST(engine("ray_vllm_num_requests_running 1\n") == "vllm");
    BOOST_TEST(engine("sglang:num_running_reqs 1\n") == "sglang");
    BOOST_TEST(engine("trtllm_num_requests_running 1\n") == "trtllm");
    BOOST_TEST(engine("nv_trt_llm_request_metrics{request_type=\"active\"} 1\n") == "triton-trtllm");
    BOOST_TEST(engine("lmdeploy_num_requests_running 1\n") == "lmdeploy");
    BOOST_TEST(engine("llamacpp:requests_processing 1\n") == "llamacpp");
    BOOST_TEST(engine("tgi_queue_size 1\n") == "tgi");
    BOOST_TEST(engine("process_start_time_seconds 1\n") == "unknown");
    BOOST_TEST(engine("") == "unknown");
}

BOOST_AUTO_TEST_CASE(every_row_of_the_table_stays_within_its_mark)
{
    for (const auto& dialect : engine_dialects) {
        const auto check = [&](std::string_view names) {
            for (const auto name : split_names(names, '|'))
                BOOST_TEST((name.starts_with(dialect.mark) || name.starts_with("nv_inference")), name);
        };
        for (const auto& cache : dialect.caches) {
            check(cache.hits);
            BOOST_TEST((cache.queries.empty() != cache.misses.empty()), cache.hits);
            check(cache.queries);
            check(cache.misses);
        }
        for (const auto rows : {dialect.histograms, dialect.gauges, dialect.counters}) {
            for (const auto& row : rows)
                check(row.names);
        }
        BOOST_TEST(dialect.rate_gauges.empty() == dialect.rate_gauges_are.empty());
        check(dialect.rate_gauges);
    }
}
