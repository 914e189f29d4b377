// SPDX-License-Identifier: MIT
// Unit test of plan/certain_verdict.hpp: looks, tiers, spoilt and unsteady rounds, and the rule of MLPerf.

#include <slo/plan/certain_verdict.hpp>

#define BOOST_TEST_MODULE plan_certain_verdict
#include <boost/test/unit_test.hpp>

#include "../../support/printed_status.hpp"

#include <slo/base/random.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace tt = boost::test_tools;
using namespace slo::plan;
using slo::record::VerdictStatus;

namespace {

using Rounds = std::vector<CertainRound>;

CertainOptions options_of(const std::vector<std::string>& objectives, std::vector<std::size_t> looks = {})
{
    CertainOptions options;
    for (const auto& text : objectives)
        options.objectives.push_back(slo::stats::parse_objective(text));
    options.looks = std::move(looks);
    return options;
}

/// Rounds of which these shares missed each of the objectives; `wobble` is added and taken by turns.
Rounds rounds_of(std::size_t count, const std::vector<double>& shares, double wobble = 0.02,
                 double requests = 200)
{
    Rounds rounds;
    for (std::size_t i = 0; i < count; ++i) {
        CertainRound round;
        round.requests = requests;
        for (const double share : shares) {
            ObjectiveRound objective;
            objective.requests = requests;
            objective.missed_least = objective.missed_most =
                std::round(requests * std::clamp(share + (i % 2 == 0 ? wobble : -wobble), 0.0, 1.0));
            round.objectives.push_back(objective);
        }
        round.level = std::log(1 + (i % 3 == 0 ? 0.02 : -0.01));
        rounds.push_back(round);
    }
    return rounds;
}

bool has_note(const slo::record::Verdict& verdict, const std::string& part)
{
    for (const auto& note : verdict.notes)
        if (note.find(part) != std::string::npos)
            return true;
    return false;
}

VerdictStatus status_of(const CertainOptions& options, const Rounds& rounds)
{
    return CertainJudge(options).judge(rounds, true).value().status;
}

void level_by(Rounds& rounds, double factor)
{
    double level = 0;
    for (auto& round : rounds)
        round.level = level += std::log(factor);
}

} // namespace

BOOST_AUTO_TEST_CASE(an_objective_is_needed)
{
    BOOST_CHECK_THROW(CertainJudge(CertainOptions{}), slo::UsageError);
}

BOOST_AUTO_TEST_CASE(pass_fail_and_neither)
{
    const auto options = options_of({"e2e:p50<1"});
    const auto pass = CertainJudge(options).judge(rounds_of(12, {0.2}), true).value();
    BOOST_TEST(pass.status == VerdictStatus::pass);
    BOOST_TEST(pass.rounds_seen == 12);
    BOOST_TEST(pass.rounds_required == 12);
    BOOST_REQUIRE(pass.certainty.has_value());
    BOOST_TEST(pass.certainty->warm_up_rounds >= 1);
    BOOST_TEST(pass.certainty->stationary);
    BOOST_TEST(pass.certainty->level == 0.95);
    BOOST_TEST(pass.certainty->error_per_look == 0.05, tt::tolerance(1e-12));
    BOOST_REQUIRE(pass.objectives.size() == 1);
    BOOST_TEST(pass.objectives[0].objective == "e2e:p50<1");
    BOOST_TEST(pass.objectives[0].attainment.value() == 0.8, tt::tolerance(0.01));
    BOOST_TEST(pass.objectives[0].attainment_low > 0.5);
    BOOST_TEST(pass.objectives[0].attainment_high < 0.9);
    BOOST_TEST(pass.objectives[0].margin < 0);
    BOOST_TEST(status_of(options, rounds_of(12, {0.8})) == VerdictStatus::fail);
    BOOST_TEST(status_of(options, rounds_of(12, {0.5})) == VerdictStatus::inconclusive);
}

BOOST_AUTO_TEST_CASE(without_looks_it_waits_for_the_end)
{
    const CertainJudge judge(options_of({"e2e:p50<1"}));
    BOOST_TEST(!judge.judge(rounds_of(12, {0.2}), false).has_value());
    BOOST_TEST(judge.judge(rounds_of(12, {0.2}), true).has_value());
}

BOOST_AUTO_TEST_CASE(too_few_rounds)
{
    for (const std::size_t count : {0, 1, 2}) {
        const auto verdict =
            CertainJudge(options_of({"e2e:p50<1"})).judge(rounds_of(count, {0.1}), true).value();
        BOOST_TEST((verdict.status == VerdictStatus::inconclusive ||
                    verdict.status == VerdictStatus::not_enough_rounds ||
                    (count == 2 && verdict.status == VerdictStatus::pass)));
        BOOST_TEST(verdict.rounds_seen == static_cast<std::int64_t>(count));
        if (count < 2) {
            BOOST_TEST(verdict.status == VerdictStatus::not_enough_rounds);
            BOOST_TEST(!verdict.notes.empty());
        }
    }
}

BOOST_AUTO_TEST_CASE(rounds_without_requests_decide_nothing)
{
    const auto verdict = CertainJudge(options_of({"e2e:p99<1", "success>=99%"}))
                             .judge(rounds_of(12, {0, 0}, 0, 0), true)
                             .value();
    BOOST_TEST(verdict.status == VerdictStatus::inconclusive);
    BOOST_TEST(!verdict.success_rate_min.has_value());
    BOOST_TEST(!verdict.objectives.at(0).attainment.has_value());
}

BOOST_AUTO_TEST_CASE(it_stops_at_the_first_look_that_decides)
{
    const CertainJudge judge(options_of({"e2e:p50<1"}, {8, 14, 20}));
    BOOST_TEST(!judge.judge(rounds_of(7, {0.1}), false).has_value());
    const auto early = judge.judge(rounds_of(30, {0.1}), false).value();
    BOOST_TEST(early.status == VerdictStatus::pass);
    BOOST_TEST(early.rounds_seen == 8);
    BOOST_TEST(early.certainty->look == 1);
    BOOST_TEST(early.rounds_required == 20);
    BOOST_TEST((early.certainty->looks == std::vector<std::int64_t>{8, 14, 20}));
    BOOST_TEST(early.certainty->spending == "pocock");
    BOOST_TEST(early.certainty->error_per_look < 0.05);
}

BOOST_AUTO_TEST_CASE(looks_that_do_not_decide)
{
    const CertainJudge judge(options_of({"e2e:p50<1"}, {8, 14, 20}));
    const auto open = rounds_of(25, {0.5});
    BOOST_TEST(!judge.judge(std::span(open).first(8), false).has_value());
    BOOST_TEST(!judge.judge(std::span(open).first(19), false).has_value());
    const auto last = judge.judge(open, false).value();
    BOOST_TEST(last.status == VerdictStatus::inconclusive);
    BOOST_TEST(last.rounds_seen == 20);
    BOOST_TEST(last.certainty->look == 3);
    // The run ended between looks.
    const auto cut = judge.judge(std::span(open).first(17), true).value();
    BOOST_TEST(cut.status == VerdictStatus::inconclusive);
    BOOST_TEST(cut.rounds_seen == 14);
    BOOST_TEST(has_note(cut, "before the last look at 20"));
}

BOOST_AUTO_TEST_CASE(looks_longer_than_the_rounds)
{
    const CertainJudge judge(options_of({"e2e:p50<1"}, {8, 14, 20}));
    const auto verdict = judge.judge(rounds_of(5, {0.1}), true).value();
    BOOST_TEST(verdict.status == VerdictStatus::not_enough_rounds);
    BOOST_TEST(verdict.rounds_seen == 5);
    BOOST_TEST(verdict.rounds_required == 20);
    BOOST_TEST(has_note(verdict, "first look at 8"));
}

BOOST_AUTO_TEST_CASE(a_first_look_without_any_error_to_spend)
{
    auto options = options_of({"e2e:p50<1", "ttft:p99<1"}, {2, 400});
    options.spending = slo::stats::Spending::obrien_fleming;
    options.confidence = 0.9999;
    BOOST_TEST(!CertainJudge(options).judge(rounds_of(10, {0, 0}), false).has_value());
}

BOOST_AUTO_TEST_CASE(all_tiers_must_hold)
{
    const auto options = options_of({"e2e:p50<1", "ttft:p50<0.3"});
    BOOST_TEST(status_of(options, rounds_of(12, {0.1, 0.2})) == VerdictStatus::pass);
    const auto open = CertainJudge(options).judge(rounds_of(12, {0.1, 0.5}), true).value();
    BOOST_TEST(open.status == VerdictStatus::inconclusive);
    BOOST_TEST(open.objectives[0].status == VerdictStatus::pass);
    BOOST_TEST(open.objectives[1].status == VerdictStatus::inconclusive);
    // One fails for sure, whatever the other does.
    for (const double other : {0.1, 0.5, 0.9})
        BOOST_TEST(status_of(options, rounds_of(12, {other, 0.8})) == VerdictStatus::fail);
}

BOOST_AUTO_TEST_CASE(tiers_share_the_error_of_a_fail)
{
    // A share that just fails alone does not as one of many.
    const auto fails = [](std::size_t tiers, double share) {
        std::vector<std::string> texts;
        for (std::size_t i = 0; i < tiers; ++i)
            texts.push_back("e2e:p50<" + std::to_string(i + 1));
        const auto rounds = rounds_of(12, std::vector(tiers, share), 0.03);
        return status_of(options_of(texts), rounds) == VerdictStatus::fail;
    };
    double alone = 0.5;
    while (!fails(1, alone))
        alone += 0.005;
    BOOST_TEST(alone < 0.6);
    BOOST_TEST(!fails(20, alone));
}

BOOST_AUTO_TEST_CASE(spoilt_rounds_are_invalid_unless_the_client_is_ignored)
{
    auto options = options_of({"e2e:p50<1"}, {8, 14});
    auto rounds = rounds_of(14, {0.1});
    rounds[0].spoilt = "the client was saturated"; // warm-up or not
    const auto verdict = CertainJudge(options).judge(std::span(rounds).first(8), false).value();
    BOOST_TEST(verdict.status == VerdictStatus::invalid);
    BOOST_TEST(has_note(verdict, "saturated"));
    options.ignore_client = true;
    BOOST_TEST(status_of(options, rounds) == VerdictStatus::pass);
    // What a verdict does not rest on does not spoil it.
    rounds = rounds_of(14, {0.1});
    rounds[10].spoilt = "the client was saturated";
    options.ignore_client = false;
    BOOST_TEST(status_of(options, rounds) == VerdictStatus::pass);
}

BOOST_AUTO_TEST_CASE(too_few_successes_fail)
{
    auto options = options_of({"e2e:p50<1"});
    auto rounds = rounds_of(12, {0.1});
    for (auto& round : rounds)
        round.failed = 6; // 3 %
    const auto verdict = CertainJudge(options).judge(rounds, true).value();
    BOOST_TEST(verdict.status == VerdictStatus::fail);
    BOOST_TEST(verdict.success_rate_min.value() == 97.0, tt::tolerance(1e-9));
    BOOST_TEST(has_note(verdict, "97.00 %, below 99.00 %"));
    options.min_success_pct = 0;
    BOOST_TEST(status_of(options, rounds) == VerdictStatus::pass);
    options.min_success_pct = 97;
    BOOST_TEST(status_of(options, rounds) == VerdictStatus::pass);
}

BOOST_AUTO_TEST_CASE(a_growing_latency_fails_but_never_passes)
{
    const auto options = options_of({"e2e:p50<1"});
    auto failing = rounds_of(12, {0.9});
    level_by(failing, 1.3);
    const auto fail = CertainJudge(options).judge(failing, true).value();
    BOOST_TEST(fail.status == VerdictStatus::fail);
    BOOST_TEST(!fail.certainty->stationary);
    BOOST_TEST(has_note(fail, "unstable"));
    auto passing = rounds_of(12, {0.1});
    level_by(passing, 1.3);
    const auto pass = CertainJudge(options).judge(passing, true).value();
    BOOST_TEST(pass.status == VerdictStatus::invalid);
    BOOST_TEST(has_note(pass, "the latency grows"));
}

BOOST_AUTO_TEST_CASE(a_falling_latency_passes_but_never_fails)
{
    const auto options = options_of({"e2e:p50<1"});
    auto passing = rounds_of(12, {0.1});
    level_by(passing, 0.75);
    const auto pass = CertainJudge(options).judge(passing, true).value();
    BOOST_TEST(pass.status == VerdictStatus::pass);
    BOOST_TEST(has_note(pass, "still falls"));
    auto failing = rounds_of(12, {0.9});
    level_by(failing, 0.75);
    BOOST_TEST(status_of(options, failing) == VerdictStatus::invalid);
    auto open = rounds_of(12, {0.5});
    level_by(open, 0.75);
    BOOST_TEST(status_of(options, open) == VerdictStatus::invalid);
}

BOOST_AUTO_TEST_CASE(an_unsteady_look_is_not_the_last_one)
{
    // Sixteen rounds that climb, then it stays: the second look sees it.
    auto rounds = rounds_of(60, {0.1});
    for (std::size_t i = 0; i < 16; ++i)
        rounds[i].level = 0.3 * (static_cast<double>(i) - 16);
    const CertainJudge judge(options_of({"e2e:p50<1"}, {16, 60}));
    BOOST_TEST(!judge.judge(std::span(rounds).first(16), false).has_value());
    BOOST_TEST(judge.judge(std::span(rounds).first(16), true)->status == VerdictStatus::invalid);
    const auto verdict = judge.judge(rounds, true).value();
    BOOST_TEST(verdict.status == VerdictStatus::pass);
    BOOST_TEST(verdict.certainty->look == 2);
}

BOOST_AUTO_TEST_CASE(littles_law_that_does_not_hold_is_invalid)
{
    auto rounds = rounds_of(40, {0.1});
    slo::Random random(2);
    double under_way = 0;
    for (auto& round : rounds) {
        round.duration_s = 30;
        round.mean_s = 1; // 6.7 under way, but 40 are
        const double next = 40 + random.normal(0, 2);
        round.completed = round.requests - (next - under_way);
        under_way = next;
    }
    const auto verdict = CertainJudge(options_of({"e2e:p50<1"})).judge(rounds, true).value();
    BOOST_TEST(verdict.status == VerdictStatus::invalid);
    BOOST_TEST(has_note(verdict, "Little"));
    BOOST_TEST(verdict.certainty->little_ratio.value() == 6.0, tt::tolerance(0.05));
    for (auto& round : rounds)
        *round.mean_s = 6;
    BOOST_TEST(status_of(options_of({"e2e:p50<1"}), rounds) == VerdictStatus::pass);
}

BOOST_AUTO_TEST_CASE(mlperf_against_its_minimum_counts)
{
    // The least numbers of requests for t over the limit, confidence 0.99 (loadgen's early stopping).
    struct Row {
        const char* objective;
        std::vector<double> least;
    };
    const std::vector<double> over{0, 1, 2, 5, 10};
    for (const Row& row :
         {Row{"e2e:p90<1", {44, 64, 81, 127, 197}}, Row{"e2e:p99<1", {459, 662, 838, 1307, 2010}},
          Row{"e2e:p50<1", {7, 11, 14, 22, 35}}}) {
        auto options = options_of({row.objective});
        options.rule = PercentileRule::mlperf;
        for (std::size_t i = 0; i < over.size(); ++i) {
            const auto verdict_of = [&](double requests) {
                // The first round is warm-up.
                auto rounds = rounds_of(4, {0}, 0, 0);
                rounds[0].objectives[0].requests = 1000;
                for (std::size_t j = 1; j < 4; ++j) {
                    const double share =
                        j == 1 ? requests - 2 * std::floor(requests / 3) : std::floor(requests / 3);
                    rounds[j].objectives[0].requests = share;
                    rounds[j].level = 0;
                }
                rounds[0].level = 0;
                rounds[1].objectives[0].missed_least = rounds[1].objectives[0].missed_most =
                    std::min(over[i], rounds[1].objectives[0].requests);
                rounds[2].objectives[0].missed_least = rounds[2].objectives[0].missed_most =
                    over[i] - rounds[1].objectives[0].missed_most;
                return CertainJudge(options).judge(rounds, true).value();
            };
            const auto enough = verdict_of(row.least[i]);
            BOOST_TEST(enough.status == VerdictStatus::pass, row.objective << " " << over[i]);
            BOOST_TEST(enough.objectives[0].requests == row.least[i]);
            BOOST_TEST(enough.certainty->rule == "mlperf");
            BOOST_TEST(verdict_of(row.least[i] - 1).status != VerdictStatus::pass,
                       row.objective << " " << over[i]);
        }
    }
}

BOOST_AUTO_TEST_CASE(mlperf_refuses_more_requests_than_it_counts)
{
    auto options = options_of({"e2e:p99<1"});
    options.rule = PercentileRule::mlperf;
    BOOST_CHECK_THROW(status_of(options, rounds_of(12, {0}, 0, 1e19)), slo::Error);
}

BOOST_AUTO_TEST_CASE(mlperf_leaves_other_objectives_to_the_intervals)
{
    auto options = options_of({"success>=50%"});
    options.rule = PercentileRule::mlperf;
    BOOST_TEST(status_of(options, rounds_of(12, {0.1})) == VerdictStatus::pass);
    BOOST_TEST(status_of(options, rounds_of(12, {0.5})) == VerdictStatus::inconclusive);
    BOOST_TEST(status_of(options, rounds_of(12, {0.9})) == VerdictStatus::fail);
    options.objectives = {slo::stats::parse_objective("e2e:p50<1")};
    BOOST_TEST(status_of(options, rounds_of(12, {0.9})) == VerdictStatus::fail);
}

BOOST_AUTO_TEST_CASE(the_record_has_no_undefined_number)
{
    slo::Random random(9);
    const CertainJudge judge(options_of({"e2e:p50<1", "ttft:p99<1"}, {2, 5, 9}));
    for (int run = 0; run < 300; ++run) {
        Rounds rounds;
        for (int i = 0; i < 9; ++i) {
            CertainRound round;
            round.requests = random.uniform() < 0.3 ? 0 : std::floor(random.uniform() * 50);
            for (int objective = 0; objective < 2; ++objective) {
                ObjectiveRound counts;
                counts.requests = round.requests;
                counts.missed_most = std::floor(round.requests * random.uniform() * 1.0001);
                counts.missed_least = std::floor(counts.missed_most * random.uniform());
                if (random.uniform() < 0.7)
                    counts.surplus = random.uniform() * 3 - 1.5;
                if (random.uniform() < 0.7)
                    counts.distance = random.uniform() * 9.2 - 4.6;
                round.objectives.push_back(counts);
            }
            round.failed = round.requests * random.uniform() * 0.01;
            if (random.uniform() < 0.8)
                round.level = random.normal(0, 1);
            if (random.uniform() < 0.9) {
                round.mean_s = random.uniform();
                round.duration_s = 30;
                round.completed = std::floor(random.uniform() * 60);
            }
            rounds.push_back(round);
        }
        const auto verdict = judge.judge(rounds, true).value();
        for (const auto& objective : verdict.objectives) {
            BOOST_TEST_REQUIRE(std::isfinite(objective.margin));
            BOOST_TEST_REQUIRE(std::isfinite(objective.attainment_low));
            BOOST_TEST_REQUIRE(objective.attainment_low <= objective.attainment_high);
            BOOST_TEST_REQUIRE((!objective.attainment || objective.margin_error > 0));
        }
    }
}
