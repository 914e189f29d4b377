// SPDX-License-Identifier: MIT
#include <slo/engine/metrics.hpp>
#define BOOST_TEST_MODULE engine_metrics
#include <boost/test/unit_test.hpp>

#include <slo/engine/scheduler.hpp>

#include <cstdint>
#include <memory>
#include <vector>

using namespace slo::engine;

namespace {

// Prompts of so many tokens, n sequences each, one prompt after the other, in virtual time.
Metrics run(std::int64_t prompts, std::int64_t tokens, std::uint64_t n)
{
    Scheduler scheduler({0.1, 0, 0, 0}, {16, 2048, 8192, 8192, true});
    Metrics metrics;
    double now_s = 0;
    for (std::int64_t i = 0; i < prompts; ++i) {
        const std::vector<Token> content(static_cast<std::size_t>(tokens), static_cast<Token>(i + 1));
        const auto prompt = std::make_shared<Prompt>(content);
        for (std::uint64_t choice = 0; choice < n; ++choice)
            scheduler.add({prompt, {3, FinishReason::length}, choice, choice}, now_s);
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
    }
    return metrics;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_run_is_counted)
{
    const auto metrics = run(1, 32, 2);
    BOOST_TEST(metrics.prefix_queries == 64);
    BOOST_TEST(metrics.prefix_hits == 16);
    BOOST_TEST(metrics.prompt_tokens == 64);
    BOOST_TEST(metrics.cached_tokens == 16);
    BOOST_TEST(metrics.finished_cached_tokens == 16);
    BOOST_TEST(metrics.reused_blocks == 1);
    BOOST_TEST(metrics.missed_blocks == 3);
    BOOST_TEST(metrics.generation_tokens == 6);
    BOOST_TEST(metrics.longest_tokens == 35);
    BOOST_TEST(metrics.steps == 3);
    BOOST_TEST(metrics.preemptions == 0);
    BOOST_TEST(metrics.finished[static_cast<std::size_t>(FinishReason::length)] == 1);
    BOOST_TEST(metrics.finished[static_cast<std::size_t>(FinishReason::stop)] == 1);
    BOOST_TEST(metrics.first_token.count() == 2);
    BOOST_TEST(metrics.token_gap.count() == 4);
    BOOST_TEST(metrics.latency.sum() == 0.6, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(metrics.step_tokens.count() == 3);
}

// Two of three branches find the prompt in the cache, all but the block that holds its last token: of 3740
// tokens, 233 blocks of 16.
BOOST_AUTO_TEST_CASE(three_choices_of_one_prompt_hit_two_thirds_less_the_tails_of_blocks)
{
    const auto metrics = run(20, 3740, 3);
    BOOST_TEST(metrics.prefix_queries == 20 * 3 * 3740);
    BOOST_TEST(metrics.prefix_hits == 20 * 2 * 3728);
    const double rate =
        static_cast<double>(metrics.prefix_hits) / static_cast<double>(metrics.prefix_queries);
    BOOST_TEST(rate > 0.664);
    BOOST_TEST(rate < 0.6646);
}

BOOST_AUTO_TEST_CASE(a_request_with_several_choices_is_one_request_and_one_warm_up_a_prompt)
{
    Metrics metrics;
    metrics.record_request({3, 2, 100, 96, FinishReason::stop});
    metrics.record_request({1, 1, 50, 48, FinishReason::length});
    metrics.record_request({3, 1, 70, 64, FinishReason::abort});
    BOOST_TEST(metrics.requests[static_cast<std::size_t>(FinishReason::stop)] == 1);
    BOOST_TEST(metrics.requests[static_cast<std::size_t>(FinishReason::length)] == 1);
    BOOST_TEST(metrics.requests[static_cast<std::size_t>(FinishReason::abort)] == 1);
    BOOST_TEST(metrics.request_prompt_tokens == 150);
    BOOST_TEST(metrics.request_choices.sum() == 4);
    BOOST_TEST(metrics.warm_ups == 2);
    BOOST_TEST(metrics.warm_up_tokens == 100);
    BOOST_TEST(metrics.warm_up_cached_tokens == 96);
}
