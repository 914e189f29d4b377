// SPDX-License-Identifier: MIT
#include <slo/plan/certain_run.hpp>

#define BOOST_TEST_MODULE plan_certain_run
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace slo;

namespace {

// Ten rounds of 100 requests at 10 a second, `met` of which kept e2e:p50<2.
record::RoundFile file_of(std::int64_t met, const std::string& flag_of_last = {})
{
    record::RoundFile file;
    file.name = "run.jsonl";
    for (int i = 1; i <= 10; ++i) {
        record::Round round;
        round.measurement_round = i;
        round.p50_latency_s = 1.5 + 0.01 * (i % 3);
        round.success_rate = 100;
        round.target_qps = round.actual_qps = round.completion_qps = 10;
        round.due = round.ok = 100;
        round.duration_s = 10;
        round.objectives.push_back({"e2e:p50<2", 100, met + i % 3});
        file.rounds.push_back(round);
    }
    if (!flag_of_last.empty())
        file.rounds.back().flags.push_back(flag_of_last);
    return file;
}

record::Verdict verdict_of(const std::vector<record::RoundFile>& files, plan::CertainOptions options = {})
{
    options.objectives = {stats::parse_objective("e2e:p50<2")};
    return plan::judge_run(files, plan::CertainJudge(options), plan::ShardMerge::automatic, true).value();
}

std::string status_of(const std::vector<record::RoundFile>& files, plan::CertainOptions options = {})
{
    return std::string(record::name_of(verdict_of(files, std::move(options)).status));
}

} // namespace

BOOST_AUTO_TEST_CASE(counts_decide_and_medians_stand_beside_them)
{
    const auto verdict = verdict_of({file_of(90)});
    BOOST_TEST((verdict.status == record::VerdictStatus::pass));
    BOOST_TEST(verdict.per_round_p50.size() == 10U);
    BOOST_TEST(verdict.primary_metric == "steady");
    BOOST_TEST(verdict.steady_window_size + verdict.certainty->warm_up_rounds == 10);
    BOOST_TEST(verdict.avg_p50_latency_s.value() > 1.49);
    BOOST_TEST(verdict.confidence.has_value());
    BOOST_TEST(
        plan::certain_sentence(verdict).starts_with("PASS (95 %) after 10 rounds: e2e:p50<2 kept by "));
    BOOST_TEST(status_of({file_of(10)}) == "FAIL");
}

BOOST_AUTO_TEST_CASE(what_is_no_whole_run_is_invalid)
{
    BOOST_TEST(status_of({file_of(90, "server_restarted")}) == "INVALID");
    auto uneven = file_of(90);
    uneven.rounds[4].target_qps = 5;
    BOOST_TEST(status_of({uneven}) == "INVALID");
    auto spared = file_of(90);
    for (auto& round : spared.rounds)
        round.actual_qps = 8;
    BOOST_TEST(status_of({spared}) == "INVALID");
    plan::CertainOptions lenient;
    lenient.ignore_client = true;
    BOOST_TEST(status_of({spared}, lenient) == "PASS");
    auto two_runs = file_of(90);
    two_runs.rounds[7].measurement_round = 1;
    BOOST_TEST(status_of({two_runs}) == "INVALID");
}

BOOST_AUTO_TEST_CASE(rounds_that_were_cut_short_do_not_count)
{
    BOOST_TEST(verdict_of({file_of(90, "decided")}).rounds_seen == 9);
    BOOST_TEST(verdict_of({file_of(90, "interrupted")}).rounds_seen == 9);
}

BOOST_AUTO_TEST_CASE(a_run_that_ran_away_fails)
{
    BOOST_TEST(status_of({file_of(90, "runaway")}) == "FAIL");
}

BOOST_AUTO_TEST_CASE(shards_add_up)
{
    auto a = file_of(90);
    auto b = file_of(20);
    for (auto* file : {&a, &b})
        for (auto& round : file->rounds) {
            round.target_qps = 20;
            round.shard = file == &a ? "0/2" : "1/2";
        }
    b.name = "b.jsonl";
    const auto verdict = verdict_of({a, b});
    BOOST_TEST((verdict.status == record::VerdictStatus::pass));
    BOOST_TEST(verdict.objectives.front().requests ==
               200. * static_cast<double>(10 - verdict.certainty->warm_up_rounds));
    BOOST_TEST(verdict.objectives.front().attainment.value() == 0.56, boost::test_tools::tolerance(0.02));
}

BOOST_AUTO_TEST_CASE(records_that_tell_nothing_of_an_objective_are_refused)
{
    auto bare = file_of(90);
    bare.rounds[3].objectives.clear();
    BOOST_CHECK_EXCEPTION(verdict_of({bare}), InputError, [](const InputError& error) {
        return std::string(error.what()) == "round records: do not say how many requests met 'e2e:p50<2': "
                                            "neither counts nor a latency sketch";
    });
}
