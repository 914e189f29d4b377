// SPDX-License-Identifier: MIT
#include <slo/engine/scheduler.hpp>
#define BOOST_TEST_MODULE engine_scheduler
#include <boost/test/unit_test.hpp>

#include <slo/engine/sequence.hpp>

#include <map>
#include <memory>
#include <vector>

using namespace slo;
using namespace slo::engine;

namespace {

constexpr StepModel model{0.010, 0.001, 0.0001, 0};

std::shared_ptr<const Prompt> prompt(std::size_t tokens, Token first)
{
    std::vector<Token> list;
    for (std::size_t i = 0; i < tokens; ++i)
        list.push_back(first * 100000 + static_cast<Token>(i));
    return std::make_shared<Prompt>(list);
}

SchedulerLimits limits(std::int64_t seqs, std::int64_t batched, std::int64_t blocks)
{
    return {seqs, batched, blocks, std::min<std::int64_t>(4096, blocks * block_tokens), true};
}

// Runs until nothing is left and returns, by tag, all events.
std::map<std::uint64_t, std::vector<TokenEvent>> drain(Scheduler& scheduler, double now_s = 0,
                                                       std::int64_t* preemptions = nullptr)
{
    std::map<std::uint64_t, std::vector<TokenEvent>> events;
    for (int steps = 0; const auto start_s = scheduler.next_start_s(now_s); ++steps) {
        BOOST_REQUIRE(steps < 100000);
        const auto& step = scheduler.step(*start_s);
        now_s = step.end_s;
        for (const auto& event : step.events)
            events[event.tag].push_back(event);
        if (preemptions)
            *preemptions += step.preemptions;
    }
    return events;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_step_takes_what_the_model_says)
{
    Scheduler scheduler(model, limits(8, 100, 64));
    scheduler.add({prompt(50, 1), {3, FinishReason::stop}, 1, 7}, 1.0);
    BOOST_TEST(*scheduler.next_start_s(0) == 1.0);
    const auto& prefill = scheduler.step(1.0);
    BOOST_TEST(prefill.load.prefill_tokens == 50);
    BOOST_TEST(prefill.load.decoding_sequences == 0);
    BOOST_TEST(prefill.end_s == 1.0 + 0.010 + 50 * 0.0001, boost::test_tools::tolerance(1e-12));
    BOOST_REQUIRE(prefill.events.size() == 1u);
    BOOST_TEST(prefill.events[0].output_tokens == 1);
    const auto first_s = prefill.end_s;
    const auto& decode = scheduler.step(first_s);
    BOOST_TEST(decode.load.prefill_tokens == 0);
    BOOST_TEST(decode.load.decoding_sequences == 1);
    BOOST_TEST(decode.load.context_tokens == 51);
    BOOST_TEST(decode.end_s == first_s + 0.011, boost::test_tools::tolerance(1e-12));
    const auto& last = scheduler.step(decode.end_s);
    BOOST_TEST(last.events[0].finished);
    BOOST_TEST((last.events[0].reason == FinishReason::stop));
    BOOST_TEST(last.events[0].first_token_s == first_s);
    BOOST_TEST(!scheduler.next_start_s(9).has_value());
    BOOST_TEST(scheduler.cache().free() == 64);
}

BOOST_AUTO_TEST_CASE(a_long_prompt_comes_in_chunks_and_stalls_the_others)
{
    Scheduler scheduler(model, limits(8, 100, 256));
    scheduler.add({prompt(10, 1), {50, {}}, 1, 1}, 0);
    const auto end_s = scheduler.step(0).end_s;
    scheduler.add({prompt(250, 2), {2, {}}, 2, 2}, end_s);
    const auto& mixed = scheduler.step(end_s);
    // One token for the running sequence, the rest of the budget for the prompt.
    BOOST_TEST(mixed.load.decoding_sequences == 1);
    BOOST_TEST(mixed.load.prefill_tokens == 99);
    BOOST_TEST(mixed.events.size() == 1u);
    BOOST_TEST(mixed.end_s - mixed.start_s == 0.010 + 0.001 + 99 * 0.0001,
               boost::test_tools::tolerance(1e-9));
    const auto second_s = mixed.end_s;
    BOOST_TEST(scheduler.step(second_s).load.prefill_tokens == 99);
    const auto third_s = second_s + 0.02;
    const auto& last_chunk = scheduler.step(third_s);
    BOOST_TEST(last_chunk.load.prefill_tokens == 52);
    BOOST_TEST(last_chunk.events.size() == 2u);
}

BOOST_AUTO_TEST_CASE(first_come_first_served_under_max_num_seqs)
{
    Scheduler scheduler(model, limits(2, 1000, 256));
    for (std::uint64_t tag = 1; tag <= 6; ++tag)
        scheduler.add({prompt(16, static_cast<Token>(tag)), {4, {}}, tag, tag}, 0);
    BOOST_TEST(scheduler.step(0).load.prefill_tokens == 32);
    BOOST_TEST(scheduler.running() == 2);
    BOOST_TEST(scheduler.waiting() == 4);
    auto events = drain(scheduler, 1);
    for (std::uint64_t tag = 2; tag <= 6; ++tag)
        BOOST_TEST(events[tag - 1].front().scheduled_s <= events[tag].front().scheduled_s);
    BOOST_TEST(events[5].front().scheduled_s > events[3].front().scheduled_s);
}

BOOST_AUTO_TEST_CASE(a_sequence_takes_part_only_in_steps_that_start_after_it_arrived)
{
    Scheduler scheduler(model, limits(8, 1000, 256));
    scheduler.add({prompt(16, 1), {9, {}}, 1, 1}, 0);
    scheduler.add({prompt(16, 2), {9, {}}, 2, 2}, 0.005);
    BOOST_TEST(scheduler.step(0).load.prefill_tokens == 16);
    BOOST_TEST(scheduler.step(0.0116).load.prefill_tokens == 16);
}

BOOST_AUTO_TEST_CASE(a_shared_prefix_is_computed_once_and_hits_are_exact)
{
    Scheduler scheduler(model, limits(8, 1000, 256));
    // 40 tokens are two full blocks and a half; 32 tokens are two full blocks, of which the second must be
    // computed anew.
    scheduler.add({prompt(40, 1), {2, {}}, 1, 1}, 0);
    drain(scheduler);
    scheduler.add({prompt(40, 1), {2, {}}, 2, 2}, 1);
    const auto& half = scheduler.step(1);
    BOOST_TEST(half.prefix_queries == 40);
    BOOST_TEST(half.prefix_hits == 32);
    BOOST_TEST(half.load.prefill_tokens == 8);
    BOOST_TEST(half.events[0].cached_tokens == 32);
    drain(scheduler, 2);
    scheduler.add({prompt(32, 1), {2, {}}, 3, 3}, 3);
    const auto& full = scheduler.step(3);
    BOOST_TEST(full.prefix_queries == 32);
    BOOST_TEST(full.prefix_hits == 16);
    drain(scheduler, 4);
    scheduler.add({prompt(40, 2), {2, {}}, 4, 4}, 5);
    BOOST_TEST(scheduler.step(5).prefix_hits == 0);
}

BOOST_AUTO_TEST_CASE(three_branches_of_one_prompt_hit_it_twice)
{
    Scheduler scheduler(model, limits(8, 1000, 256));
    const auto shared = prompt(160, 1);
    for (std::uint64_t choice = 0; choice < 3; ++choice)
        scheduler.add({shared, {4, {}}, choice, choice}, 0);
    const auto& step = scheduler.step(0);
    BOOST_TEST(step.prefix_queries == 480);
    // Two of three, less the block whose last token each must compute.
    BOOST_TEST(step.prefix_hits == 2 * 144);
    BOOST_TEST(step.load.prefill_tokens == 160 + 2 * 16);
    // Nine shared blocks, and each branch's own tenth.
    BOOST_TEST(scheduler.cache().total() - scheduler.cache().free() == 9 + 3);
    drain(scheduler, 1);
    BOOST_TEST(scheduler.cache().free() == scheduler.cache().total());
}

BOOST_AUTO_TEST_CASE(an_answer_that_comes_back_as_a_prompt_is_found_in_the_cache)
{
    Scheduler scheduler(model, limits(8, 1000, 256));
    std::vector<Token> tokens;
    append_message(tokens, "user",
                   "tell me of the river and the stone and of the light in the house by the sea");
    append_answer_marker(tokens);
    scheduler.add({std::make_shared<Prompt>(tokens), {60, {}}, 5, 1}, 0);
    drain(scheduler);
    for (std::int64_t i = 0; i < 60; ++i)
        tokens.push_back(answer_token(answer_word(5, i)));
    tokens.push_back(token_of("<|end|>"));
    append_message(tokens, "user", "and then?");
    scheduler.add({std::make_shared<Prompt>(tokens), {1, {}}, 6, 2}, 9);
    const auto prompt_and_answer = static_cast<std::int64_t>(tokens.size()) - 8;
    BOOST_TEST(scheduler.step(9).prefix_hits >= (prompt_and_answer / block_tokens - 1) * block_tokens);
}

BOOST_AUTO_TEST_CASE(preemption_loses_no_token_and_strikes_the_last_to_arrive)
{
    // Ten blocks; four sequences that want four each.
    Scheduler scheduler(model, {8, 1000, 10, 160, true});
    for (std::uint64_t tag = 1; tag <= 4; ++tag)
        scheduler.add({prompt(16, static_cast<Token>(tag)), {48, FinishReason::length}, tag, tag}, 0);
    std::int64_t preemptions = 0;
    auto events = drain(scheduler, 0, &preemptions);
    BOOST_TEST(preemptions > 0);
    for (std::uint64_t tag = 1; tag <= 4; ++tag) {
        BOOST_REQUIRE(events[tag].size() == 48u);
        for (std::size_t i = 0; i < 48; ++i) {
            BOOST_TEST(events[tag][i].output_tokens == static_cast<std::int64_t>(i) + 1);
            BOOST_TEST(events[tag][i].word == answer_word(tag, static_cast<std::int64_t>(i)));
        }
        BOOST_TEST(events[tag].back().finished);
    }
    // The first is never struck: its tokens come without a gap longer than a full step.
    for (std::size_t i = 1; i < 48; ++i)
        BOOST_TEST(events[1][i].previous_token_s - events[1][i - 1].previous_token_s < 0.03);
    BOOST_TEST(scheduler.cache().free() == 10);
    const auto ended = [&](std::uint64_t tag) { return events[tag].back().previous_token_s; };
    BOOST_TEST(ended(1) < ended(4));
}

BOOST_AUTO_TEST_CASE(aborts_give_all_blocks_back_and_stale_names_do_nothing)
{
    Scheduler scheduler(model, limits(2, 64, 32));
    std::vector<SequenceId> ids;
    const auto shared = prompt(100, 1);
    for (std::uint64_t tag = 0; tag < 5; ++tag)
        ids.push_back(scheduler.add({shared, {50, {}}, tag, tag}, 0));
    double now_s = 0;
    for (int i = 0; i < 4; ++i)
        now_s = scheduler.step(now_s).end_s;
    BOOST_TEST(scheduler.cache().free() < 32);
    for (const auto id : ids)
        BOOST_TEST(scheduler.abort(id));
    BOOST_TEST(scheduler.cache().free() == 32);
    BOOST_TEST(scheduler.running() == 0);
    BOOST_TEST(scheduler.waiting() == 0);
    for (const auto id : ids)
        BOOST_TEST(!scheduler.abort(id));
    const auto reused = scheduler.add({shared, {1, {}}, 9, 9}, now_s);
    BOOST_TEST(!scheduler.abort(ids[reused.slot]));
    BOOST_TEST(drain(scheduler, now_s)[9].size() == 1u);
    BOOST_TEST(!scheduler.abort({77, 0}));
}

BOOST_AUTO_TEST_CASE(random_loads_under_block_pressure_conserve_blocks_and_tokens)
{
    Random random(3);
    Scheduler scheduler(model, {6, 64, 40, 400, true});
    std::map<std::uint64_t, std::int64_t> wanted;
    std::vector<SequenceId> ids;
    double now_s = 0;
    std::map<std::uint64_t, std::int64_t> got;
    const auto run_step = [&] {
        const auto start_s = scheduler.next_start_s(now_s);
        if (!start_s)
            return;
        const auto& step = scheduler.step(*start_s);
        now_s = step.end_s;
        BOOST_TEST(step.load.prefill_tokens + step.load.decoding_sequences <= 64);
        for (const auto& event : step.events)
            BOOST_TEST(++got[event.tag] == event.output_tokens);
    };
    for (std::uint64_t tag = 1; tag <= 300; ++tag) {
        const auto length = 1 + static_cast<std::size_t>(random.uniform() * 200);
        const auto output = 1 + static_cast<std::int64_t>(random.uniform() * 150);
        ids.push_back(
            scheduler.add({prompt(length, static_cast<Token>(tag % 7)), {output, {}}, tag, tag}, now_s));
        wanted[tag] = output;
        if (tag % 5 == 0 &&
            scheduler.abort(
                ids[static_cast<std::size_t>(random.uniform() * static_cast<double>(ids.size()))]))
            wanted[tag] = output;
        for (int i = 0; i < 12; ++i)
            run_step();
    }
    for (int i = 0; scheduler.next_start_s(now_s) && i < 200000; ++i)
        run_step();
    BOOST_TEST(scheduler.running() + scheduler.waiting() == 0);
    BOOST_TEST(scheduler.cache().free() == 40);
    std::int64_t whole = 0;
    for (const auto& [tag, tokens] : wanted) {
        BOOST_TEST(got[tag] <= tokens);
        whole += got[tag] == tokens;
    }
    BOOST_TEST(whole > 230);
}

BOOST_AUTO_TEST_CASE(what_can_never_fit_is_refused_at_once)
{
    Scheduler scheduler(model, {4, 64, 10, 160, true});
    BOOST_CHECK_THROW(scheduler.add({prompt(150, 1), {11, {}}, 1, 1}, 0), Error);
    BOOST_CHECK_THROW(scheduler.add({prompt(10, 1), {0, {}}, 1, 1}, 0), Error);
    scheduler.add({prompt(150, 1), {10, {}}, 1, 1}, 0);
    BOOST_TEST(drain(scheduler)[1].size() == 10u);
    BOOST_CHECK_THROW(Scheduler(model, {4, 64, 10, 161, true}), UsageError);
    BOOST_CHECK_THROW(Scheduler(model, {65, 64, 10, 160, true}), UsageError);
    BOOST_CHECK_THROW(Scheduler(model, {0, 64, 10, 160, true}), UsageError);
}
