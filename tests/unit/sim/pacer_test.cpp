// SPDX-License-Identifier: MIT
#include <slo/sim/pacer.hpp>
#define BOOST_TEST_MODULE sim_pacer
#include <boost/test/unit_test.hpp>

#include <slo/engine/named_profile.hpp>

#include <memory>
#include <vector>

using namespace slo;
using namespace slo::sim;

namespace {

struct Recorder : TokenListener {
    bool on_token(const engine::TokenEvent& event) override
    {
        events.push_back(event);
        seen_s.push_back(pacer->now_s());
        if (event.tag == busy_tag) // A moment in which the server has no time: three steps long.
            while (pacer->now_s() < seen_s.back() + 0.015)
                continue;
        return event.tag == stop_tag && event.output_tokens == 2;
    }
    void on_step_end() override { ++steps; }

    Pacer* pacer = nullptr;
    std::vector<engine::TokenEvent> events;
    std::vector<double> seen_s;
    int steps = 0;
    std::uint64_t busy_tag = 0;
    std::uint64_t stop_tag = 0;
};

struct Fixture {
    Fixture()
    {
        profile.step = {5e-3, 0, 0, 0};
        pacer = std::make_unique<Pacer>(context, profile, recorder);
        recorder.pacer = pacer.get();
    }
    engine::SequenceId add(std::uint64_t tag, std::int64_t tokens)
    {
        const std::vector<engine::Token> prompt(4, 1);
        return pacer->add(
            {std::make_shared<engine::Prompt>(prompt), {tokens, engine::FinishReason::length}, tag, tag}, 0);
    }

    boost::asio::io_context context;
    engine::Profile profile = *engine::named_profile("small");
    Recorder recorder;
    std::unique_ptr<Pacer> pacer;
};

} // namespace

BOOST_FIXTURE_TEST_CASE(tokens_never_come_before_their_time_and_lateness_does_not_add_up, Fixture)
{
    recorder.busy_tag = 1;
    add(1, 1);
    add(2, 21);
    pacer->run();
    pacer->run();
    context.run();
    BOOST_REQUIRE(recorder.events.size() == 22u);
    BOOST_TEST(recorder.steps == 21);
    const double first_s = 5e-3;
    for (std::size_t i = 2; i < 22; ++i) {
        const auto due_s = first_s + 5e-3 * static_cast<double>(i - 1);
        BOOST_TEST(recorder.seen_s[i] >= due_s);
        // In virtual time each step follows the last one without a gap, whatever the clock did.
        BOOST_TEST(recorder.events[i].previous_token_s == due_s - 5e-3, boost::test_tools::tolerance(1e-9));
    }
}

BOOST_FIXTURE_TEST_CASE(a_stop_and_an_abort_end_sequences_and_are_counted, Fixture)
{
    recorder.stop_tag = 1;
    add(1, 50);
    const auto given_up = add(2, 50);
    pacer->run();
    pacer->abort(given_up);
    pacer->abort(given_up);
    context.run();
    BOOST_TEST(recorder.events.back().output_tokens == 2);
    BOOST_TEST(pacer->scheduler().running() == 0);
    const auto counted = [&](engine::FinishReason reason) {
        return pacer->metrics().finished[static_cast<std::size_t>(reason)];
    };
    BOOST_TEST(counted(engine::FinishReason::stop) == 1);
    BOOST_TEST(counted(engine::FinishReason::abort) == 1);
    BOOST_TEST(counted(engine::FinishReason::length) == 0);
    pacer->restart_metrics();
    BOOST_TEST(counted(engine::FinishReason::stop) == 0);
}
