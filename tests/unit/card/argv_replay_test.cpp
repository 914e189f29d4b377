#include <slo/card/argv_replay.hpp>

#define BOOST_TEST_MODULE card_argv_replay
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace slo;
using Kind = card::Workload::Kind;

namespace {

std::string line(const card::Argv& argv)
{
    std::string text;
    for (const auto& word : argv)
        text += (text.empty() ? "" : " ") + word;
    return text;
}

struct Sample {
    card::Workload workload;
    card::LoadStep load;
    card::Target target{"http://h:1", "m", "sim", 1, ""};
    card::Api api;
    std::vector<std::string> notes;

    Sample()
    {
        workload.input = card::constant_count(100);
        workload.output = card::constant_count(10);
        load.label = "x";
        load.prompts = 10;
    }

    card::Step step()
    {
        card::StepNames names("");
        names.begin("x");
        return card::replay_step({workload, load, target, api, names, 7, 4096}, notes);
    }
};

constexpr auto common = "replay route-x.jsonl --api-base http://h:1/v1 --model m --use-chat --pass-body ";
constexpr auto outputs = " --seed 7 --json-output rounds-x.jsonl --requests-out requests-x.jsonl";

} // namespace

BOOST_AUTO_TEST_CASE(at_a_constant_rate)
{
    Sample sample;
    sample.load.rate = 0.5;
    sample.load.concurrency = 3;
    const auto step = sample.step();
    BOOST_TEST(line(step.argv) ==
               std::string(common) +
                   "--replay-mode qps --target-qps 0.5 --continuous-qps-window --round-duration 2 "
                   "--max-rounds 10 --max-in-flight 3" +
                   outputs);
    BOOST_TEST(line(step.prepare.at(0)) ==
               "route-build random --rows 11 --input-len 100 --output-len 10 --tokenizer sim "
               "--fixed-output --seed 7 -o route-x.jsonl");
    BOOST_TEST(step.num_prompts.value() == 10);
    BOOST_TEST(sample.notes.empty());
}

BOOST_AUTO_TEST_CASE(whole_windows_make_more_of_it_and_say_so)
{
    Sample sample;
    sample.load.rate = 70;
    sample.load.prompts = 2000;
    BOOST_TEST(sample.step().num_prompts.value() == 2100);
    BOOST_TEST(sample.notes.at(0) == "x: 2100 requests, not 2000: windows are whole seconds");
}

BOOST_AUTO_TEST_CASE(random_arrivals_have_rows_to_spare)
{
    Sample sample;
    sample.load.rate = 4.0;
    sample.load.prompts = 500;
    sample.load.random_arrivals = true;
    auto step = sample.step();
    BOOST_TEST(line(step.argv).find("--max-rounds 5 --arrival poisson --seed") != std::string::npos);
    // 500 and six deviations of sqrt(500), and ten.
    BOOST_TEST(line(step.prepare.at(0)).find("--rows 645 ") != std::string::npos);
    sample.load.burstiness = 0.25;
    step = sample.step();
    BOOST_TEST(line(step.argv).find("--arrival gamma --burstiness 0.25 ") != std::string::npos);
    BOOST_TEST(line(step.prepare.at(0)).find("--rows 779 ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(by_a_number_of_users)
{
    Sample sample;
    sample.load.concurrency = 16;
    BOOST_TEST(line(sample.step().argv) ==
               std::string(common) + "--concurrency 16 --round-duration 10" + outputs);
    BOOST_TEST(sample.notes.at(0) == "x: 10 requests never keep 16 users busy");
    sample.load.duration_s = 300;
    sample.load.by_duration = true;
    BOOST_TEST(line(sample.step().argv) ==
               std::string(common) + "--concurrency 16 --round-duration 30 --max-rounds 10 --loop-route" +
                   outputs);
    Sample all_at_once;
    BOOST_TEST(line(all_at_once.step().argv) ==
               std::string(common) + "--concurrency 10 --round-duration 10" + outputs);
}

// The warm-up's prompts are none of those that are measured, so that the prefix cache learns nothing.
BOOST_AUTO_TEST_CASE(warm_up_has_prompts_of_its_own)
{
    Sample sample;
    sample.load.warm_ups = 30;
    sample.workload.kind = Kind::shared_prefix;
    sample.workload.prefix = card::constant_count(500);
    sample.workload.suffix = card::constant_count(20);
    sample.workload.zipf = 1.1;
    const auto step = sample.step();
    BOOST_TEST(step.prepare.size() == 3U);
    BOOST_TEST(line(step.prepare[0]) ==
               "route-build shared-prefix --groups 4 --prompts-per-group 3 --system-len 500 "
               "--question-len 20 --zipf 1.1 --output-len 10 --tokenizer sim --fixed-output "
               "--seed 7 -o route-x.jsonl");
    BOOST_TEST(line(step.prepare[1]).find("--prompts-per-group 8 ") != std::string::npos);
    BOOST_TEST(line(step.prepare[1]).find("--seed 1000010 -o warmup-route-x.jsonl") != std::string::npos);
    BOOST_TEST(line(step.prepare[2]) == "replay warmup-route-x.jsonl --api-base http://h:1/v1 --model m "
                                        "--use-chat --pass-body --concurrency 8 "
                                        "--seed 7 --json-output warmup-x.jsonl");
    BOOST_TEST(step.num_prompts.value() == 12);
}

BOOST_AUTO_TEST_CASE(sessions_begin_so_often_that_their_pauses_keep_the_number)
{
    Sample sample;
    sample.workload.kind = Kind::sessions;
    sample.workload.prefix = card::constant_count(1000);
    sample.workload.suffix = card::constant_count(20);
    sample.workload.turns = card::constant_count(5);
    sample.workload.think_s = card::constant_count(8);
    sample.load.concurrency = 16;
    const auto step = sample.step();
    // Ten conversations begin within 20 s, the last goes on for 32: nine windows of 6 s.
    BOOST_TEST(line(step.argv) ==
               std::string(common) + "--serialize-conversations --round-duration 6" + outputs);
    BOOST_TEST(
        line(step.prepare.at(0)) ==
        "route-build multi-turn --conversations 10 --turns 5 --system-len 1000 --first-len 100 --turn-len 20 "
        "--think-time 8 --rate 0.5 --max-model-len 4096 --output-len 10 --tokenizer sim --fixed-output "
        "--seed 7 "
        "-o route-x.jsonl");
    sample.workload.think_s = {};
    BOOST_TEST(line(sample.step().argv) ==
               std::string(common) + "--concurrency 10 --serialize-conversations --round-duration 10" +
                   outputs);
}

BOOST_AUTO_TEST_CASE(traces_are_imported_once_a_step)
{
    Sample sample;
    sample.workload.kind = Kind::trace;
    sample.workload.exact_output = false;
    sample.workload.source = "mooncake";
    sample.workload.path = "m.jsonl";
    sample.load.concurrency = 2;
    sample.load.warm_ups = 4;
    const auto step = sample.step();
    BOOST_TEST(line(step.prepare.at(0)) ==
               "route-build import --format mooncake --tokenizer sim -o trace-x.jsonl m.jsonl");
    BOOST_TEST(line(step.prepare.at(1)) ==
               "route-build sample --rows 10 --seed 7 -o route-x.jsonl trace-x.jsonl");
    BOOST_TEST(line(step.prepare.at(2)) ==
               "route-build sample --rows 4 --seed 1000010 -o warmup-route-x.jsonl trace-x.jsonl");
    BOOST_TEST(line(step.argv).find("--pass-body") == std::string::npos);
    sample.workload.source = "custom";
    BOOST_TEST(line(sample.step().prepare.at(0)) ==
               "route-build sample --rows 10 --seed 7 -o route-x.jsonl m.jsonl");
    sample.workload.path = "";
    BOOST_CHECK_THROW(sample.step(), card::Unsupported);
}
