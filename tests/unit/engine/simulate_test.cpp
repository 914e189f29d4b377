// SPDX-License-Identifier: MIT
#include <slo/engine/simulate.hpp>
#define BOOST_TEST_MODULE engine_simulate
#include <boost/test/unit_test.hpp>

#include <slo/engine/named_profile.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace slo;
using namespace slo::engine;

namespace {

std::vector<WorkRequest> workload(std::size_t rows, std::size_t prompt_tokens, std::int64_t max_tokens,
                                  int choices = 1)
{
    std::vector<WorkRequest> list(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        std::vector<Token> tokens;
        for (std::size_t t = 0; t < prompt_tokens; ++t)
            tokens.push_back(static_cast<Token>(i * 10000 + t));
        list[i].prompt = std::make_shared<Prompt>(tokens);
        list[i].limits.max_tokens = max_tokens;
        list[i].choices = choices;
    }
    return list;
}

std::vector<Outcome> simulate(const std::vector<WorkRequest>& rows, const SimulationOptions& options,
                              const Profile& profile = *named_profile("small"))
{
    std::vector<Outcome> outcomes;
    Simulation(profile, rows, options).run([&](const Outcome& outcome) { outcomes.push_back(outcome); });
    std::sort(outcomes.begin(), outcomes.end(),
              [](const auto& a, const auto& b) { return a.serial < b.serial; });
    return outcomes;
}

double median_e2e(double qps)
{
    SimulationOptions options;
    options.arrival.qps = qps;
    options.max_requests = 3000;
    auto outcomes = simulate(workload(50, 100, 32), options);
    std::vector<double> latencies;
    for (std::size_t i = 1000; i < 2500; ++i)
        latencies.push_back(outcomes[i].end_s - outcomes[i].due_s);
    std::sort(latencies.begin(), latencies.end());
    return latencies[latencies.size() / 2];
}

} // namespace

BOOST_AUTO_TEST_CASE(a_schedule_is_sent_as_it_is)
{
    SimulationOptions options;
    options.arrival.qps = 1e6;
    options.schedule = stats::Schedule::make({stats::Process::gamma, 20, 1, 0.3, 5, 1}, 10, 2);
    const auto outcomes = simulate(workload(3, 16, 4), options);
    BOOST_REQUIRE_EQUAL(outcomes.size(), options.schedule->size());
    for (std::size_t i = 0; i < outcomes.size(); ++i)
        BOOST_REQUIRE_EQUAL(outcomes[i].due_s, options.schedule->due_s(i));
}

BOOST_AUTO_TEST_CASE(an_idle_engine_takes_prefill_and_one_step_a_token)
{
    SimulationOptions options;
    options.arrival.qps = 0.01;
    options.max_requests = 1;
    options.keep_gaps = true;
    const auto outcomes = simulate(workload(1, 100, 5), options);
    BOOST_REQUIRE(outcomes.size() == 1u);
    BOOST_TEST(outcomes[0].due_s == 0.0);
    BOOST_TEST(outcomes[0].first_token_s == 0.006 + 100 * 0.03e-3, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(outcomes[0].end_s - outcomes[0].first_token_s == 4 * 0.0064,
               boost::test_tools::tolerance(1e-9));
    BOOST_TEST(outcomes[0].gaps_s.size() == 4u);
    BOOST_TEST(outcomes[0].output_tokens() == 5);
}

BOOST_AUTO_TEST_CASE(latency_has_a_knee)
{
    const double idle = median_e2e(1), moderate = median_e2e(30), busy = median_e2e(55),
                 over = median_e2e(120);
    BOOST_TEST(idle < 0.25);
    BOOST_TEST(moderate > 1.3 * idle);
    BOOST_TEST(busy > 1.5 * moderate);
    BOOST_TEST(busy < 8 * idle);
    BOOST_TEST(over > 3.0);
}

BOOST_AUTO_TEST_CASE(the_same_seed_gives_the_same_run_and_another_seed_another)
{
    SimulationOptions options;
    options.arrival.qps = 20;
    options.max_requests = 300;
    options.arrival.process = stats::Process::poisson;
    const auto rows = workload(10, 200, 300);
    const auto chat = *named_profile("chat");
    const auto first = simulate(rows, options, chat), second = simulate(rows, options, chat);
    options.seed = 2;
    const auto third = simulate(rows, options, chat);
    bool differs = false;
    for (std::size_t i = 0; i < first.size(); ++i) {
        BOOST_TEST(first[i].end_s == second[i].end_s);
        BOOST_TEST(first[i].output_tokens() == second[i].output_tokens());
        differs = differs || first[i].end_s != third[i].end_s;
    }
    BOOST_TEST(differs);
}

BOOST_AUTO_TEST_CASE(all_requests_end_and_choices_are_told_apart)
{
    SimulationOptions options;
    options.arrival.qps = 30;
    options.duration_s = 10;
    const auto outcomes = simulate(workload(7, 64, 9, 3), options);
    // The one due at 10 s exactly is not sent.
    BOOST_REQUIRE(outcomes.size() == 300u);
    for (const auto& outcome : outcomes) {
        BOOST_TEST(outcome.choices.size() == 3u);
        BOOST_TEST(outcome.output_tokens() == 27);
        BOOST_TEST(outcome.row == outcome.serial % 7);
        BOOST_TEST(outcome.first_token_s > outcome.due_s);
    }
    BOOST_TEST(outcomes[0].cached_tokens == 0);
    BOOST_TEST(outcomes[7].cached_tokens == 48);
}

BOOST_AUTO_TEST_CASE(a_conversation_waits_for_itself_within_a_pass)
{
    auto rows = workload(3, 16, 40);
    rows[0].conversation = rows[1].conversation = "a";
    SimulationOptions options;
    options.arrival.qps = 100;
    options.max_requests = 6;
    const auto outcomes = simulate(rows, options);
    BOOST_TEST(outcomes[0].sent_s == outcomes[0].due_s);
    BOOST_TEST(outcomes[1].sent_s == outcomes[0].end_s);
    BOOST_TEST(outcomes[1].due_s == 0.01);
    BOOST_TEST(outcomes[2].sent_s == outcomes[2].due_s);
    // The next pass is another conversation.
    BOOST_TEST(outcomes[3].sent_s == outcomes[3].due_s);
    BOOST_TEST(outcomes[4].sent_s == outcomes[3].end_s);
}

BOOST_AUTO_TEST_CASE(a_long_conversation_that_piles_up_keeps_its_order)
{
    auto rows = workload(20000, 1, 1);
    for (auto& row : rows)
        row.conversation = "a";
    SimulationOptions options;
    options.arrival.qps = 1e6;
    options.max_requests = rows.size();
    const auto outcomes = simulate(rows, options);
    BOOST_REQUIRE(outcomes.size() == rows.size());
    for (std::size_t i = 1; i < outcomes.size(); ++i)
        BOOST_REQUIRE(outcomes[i].sent_s == std::max(outcomes[i - 1].end_s, outcomes[i].due_s));
}

BOOST_AUTO_TEST_CASE(a_workload_that_cannot_be_run_is_refused)
{
    BOOST_CHECK_THROW(simulate({}, {}), Error);
    BOOST_CHECK_THROW(simulate(workload(1, 9000, 1), {}), Error);
}

BOOST_AUTO_TEST_CASE(a_full_engine_refuses_at_once)
{
    auto profile = *named_profile("small");
    profile.fail_above_running = 2;
    SimulationOptions options;
    options.arrival.qps = 100;
    options.max_requests = 100;
    const auto outcomes = simulate(workload(1, 16, 40), options, profile);
    BOOST_REQUIRE(outcomes.size() == 100U);
    std::vector<double> ends;
    int refused = 0;
    for (const auto& outcome : outcomes) {
        const auto busy =
            std::count_if(ends.begin(), ends.end(), [&](double end) { return end > outcome.due_s; });
        BOOST_TEST(outcome.refused == (busy >= 2));
        refused += outcome.refused;
        if (outcome.refused) {
            BOOST_TEST(outcome.end_s == outcome.due_s);
            BOOST_TEST(outcome.choices.empty());
        } else {
            ends.push_back(outcome.end_s);
        }
    }
    BOOST_TEST(refused > 50);
    BOOST_TEST(refused < 100);
}

BOOST_AUTO_TEST_CASE(a_refused_conversation_goes_on)
{
    auto rows = workload(4, 16, 40);
    for (auto& row : rows)
        row.conversation = "a";
    auto profile = *named_profile("small");
    profile.fail_above_running = 0;
    SimulationOptions options;
    options.arrival.qps = 1000;
    options.max_requests = 8;
    const auto none = simulate(rows, options, profile);
    BOOST_REQUIRE(none.size() == 8U);
    for (const auto& outcome : none)
        BOOST_TEST(outcome.refused);
    // The other conversation fills the engine when the second of the first could go.
    rows[3].conversation = "b";
    profile.fail_above_running = 1;
    options.max_requests = 4;
    const auto some = simulate(rows, options, profile);
    BOOST_REQUIRE(some.size() == 4U);
    BOOST_TEST(!some[0].refused);
    BOOST_TEST(!some[1].refused);
    BOOST_TEST(some[1].sent_s == some[0].end_s);
    BOOST_TEST(some[3].refused);
}
