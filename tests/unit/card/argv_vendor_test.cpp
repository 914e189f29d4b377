#include <slo/card/argv_vendor.hpp>

#define BOOST_TEST_MODULE card_argv_vendor
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using Kind = card::Workload::Kind;

namespace {

struct Sample {
    card::Workload workload;
    card::LoadStep load;
    card::Target target{"http://h:1", "m", "", 1, ""};
    card::Api api;
    card::StepNames names{""};

    Sample()
    {
        workload.input = card::constant_count(100);
        workload.output = card::constant_count(10);
        load.prompts = 10;
        names.begin("x");
    }

    std::string line(card::Tool tool, const card::Argv& goodput = {}) const
    {
        std::string text;
        for (const auto& word : card::vendor_argv(tool, {workload, load, target, api, names, 7, 0}, goodput))
            text += (text.empty() ? "" : " ") + word;
        return text;
    }
};

std::string refusal(const Sample& sample, card::Tool tool)
{
    try {
        sample.line(tool);
    } catch (const card::Unsupported& obstacle) {
        return obstacle.code();
    }
    return "";
}

} // namespace

BOOST_AUTO_TEST_CASE(a_whole_line_of_vllm)
{
    Sample sample;
    sample.load.rate = 2.0;
    sample.load.burstiness = 0.5;
    sample.load.warm_ups = 3;
    BOOST_TEST(
        sample.line(card::Tool::vllm, {"--goodput", "ttft:1"}) ==
        "vllm bench serve --backend openai-chat --endpoint /v1/chat/completions --base-url http://h:1 "
        "--model m "
        "--dataset-name random --random-input-len 100 --random-output-len 10 --request-rate 2.0 "
        "--num-prompts 10 "
        "--burstiness 0.5 --goodput ttft:1 --ignore-eos --num-warmups 3 --seed 7 --percentile-metrics "
        "ttft,tpot,itl,e2el --metric-percentiles 50,90,95,99 --save-result --save-detailed --result-filename "
        "result-x.json");
}

// Without a ratio of 1 SGLang draws each length from 1 to N: half the load (section 9, 14).
BOOST_AUTO_TEST_CASE(a_whole_line_of_sglang)
{
    Sample sample;
    sample.load.concurrency = 4;
    sample.api.streaming = false;
    BOOST_TEST(
        sample.line(card::Tool::sglang) ==
        "python3 -m sglang.bench_serving --backend sglang-oai-chat --base-url http://h:1 --model m "
        "--dataset-name "
        "random --random-input-len 100 --random-output-len 10 --request-rate inf --max-concurrency 4 "
        "--num-prompts 10 --random-range-ratio 1 --disable-stream --warmup-requests 0 --seed 7 --output-file "
        "result-x.jsonl --output-details");
}

// SGLang counts prompts by groups, whatever --num-prompts says (section 9, 14).
BOOST_AUTO_TEST_CASE(shared_prefixes)
{
    Sample sample;
    sample.workload.kind = Kind::shared_prefix;
    sample.workload.prefix = card::constant_count(500);
    sample.workload.suffix = card::constant_count(20);
    BOOST_TEST(
        sample.line(card::Tool::sglang)
            .find("--dataset-name generated-shared-prefix --gsp-num-groups 4 --gsp-system-prompt-len 500 "
                  "--gsp-question-len 20 --gsp-output-len 10 --request-rate inf --num-prompts 10 "
                  "--gsp-prompts-per-group 3") != std::string::npos);
    BOOST_TEST(sample.line(card::Tool::vllm)
                   .find("--dataset-name prefix_repetition --prefix-repetition-prefix-len 500 "
                         "--prefix-repetition-suffix-len 20 --prefix-repetition-num-prefixes 4 "
                         "--prefix-repetition-output-len 10") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(traces)
{
    Sample sample;
    sample.workload.kind = Kind::trace;
    sample.workload.exact_output = false;
    sample.workload.source = "sharegpt";
    sample.workload.path = "s.json";
    BOOST_TEST(sample.line(card::Tool::vllm).find("--dataset-name sharegpt --dataset-path s.json") !=
               std::string::npos);
    BOOST_TEST(sample.line(card::Tool::vllm).find("--ignore-eos") == std::string::npos);
    BOOST_TEST(sample.line(card::Tool::sglang).find("--disable-ignore-eos") != std::string::npos);
    sample.workload.source = "hf";
    BOOST_TEST(refusal(sample, card::Tool::sglang) == "trace_source_vllm_only");
    sample.workload.path = "";
    BOOST_TEST(refusal(sample, card::Tool::sglang) == "trace_path_required");
    sample.workload.source = "s3";
    BOOST_TEST(refusal(sample, card::Tool::vllm) == "trace_source_unknown");
}

BOOST_AUTO_TEST_CASE(what_vllm_would_end_at_is_refused_here)
{
    Sample sample;
    sample.workload.range_ratio = 1;
    BOOST_TEST(refusal(sample, card::Tool::vllm) == "range_ratio_too_large");
    BOOST_TEST(refusal(sample, card::Tool::sglang) == "");
    sample.workload.range_ratio = 0.9;
    BOOST_TEST(refusal(sample, card::Tool::vllm) == "");
    sample.workload.kind = Kind::shared_prefix;
    sample.workload.groups = 11; // of 10 prompts
    BOOST_TEST(refusal(sample, card::Tool::vllm) == "fewer_prompts_than_prefixes");
    sample.workload.groups = 10;
    BOOST_TEST(refusal(sample, card::Tool::vllm) == "");
}
