// SPDX-License-Identifier: MIT
#include <slo/engine/metric_row.hpp>
#include <slo/engine/metrics_dialect.hpp>
#include <slo/engine/metrics_tables.hpp>
#define BOOST_TEST_MODULE engine_metrics_dialect
#include <boost/test/unit_test.hpp>

#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace slo::engine;

namespace {

bool has(const std::string& text, const std::string& line)
{
    return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

// One request with n = 2 and a prompt of 40 tokens, as each engine shows it.
struct Fixture {
    Fixture()
    {
        const std::vector<Token> tokens(40, 7);
        const auto prompt = std::make_shared<Prompt>(tokens);
        for (std::uint64_t tag = 0; tag < 2; ++tag)
            scheduler.add({prompt, {3, FinishReason::length}, tag, tag}, 0);
        double now_s = 0;
        while (const auto start_s = scheduler.next_start_s(now_s)) {
            const auto& step = scheduler.step(*start_s);
            now_s = step.end_s;
            metrics.record_step(step);
            for (const auto& event : step.events) {
                metrics.record_token(event, now_s);
                if (event.finished)
                    metrics.record_finish(event, now_s, event.reason);
            }
        }
        metrics.record_abort();
        metrics.record_request({2, 1, 40, 32, FinishReason::length});
    }
    std::string text(std::string_view dialect, const std::vector<std::string>& hidden = {}) const
    {
        return render_metrics(*find_dialect(dialect), {metrics, scheduler}, "a\"b", 1700000000.25, hidden);
    }

    Scheduler scheduler{{0.1, 0, 0, 0}, {4, 100, 16, 256, true}};
    Metrics metrics;
};

} // namespace

BOOST_FIXTURE_TEST_CASE(vllm_counts_choices_and_tells_the_block_size, Fixture)
{
    const auto shown = text("vllm");
    const std::string labels = R"({engine="0",model_name="a\"b"})";
    const auto open = labels.substr(0, labels.size() - 1);
    BOOST_TEST(has(shown, "vllm:prefix_cache_queries_total" + labels + " 80.0"));
    BOOST_TEST(has(shown, "vllm:prefix_cache_hits_total" + labels + " 32.0"));
    BOOST_TEST(has(shown, "vllm:prefix_cache_hits_created" + labels + " 1700000000.25"));
    BOOST_TEST(has(shown, "vllm:external_prefix_cache_hits_total" + labels + " 0.0"));
    BOOST_TEST(has(shown, "vllm:prompt_tokens_total" + labels + " 80.0"));
    BOOST_TEST(has(shown, "vllm:prompt_tokens_by_source_total" + open + ",source=\"local_compute\"} 48.0"));
    BOOST_TEST(has(shown, "vllm:generation_tokens_total" + labels + " 6.0"));
    BOOST_TEST(has(shown, "vllm:request_success_total" + open + ",finished_reason=\"length\"} 2.0"));
    BOOST_TEST(has(shown, "vllm:request_success_total" + open + ",finished_reason=\"abort\"} 1.0"));
    BOOST_TEST(has(shown, "vllm:request_params_n_sum" + labels + " 2.0"));
    BOOST_TEST(has(shown, "vllm:request_params_n_count" + labels + " 1.0"));
    BOOST_TEST(has(shown, "vllm:time_to_first_token_seconds_bucket" + open + ",le=\"0.1\"} 2.0"));
    BOOST_TEST(
        has(shown, "vllm:cache_config_info" + open +
                       ",block_size=\"16\",enable_prefix_caching=\"True\",num_gpu_blocks=\"16\"} 1.0"));
    BOOST_TEST(has(shown, "# TYPE vllm:e2e_request_latency_seconds histogram"));
    BOOST_TEST(has(shown, "process_start_time_seconds 1700000000.25"));
}

BOOST_FIXTURE_TEST_CASE(an_old_vllm_has_a_gauge_only, Fixture)
{
    const auto shown = text("vllm-0.6");
    BOOST_TEST(has(shown, "vllm:gpu_prefix_cache_hit_rate{model_name=\"a\\\"b\"} 0.3333333333333333"));
    BOOST_TEST(has(shown, "# TYPE vllm:gpu_prefix_cache_hit_rate gauge"));
    BOOST_TEST(shown.find("prefix_cache_hits") == std::string::npos);
    BOOST_TEST(shown.find("_created") == std::string::npos);
}

// The request that fills the cache comes on top, with a prompt of its own.
BOOST_FIXTURE_TEST_CASE(sglang_counts_a_warm_up_too, Fixture)
{
    const auto shown = text("sglang");
    const std::string open = R"({engine_type="unified",model_name="a\"b",pp_rank="0",tp_rank="0")";
    BOOST_TEST(has(shown, "sglang:num_requests_total" + open + "} 3.0"));
    BOOST_TEST(has(shown, "sglang:prompt_tokens_total" + open + "} 120.0"));
    BOOST_TEST(has(shown, "sglang:cached_tokens_total" + open + ",cache_source=\"device\"} 64.0"));
    BOOST_TEST(has(shown, "sglang:generation_tokens_total" + open + "} 6.0"));
    BOOST_TEST(has(shown, "sglang:num_aborted_requests_total" + open + "} 1.0"));
    BOOST_TEST(has(shown, "# TYPE sglang:cache_hit_rate gauge"));
    BOOST_TEST(shown.find("process_start_time") == std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(tensorrt_llm_counts_requests_and_blocks, Fixture)
{
    const auto shown = text("trtllm");
    const std::string open = R"({engine_type="undefined",model_name="a\"b")";
    BOOST_TEST(has(shown, "trtllm_request_success_total" + open + ",finished_reason=\"length\"} 1.0"));
    BOOST_TEST(has(shown, "trtllm_prompt_tokens_total" + open + "} 40.0"));
    BOOST_TEST(has(shown, "trtllm_kv_cache_reused_blocks_total" + open + "} 2.0"));
    BOOST_TEST(has(shown, "trtllm_kv_cache_missed_blocks_total" + open + "} 4.0"));
    BOOST_TEST(has(shown, "trtllm_kv_cache_tokens_per_block" + open + "} 16.0"));
}

BOOST_FIXTURE_TEST_CASE(lmdeploy_names_its_kinds_of_responses, Fixture)
{
    const auto shown = text("lmdeploy");
    const std::string open = R"({engine="0",model_name="a\"b")";
    BOOST_TEST(has(shown, "lmdeploy:request_success_total" + open +
                              ",finished_reason=\"ResponseType.FINISH\"} 2.0"));
    BOOST_TEST(has(shown, "# TYPE lmdeploy:num_requests_succeeded gauge"));
    BOOST_TEST(has(shown, "lmdeploy:prefix_cache_hit_rate" + open + "} 0.4"));
}

BOOST_FIXTURE_TEST_CASE(llama_cpp_leaves_cached_tokens_out_of_prompt_tokens, Fixture)
{
    const auto shown = text("llamacpp");
    BOOST_TEST(has(shown, "llamacpp:prompt_tokens_total 48"));
    BOOST_TEST(has(shown, "llamacpp:prompt_tokens_cached_total 32"));
    BOOST_TEST(has(shown, "llamacpp:tokens_predicted_total 6"));
    BOOST_TEST(has(shown, "llamacpp:n_tokens_max 43"));
}

BOOST_FIXTURE_TEST_CASE(tgi_has_tokens_in_histograms_only, Fixture)
{
    const auto shown = text("tgi");
    BOOST_TEST(has(shown, "tgi_request_success 1"));
    BOOST_TEST(has(shown, "tgi_request_input_length_sum 40"));
    BOOST_TEST(has(shown, "tgi_request_generated_tokens_sum 6"));
    BOOST_TEST(shown.find("prefix") == std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(no_dialect_names_a_family_twice_and_hidden_ones_are_gone, Fixture)
{
    for (const auto& dialect : metrics_dialects) {
        std::set<std::string> families;
        const auto shown = text(dialect.name);
        for (std::size_t at = 0; (at = shown.find("# TYPE ", at)) != std::string::npos; ++at)
            BOOST_TEST(families.insert(shown.substr(at + 7, shown.find(' ', at + 7) - at - 7)).second,
                       dialect.name);
        BOOST_TEST(families.size() > 10u);
        BOOST_TEST(text(dialect.name, {"*"}).empty());
    }
    BOOST_TEST(text("vllm", {"vllm:prefix_cache"}).find("\nvllm:prefix_cache") == std::string::npos);
    BOOST_TEST(text("vllm", {"vllm:prefix_cache"}).find("\nvllm:external_prefix") != std::string::npos);
    BOOST_TEST(text("vllm", {"process"}).find("process_start") == std::string::npos);
    BOOST_TEST(!find_dialect("triton"));
}
