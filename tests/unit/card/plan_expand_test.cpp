// SPDX-License-Identifier: MIT
#include <slo/card/plan_expand.hpp>

#define BOOST_TEST_MODULE card_plan_expand
#include <boost/test/unit_test.hpp>

#include <slo/card/plan_options.hpp>
#include <slo/card/plan_record.hpp>
#include <slo/card/plan_script.hpp>
#include <slo/card/plan_units.hpp>
#include <slo/card/planned_step.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace slo;

namespace {

// Two questions to vLLM with and without a feature, and to SGLang.
const std::string text = R"(
plan: p
engines:
  v: {framework: vllm, url: "http://h:1"}
  s: {framework: sglang, url: "http://h:2"}
  v-fast: {framework: vllm, url: "http://h:1", flags: [--fast, --api-key, sk-0123456789abcdef]}
phases:
  - id: one
    runs:
      - {label: one_v, engine: v, dataset: &d {type: synthetic, input_tokens: 8, output_tokens: 4}, load: &l {type: constant, request_rate: 2, num_prompts: 20}}
      - {label: one_s, engine: s, dataset: *d, load: *l}
  - id: two
    runs:
      - {label: two_fast, engine: v-fast, dataset: *d, load: *l, capture: false}
      - {label: two_v, engine: v, dataset: *d, load: {type: open-loop, num_prompts: 5}}
      - {label: two_v2, engine: v, dataset: *d, load: *l}
)";

card::ExpandedPlan expand(const std::string& plan, std::vector<std::string> phases = {},
                          std::int64_t repetitions = 2)
{
    card::PlanTarget target;
    target.phases = std::move(phases);
    target.repetitions = repetitions;
    target.model = "m";
    target.tokenizer = "sim";
    return card::expand(card::parse_plan(plan, "p.yaml"), {}, target);
}

// "one_v 1 [0]": the run, the repetition, the engines that are started before it.
std::vector<std::string> order(const card::ExpandedPlan& plan)
{
    std::vector<std::string> list;
    for (const auto& step : plan.steps) {
        auto entry = step.run + " " + std::to_string(step.repetition);
        for (const auto engine : step.starts)
            entry += " start " + std::to_string(engine);
        list.push_back(entry);
    }
    return list;
}

std::string seed(const card::PlannedStep& step)
{
    const auto& argv = step.step.argv;
    return *(std::find(argv.begin(), argv.end(), "--seed") + 1);
}

std::map<std::string, std::string> seeds(const card::ExpandedPlan& plan)
{
    std::map<std::string, std::string> all;
    for (const auto& step : plan.steps)
        all[step.run + " " + std::to_string(step.repetition)] = seed(step);
    return all;
}

} // namespace

BOOST_AUTO_TEST_CASE(each_engine_is_started_once_and_frameworks_follow_each_other)
{
    const std::vector<std::string> expected{
        "one_v 1 start 0",    "one_v 2",    "two_v 1",         "two_v 2", "two_v2 1", "two_v2 2",
        "two_fast 1 start 2", "two_fast 2", "one_s 1 start 1", "one_s 2"};
    BOOST_TEST(order(expand(text)) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_run_can_want_a_fresh_engine)
{
    auto fresh = text;
    fresh.replace(fresh.find("engine: v, dataset: *d, load: *l}"), 33,
                  "engine: v, fresh: true, dataset: *d, load: *l}");
    const auto steps = order(expand(fresh, {"two"}, 1));
    const std::vector<std::string> expected{"two_fast 1 start 2", "two_v 1 start 0", "two_v2 1 start 0"};
    BOOST_TEST(steps == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(engines_are_compared_by_the_same_prompts_and_none_sees_a_prompt_twice)
{
    const auto all = seeds(expand(text));
    BOOST_TEST(all.at("one_v 1") == all.at("one_s 1"));
    BOOST_TEST(all.at("two_fast 2") == all.at("two_v 2"));
    std::set<std::string> of_v;
    for (const char* run : {"one_v 1", "one_v 2", "two_v 1", "two_v 2", "two_v2 1", "two_v2 2"})
        of_v.insert(all.at(run));
    BOOST_TEST(of_v.size() == 6U);
    for (const auto& [run, value] : seeds(expand(text, {"two"})))
        BOOST_TEST(value == all.at(run));
}

BOOST_AUTO_TEST_CASE(pauses_are_between_repetitions_and_longer_between_configurations)
{
    const auto plan = expand(text, {"one"});
    std::vector<double> pauses;
    for (const auto& step : plan.steps)
        pauses.push_back(step.pause_s);
    BOOST_TEST(pauses == (std::vector<double>{0, 5, 60, 5}), boost::test_tools::per_element());
    BOOST_TEST(plan.known_s == 4 * 10 + 70);
    BOOST_TEST(!plan.is_bound);
}

BOOST_AUTO_TEST_CASE(a_load_as_fast_as_it_goes_makes_the_wall_time_a_bound)
{
    const auto plan = expand(text, {"two"}, 1);
    BOOST_TEST(plan.is_bound);
    BOOST_TEST(plan.known_s == 10 + 60 + 0 + 60 + 10);
    BOOST_TEST(card::wall_time_text(3723.2, true) == ">= 1:02:04");
    BOOST_TEST(card::wall_time_text(59, false) == "0:00:59");
}

BOOST_AUTO_TEST_CASE(metrics_are_captured_around_the_measured_load_alone)
{
    const auto plan = expand(text, {}, 1);
    const auto& first = plan.steps.front();
    BOOST_TEST(first.before.at(0).back() == "results/one_v/r1-before-qps2.prom");
    BOOST_TEST(first.after.at(0).back() == "results/one_v/r1-after-qps2.prom");
    BOOST_TEST(first.step.prepare.size() == 3U); // two routes, and the warm-up
    for (const auto& step : plan.steps)
        BOOST_TEST(step.before.empty() == (step.run == "two_fast"));
    const auto script = card::to_script(card::parse_plan(text, "p"), plan);
    const auto warm_up = script.find("--json-output results/one_v/r1-warmup-qps2.jsonl");
    const auto before = script.find("r1-before-qps2.prom");
    BOOST_TEST(warm_up != std::string::npos);
    BOOST_TEST(warm_up < before);
    BOOST_TEST(before < script.find("--json-output results/one_v/r1-rounds-qps2.jsonl"));
}

BOOST_AUTO_TEST_CASE(runs_that_go_at_once_count_once_and_begin_together)
{
    auto both = text;
    both.replace(both.find("label: one_s"), 12, "label: one_s, at_once: true");
    const auto plan = expand(both, {"one"}, 1);
    const std::vector<std::string> expected{"one_v 1 start 0 start 1", "one_s 1"};
    BOOST_TEST(order(plan) == expected, boost::test_tools::per_element());
    BOOST_TEST(plan.known_s == 10);
    BOOST_TEST(plan.steps[1].at_once);
    BOOST_TEST(seed(plan.steps[0]) != seed(plan.steps[1]));
    const auto script = card::to_script(card::parse_plan(both, "p"), plan);
    BOOST_TEST(script.find("one_s/r1-warmup-qps2.jsonl") < script.find("together=()"));
    BOOST_TEST(script.find("wait") > script.find("one_s/r1-rounds-qps2.jsonl"));
}

BOOST_AUTO_TEST_CASE(an_unknown_phase_and_a_run_that_cannot_be_compiled_are_named)
{
    BOOST_CHECK_EXCEPTION(expand(text, {"tow"}), UsageError, [](const UsageError& error) {
        return std::string(error.what()) == "--phase: 'tow' is none of one, two; did you mean one?" ||
               std::string(error.what()) == "--phase: 'tow' is none of one, two; did you mean two?";
    });
    auto odd = text;
    odd.replace(odd.find("type: open-loop"), 15, "type: open-lop");
    BOOST_CHECK_EXCEPTION(expand(odd), card::Unsupported, [](const card::Unsupported& error) {
        return std::string(error.what())
            .starts_with("two_v: load.type: 'open-lop' is unknown; did you mean open-loop?");
    });
    odd.replace(odd.find("type: open-lop"), 14, "type: sustained");
    BOOST_CHECK_EXCEPTION(expand(odd), card::Unsupported, [](const card::Unsupported& error) {
        return std::string(error.what()).starts_with("two_v: needs burn_in_runner");
    });
}

BOOST_AUTO_TEST_CASE(the_record_says_what_runs_where_and_keeps_no_secret)
{
    const auto plan = card::parse_plan(text, "p.yaml");
    card::PlanTarget target;
    target.model = "m";
    target.tokenizer = "sim";
    const auto record = card::to_record(plan, card::expand(plan, {}, target), target);
    BOOST_TEST(string_at(record, "schema").value() == "sloutils.plan/1");
    BOOST_TEST(string_at(record, "kind").value() == "phases");
    BOOST_TEST(array_at(record, "steps")->size() == 15U);
    BOOST_TEST(array_at(record, "engines")->size() == 3U);
    const auto& step = array_at(record, "steps")->front().get_object();
    BOOST_TEST(to_json(*find(step, "starts")) == "[\"v\"]");
    BOOST_TEST(string_at(step, "label").value() == "qps2");
    BOOST_TEST(number_at(step, "load_s").value() == 10);
    BOOST_TEST(to_json(record).find("sk-0123") == std::string::npos);
    BOOST_TEST(card::to_script(plan, card::expand(plan, {}, target)).find("sk-0123") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_engine_with_a_sidecar_gets_an_artifact_of_each_repetition)
{
    auto described = text;
    described.replace(described.find("http://h:2\""), 11, "http://h:2\", sidecar: sglang.yaml");
    auto plan = card::parse_plan(described, "p.yaml", "plans");
    card::PlanTarget target;
    target.model = "m";
    target.tokenizer = "sim";
    auto expanded = card::expand(plan, {}, target);
    std::size_t artifacts = 0;
    for (const auto& step : expanded.steps) {
        BOOST_TEST(step.artifact.empty() == (step.run != "one_s"));
        artifacts += !step.artifact.empty();
    }
    BOOST_TEST(artifacts == 3U);
    const auto words = card::shell_line(expanded.steps.back().artifact);
    BOOST_TEST(words ==
               "envelope-build --sidecar plans/sglang.yaml --card results/one_s/card.json --label s --warmup "
               "results/one_s/r3-warmup-qps2.jsonl --rounds results/one_s/r3-rounds-qps2.jsonl --requests "
               "results/one_s/r3-requests-qps2.jsonl --before "
               "results/one_s/r3-before-qps2.prom --after results/one_s/r3-after-qps2.prom -o "
               "results/artifacts/one_s/r3.json");
    target.tool = card::Tool::vllm;
    BOOST_TEST(card::shell_line(card::expand(plan, {}, target).steps.back().artifact)
                   .find("--vllm-result results/one_s/r3-result-qps2.json ") != std::string::npos);
    plan = card::parse_plan(described.replace(described.find("load: *l}\n  - id: two"), 8,
                                              "load: {type: sweep, rates: [1, 2], num_prompts_per_rate: 4}"),
                            "p.yaml");
    expanded = card::expand(plan, {}, target);
    BOOST_TEST(expanded.steps.back().artifact.back() == "results/artifacts/one_s-qps2/r3.json");
}

BOOST_AUTO_TEST_CASE(the_plans_that_are_shipped_expand_for_every_tool)
{
    for (const auto tool : card::tool_names) {
        for (const auto& [file, steps, engines] :
             {std::tuple{"engine-phases", 23U, 5U}, std::tuple{"custbench", 11U, 6U},
              std::tuple{"standard-cards", 16U, 3U}}) {
            card::PlanOptions options;
            options.files = {"examples/plans/" + std::string(file) + ".yaml"};
            options.tool = std::string(tool);
            options.target.model = "m";
            const auto made = options.make();
            BOOST_TEST(array_at(made.record, "steps")->size() == steps * 3);
            std::size_t starts = 0;
            for (const auto& step : *array_at(made.record, "steps"))
                starts += array_at(step.get_object(), "starts")->size();
            BOOST_TEST(starts == engines);
        }
    }
}

BOOST_AUTO_TEST_CASE(options_are_checked)
{
    const auto fault = [](const auto& change) {
        card::PlanOptions options;
        options.files = {"examples/plans/custbench.yaml"};
        options.target.model = "m";
        change(options);
        try {
            options.make();
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    using Options = card::PlanOptions;
    BOOST_TEST(fault([](Options&) {}) == "none");
    BOOST_TEST(fault([](Options& o) { o.files.clear(); }) == "PLAN: is missing");
    BOOST_TEST(fault([](Options& o) { o.repetitions = 0; }) == "--repetitions: must be from 1 to 100");
    BOOST_TEST(fault([](Options& o) { o.target.folder.clear(); }) == "--output: must name a folder");
    BOOST_TEST(fault([](Options& o) { o.urls = {"custmer=http://x"}; }) ==
               "--url: 'custmer=http://x' is no ENGINE=URL of this plan; did you mean customer?");
    BOOST_TEST(fault([](Options& o) { o.urls = {"customer=x"}; }).starts_with("--url: must begin with http"));
    BOOST_TEST(fault([](Options& o) { o.tool = "vlm"; }).find("did you mean vllm?") != std::string::npos);
}
