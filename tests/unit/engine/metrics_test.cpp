// SPDX-License-Identifier: MIT
#include <slo/engine/metrics.hpp>
#define BOOST_TEST_MODULE engine_metrics
#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace slo::engine;

namespace {

bool has(const std::string& text, const std::string& line)
{
    return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_bound_belongs_to_its_bucket)
{
    static constexpr std::array bounds{1.0, 2.0};
    Histogram histogram(bounds);
    for (const double value : {0.5, 1.0, 1.5, 2.5})
        histogram.observe(value);
    std::string text;
    histogram.render(text, "h", "a=\"b\"");
    BOOST_TEST(text == "h_bucket{a=\"b\",le=\"1.0\"} 2.0\nh_bucket{a=\"b\",le=\"2.0\"} 3.0\n"
                       "h_bucket{a=\"b\",le=\"+Inf\"} 4.0\nh_count{a=\"b\"} 4.0\nh_sum{a=\"b\"} 5.5\n");
}

BOOST_AUTO_TEST_CASE(a_run_is_counted_under_vllm_names)
{
    Scheduler scheduler({0.1, 0, 0, 0}, {4, 100, 16, 256, true});
    const std::vector<Token> tokens(32, 7);
    const auto prompt = std::make_shared<Prompt>(tokens);
    for (std::uint64_t tag = 0; tag < 2; ++tag)
        scheduler.add({prompt, {3, FinishReason::length}, tag, tag}, 0);
    Metrics metrics;
    double now_s = 0;
    while (const auto start_s = scheduler.next_start_s(now_s)) {
        const auto& step = scheduler.step(*start_s);
        now_s = step.end_s;
        metrics.record_step(step);
        for (const auto& event : step.events) {
            metrics.record_token(event, now_s);
            if (event.finished)
                metrics.record_finish(event, now_s, event.tag == 0 ? event.reason : FinishReason::stop);
        }
    }
    metrics.record_abort();
    const auto text = metrics.render(scheduler, "a\"b\\c\nd");
    const std::string labels = R"({engine="0",model_name="a\"b\\c\nd"})";
    const std::string open = labels.substr(0, labels.size() - 1);
    BOOST_TEST(has(text, "vllm:prefix_cache_queries_total" + labels + " 64.0"));
    BOOST_TEST(has(text, "vllm:prefix_cache_hits_total" + labels + " 16.0"));
    BOOST_TEST(has(text, "vllm:prompt_tokens_total" + labels + " 64.0"));
    BOOST_TEST(has(text, "vllm:generation_tokens_total" + labels + " 6.0"));
    BOOST_TEST(has(text, "vllm:num_preemptions_total" + labels + " 0.0"));
    BOOST_TEST(has(text, "vllm:request_success_total" + open + ",finished_reason=\"length\"} 1.0"));
    BOOST_TEST(has(text, "vllm:request_success_total" + open + ",finished_reason=\"stop\"} 1.0"));
    BOOST_TEST(has(text, "vllm:request_success_total" + open + ",finished_reason=\"abort\"} 1.0"));
    BOOST_TEST(has(text, "vllm:time_to_first_token_seconds_bucket" + open + ",le=\"0.1\"} 2.0"));
    BOOST_TEST(has(text, "vllm:time_to_first_token_seconds_bucket" + open + ",le=\"0.08\"} 0.0"));
    BOOST_TEST(has(text, "vllm:inter_token_latency_seconds_count" + labels + " 4.0"));
    BOOST_TEST(has(text, "vllm:e2e_request_latency_seconds_count" + labels + " 2.0"));
    BOOST_TEST(has(text, "vllm:iteration_tokens_total_count" + labels + " 3.0"));
    BOOST_TEST(has(text, "vllm:kv_cache_usage_perc" + labels + " 0.0"));
    BOOST_TEST(has(text, "# TYPE vllm:e2e_request_latency_seconds histogram"));
}
