#include <slo/card/compiled_plan.hpp>

#define BOOST_TEST_MODULE card_compiled_plan
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;

BOOST_AUTO_TEST_CASE(tools_by_name)
{
    BOOST_TEST((card::tool_named("sglang") == card::Tool::sglang));
    BOOST_CHECK_EXCEPTION(card::tool_named("vlm"), UsageError, [](const UsageError& error) {
        return error.what() ==
               std::string("--tool: 'vlm' is none of replay, vllm, sglang; did you mean vllm?");
    });
}

BOOST_AUTO_TEST_CASE(a_plan_as_a_record)
{
    card::Plan plan;
    plan.tool = card::Tool::vllm;
    plan.catalog_id = "t";
    plan.modality = "text";
    card::Step step;
    step.label = "qps2.0";
    step.argv = {"vllm", "bench"};
    step.prepare = {{"true"}};
    step.request_rate = 2.0;
    step.num_prompts = 5;
    step.outputs = {"result.json"};
    plan.steps.push_back(step);
    plan.not_expressed.push_back({"load.seed", 4, "why"});
    BOOST_TEST(
        to_json(card::to_record(plan)) ==
        R"({"schema":"sloutils.plan/1","kind":"vendor","catalog_id":"t","tool":"vllm","modality":"text","steps":[)"
        R"({"label":"qps2.0","argv":["vllm","bench"],"concurrency":null,"request_rate":2.0,"num_prompts":5,)"
        R"("duration_s":null,"context_len":null,"mode":null,"prepare":[["true"]],"outputs":["result.json"]}],)"
        R"("orchestrator":null,"dataset_summary":{},"slo_targets":{},)"
        R"("not_expressed":[{"key":"load.seed","value":4,"reason":"why"}],"notes":[]})");
}

BOOST_AUTO_TEST_CASE(a_plan_that_no_command_line_runs_says_what_to_change)
{
    card::Plan plan;
    plan.orchestrated = true;
    plan.orchestrator = "audio_runner";
    plan.advice = "take text";
    const auto record = card::to_record(plan);
    BOOST_TEST(record.at("kind").as_string() == "orchestrated");
    BOOST_TEST(record.at("advice").as_string() == "take text");
    BOOST_TEST(record.at("steps").as_array().empty());
}
