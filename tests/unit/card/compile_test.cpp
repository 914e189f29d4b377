#include <slo/card/compile.hpp>

#define BOOST_TEST_MODULE card_compile
#include <boost/test/unit_test.hpp>

#include <slo/base/json_parse.hpp>
#include <slo/card/sidecar.hpp>
#include <slo/card/tool_flags.hpp>
#include <slo/io/jsonl.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace slo;

namespace {

// Where our plan differs from the older compiler's, on purpose: what our answer says, and which weakness of
// the benchmark standard's section 9 it mends.
struct Difference {
    const char* id;
    const char* ours; ///< how the first difference reads
    const char* reason;
};

constexpr const char* no_goodput = "steps[0].argv: without --goodput";
constexpr const char* nine_five = "5: sglang.bench_serving has no --goodput";

const Difference differences[] = {
    {"compile/chatbot-long/sglang", no_goodput, nine_five},
    {"compile/concurrency-sweep/sglang", no_goodput, nine_five},
    {"compile/production-mix/sglang", no_goodput, nine_five},
    {"compile/qps-sweep/sglang", no_goodput, nine_five},
    {"compile/rag-long-context/sglang", no_goodput, nine_five},
    {"compile/rag-qa/sglang", no_goodput, nine_five},
    {"compile/shared-prefix-multitenant/sglang", no_goodput, nine_five},
    {"compile/sharegpt-production-mix/sglang", no_goodput, nine_five},
    {"compile/rag-1m-context/sglang", "steps[0].label: 64k_qps0.1",
     "15: labels of tiers were lost, and their 1024 tokens of output"},
    {"compile/edge/tiers-on-gsp-sglang", "steps[0].label: a_qps2.0", "15: what a tier says was lost"},
    {"compile/edge/context-lengths-scalar-ignored",
     R"(dataset_summary: {"type":"synthetic","input_tokens":{"mean":4096})",
     "15: a scalar context_lengths was lost"},
    {"compile/edge/constant-rate-and-concurrency", "steps[0].num_prompts: 90",
     "15: the duration was lost: 1.5 a second for 60 s are 90"},
    {"compile/edge/top-level-overrides-merge-at-card-root", "steps[0].label: qps8",
     "15: target_qps did nothing although documented"},
    {"compile/external-parity-fixed-seq/vllm", "compiles: 24 steps",
     "6: a card of an unregistered type was unusable"},
    {"compile/edge/orchestrated-dataset-ignores-bad-load-and-tool", "refused: usage",
     "17: nothing fails closed; a tool that does not exist compiles nothing"},
};

std::vector<json::object> vectors(const std::string& file)
{
    std::vector<json::object> list;
    io::LineReader lines("tests/data/benchmark/" + file);
    while (const auto line = lines.next())
        list.push_back(parse_json(*line).as_object());
    return list;
}

card::Target target()
{
    card::Target target;
    target.base_url = "http://127.0.0.1:8000/v1/";
    target.model = "m";
    return target;
}

card::Plan compile_vector(const json::object& input)
{
    const auto card = card::make_card(input.at("card").as_object(), "card");
    const auto sidecar = card::parse_sidecar(to_json(input.at("sidecar")), "sidecar");
    const auto tool = card::tool_named(std::string(input.at("tool").as_string()));
    return card::compile(card, sidecar.root(), tool, target());
}

std::string text_of(const json::value& value)
{
    return value.is_string() ? std::string(value.as_string()) : to_json(value);
}

// The words from --dataset-name on, as many as the older compiler gave.
std::string argv_difference(const std::string& where, const json::value& ours, const json::value& expected)
{
    const auto& words = ours.as_array();
    auto wanted = expected.as_array();
    const auto begin = std::find(words.begin(), words.end(), json::value("--dataset-name"));
    const auto starts = [&](const json::array& part) {
        return words.end() - begin >= static_cast<std::ptrdiff_t>(part.size()) &&
               std::equal(part.begin(), part.end(), begin);
    };
    if (starts(wanted))
        return "";
    const auto goodput = std::find(wanted.begin(), wanted.end(), json::value("--goodput"));
    const bool cut = goodput != wanted.end();
    wanted.erase(goodput, wanted.end());
    const bool none = std::find(words.begin(), words.end(), json::value("--goodput")) == words.end();
    return where + (cut && none && starts(wanted) ? ": without --goodput" : ": " + to_json(ours));
}

std::string step_difference(std::size_t index, const json::object& ours, const json::object& expected)
{
    const auto where = "steps[" + std::to_string(index) + "].";
    for (const auto& member : expected) {
        const std::string key(member.key());
        const auto& value = ours.at(key);
        const auto number = as_number(&value);
        const auto wanted = as_number(&member.value());
        if (key != "argv" && (number || wanted ? number != wanted : value != member.value()))
            return where + key + ": " + text_of(value);
    }
    return argv_difference(where + "argv", ours.at("argv"), expected.at("argv"));
}

// How our answer differs first; empty: not at all.
std::string difference(const json::object& input, const json::object& expected)
{
    card::Plan plan;
    try {
        plan = compile_vector(input);
    } catch (const card::Unsupported& obstacle) {
        const bool same = expected.if_contains("code") && obstacle.code() == text_of(expected.at("code"));
        return same ? "" : "refused: " + obstacle.code();
    } catch (const UsageError&) {
        // A tool that is none is a matter of the command line here.
        return expected.if_contains("code") && text_of(expected.at("code")) == "unknown_tool"
                   ? ""
                   : "refused: usage";
    }
    if (!expected.at("ok").as_bool())
        return "compiles: " + std::to_string(plan.steps.size()) + " steps";
    const auto record = card::to_record(plan);
    for (const char* key : {"kind", "catalog_id", "tool", "modality", "dataset_summary", "slo_targets"})
        if (record.at(key) != expected.at(key))
            return std::string(key) + ": " + text_of(record.at(key));
    if (const auto* orchestrator = expected.if_contains("orchestrator"))
        if (record.at("orchestrator") != *orchestrator)
            return "orchestrator: " + text_of(record.at("orchestrator"));
    const auto& steps = record.at("steps").as_array();
    const auto& wanted = expected.at("steps").as_array();
    if (steps.size() != wanted.size())
        return "steps: " + std::to_string(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i)
        if (auto found = step_difference(i, steps[i].as_object(), wanted[i].as_object()); !found.empty())
            return found;
    return "";
}

std::vector<std::string> cards()
{
    std::vector<std::string> list;
    for (const auto& entry : std::filesystem::directory_iterator("examples/cards"))
        list.push_back(entry.path().string());
    std::sort(list.begin(), list.end());
    return list;
}

card::Plan compile_text(const std::string& text, card::Tool tool,
                        const std::string& sidecar = "{model: {id: m}}")
{
    const auto given = card::parse_sidecar(sidecar, "sidecar");
    return card::compile(card::parse_card(text, "card"), given.root(), tool, target());
}

std::map<std::string, std::string> losses(const card::Plan& plan)
{
    std::map<std::string, std::string> list;
    for (const auto& [key, value, reason] : plan.not_expressed)
        list[key] = reason;
    return list;
}

std::string line_of(const card::Argv& argv)
{
    std::string line;
    for (const auto& word : argv)
        line += " " + word;
    return line;
}

} // namespace

BOOST_AUTO_TEST_CASE(every_vector_is_equal_or_differs_for_a_reason)
{
    std::size_t count = 0;
    std::set<std::string> used;
    for (const auto& vector : vectors("compile.jsonl")) {
        const std::string id(vector.at("id").as_string());
        const auto found = difference(vector.at("input").as_object(), vector.at("expected").as_object());
        const auto listed = std::find_if(std::begin(differences), std::end(differences),
                                         [&](const Difference& entry) { return entry.id == id; });
        if (listed == std::end(differences)) {
            BOOST_TEST(found == "", id << ": " << found);
        } else {
            used.insert(id);
            BOOST_TEST(found.substr(0, std::string(listed->ours).size()) == listed->ours,
                       id << ": " << found << " (" << listed->reason << ")");
        }
        ++count;
    }
    BOOST_TEST(count == 74u);
    BOOST_TEST(used.size() == std::size(differences));
}

// The older catalog's file is no YAML (section 9, 6); ours is, and compiles.
BOOST_AUTO_TEST_CASE(the_file_that_was_no_yaml_compiles)
{
    for (const auto& vector : vectors("compile_file.jsonl")) {
        const std::filesystem::path file(std::string(vector.at("input").at("file").as_string()));
        const auto card = card::load_card("examples/cards/" + file.filename().string());
        const auto plan = card::compile(card, {}, card::Tool::replay, target());
        BOOST_TEST(plan.steps.size() == 32u);
        // 400 prompts over 22, 43, 86 and 172 prefixes, at four levels: said once for each.
        BOOST_TEST(std::set<std::string>(plan.notes.begin(), plan.notes.end()).size() == plan.notes.size());
    }
}

BOOST_AUTO_TEST_CASE(all_cards_compile_for_all_tools_or_name_what_to_change)
{
    const auto sidecar = card::parse_sidecar(
        "{model: {id: m}, workload_overrides: {trace: {source: sharegpt, path: t.json}}}", "sidecar");
    const std::set<std::string> nobody_runs{"burn-in",          "cohost-isolation", "fin-support",
                                            "mig-partitioning", "power-efficiency", "transcription-sweep",
                                            "video-summary"};
    const std::set<std::string> replay_runs{"coding-agent", "cold-start", "multi-turn-chat"};
    BOOST_TEST(cards().size() == 26u);
    for (const auto& path : cards())
        for (const auto tool : {card::Tool::replay, card::Tool::vllm, card::Tool::sglang}) {
            const auto name = std::filesystem::path(path).stem().string();
            const auto plan = card::compile(card::load_card(path), sidecar.root(), tool, target());
            BOOST_TEST(plan.catalog_id == name);
            const bool orchestrated =
                nobody_runs.count(name) || (replay_runs.count(name) && tool != card::Tool::replay);
            BOOST_TEST(plan.orchestrated == orchestrated, name);
            BOOST_TEST(plan.advice.empty() == !orchestrated, name);
            std::set<std::string> labels;
            for (const auto& step : plan.steps) {
                card::check_flags(tool, step.argv);
                labels.insert(step.label);
            }
            BOOST_TEST(labels.size() == plan.steps.size(), name);
            for (const auto& [key, value, reason] : plan.not_expressed)
                BOOST_TEST(!reason.empty(), name << ": " << key);
        }
}

// What section 9, 15 says was dropped is compiled, or said.
BOOST_AUTO_TEST_CASE(nothing_of_a_card_is_dropped_silently)
{
    const std::string text = R"(
catalog_id: t
dataset: {type: synthetic, input_tokens: {mean: 200, std_dev: 50}, output_tokens: {mean: 20, std_dev: 5}}
load: {type: constant, request_rate: 2.0, num_prompts: 80, warmup_requests: 10, stop_condition: {error_rate_max: 0.1}}
slo: {ttft_p99_ms: 300, ttft_warm_p99_ms: 100, e2e_p90_ms: 900, error_rate_max: 0.001}
api: {type: chat, endpoint: /v1/chat/completions, streaming: true}
)";
    auto plan = compile_text(text, card::Tool::replay);
    auto lost = losses(plan);
    BOOST_TEST(lost.size() == 2u);
    BOOST_TEST(lost.count("load.stop_condition.error_rate_max") == 1u);
    BOOST_TEST(lost.count("slo.ttft_warm_p99_ms") == 1u);
    const auto& step = plan.steps.at(0);
    BOOST_TEST(step.prepare.size() == 3u); // the route, that of the warm-up, the warm-up
    BOOST_TEST(line_of(step.prepare[0]) ==
               " route-build random --rows 81 --input-len normal:200:50 --output-len normal:20:5 --tokenizer "
               "server:http://127.0.0.1:8000 --fixed-output --seed 1 -o route-qps2.0.jsonl");
    BOOST_TEST(line_of(step.prepare[2]) ==
               " replay warmup-route-qps2.0.jsonl --api-base http://127.0.0.1:8000/v1 --model m --use-chat "
               "--pass-body --concurrency 8 --seed 1 --json-output warmup-qps2.0.jsonl");
    BOOST_TEST(
        line_of(step.argv) ==
        " replay route-qps2.0.jsonl --api-base http://127.0.0.1:8000/v1 --model m --use-chat --pass-body "
        "--replay-mode qps --target-qps 2 --continuous-qps-window --round-duration 5 --max-rounds 8 --seed 1 "
        "--json-output rounds-qps2.0.jsonl --requests-out requests-qps2.0.jsonl --objective ttft:p99<300ms "
        "--objective e2e:p90<900ms --objective success>=99.9%");

    lost = losses(compile_text(text, card::Tool::vllm));
    for (const char* key : {"dataset.input_tokens.std_dev", "dataset.output_tokens.std_dev", "load.type",
                            "load.stop_condition.error_rate_max", "slo.ttft_warm_p99_ms", "slo.e2e_p90_ms",
                            "slo.error_rate_max"})
        BOOST_TEST(lost.erase(key) == 1u, key);
    BOOST_TEST(lost.empty());

    lost = losses(compile_text(text, card::Tool::sglang));
    BOOST_TEST(lost.at("slo.ttft_p99_ms") == "sglang.bench_serving judges no limits (it has no --goodput)");
    BOOST_TEST(lost.at("dataset.input_tokens.std_dev") ==
               "SGLang's client draws lengths evenly from R·N to N: each is the mean");
    BOOST_TEST(lost.size() == 8u);
}

BOOST_AUTO_TEST_CASE(what_a_client_cannot_ask_for_is_said)
{
    const auto card = card::parse_card(R"(catalog_id: c
use_case: u
dataset: {type: synthetic}
load: {type: open-loop}
api: {type: chat, endpoint: /v2/chat/completions, streaming: false})",
                                       "c.yaml");
    const auto lost = [&](card::Tool tool) {
        std::string keys;
        for (const auto& loss : card::compile(card, {}, tool, target()).not_expressed)
            keys += loss.key + " ";
        return keys;
    };
    BOOST_TEST(lost(card::Tool::vllm) == "api.streaming ");
    BOOST_TEST(lost(card::Tool::sglang) == "api.endpoint ");
    BOOST_TEST(lost(card::Tool::replay) == "");
}

BOOST_AUTO_TEST_CASE(the_tiers_of_rag_1m_keep_their_answers)
{
    const auto card = card::load_card("examples/cards/rag-1m-context.yaml");
    const auto plan = card::compile(card, {}, card::Tool::vllm, target());
    const auto line = line_of(plan.steps.at(4).argv);
    BOOST_TEST(plan.steps[4].label == "1m_qps0.1");
    BOOST_TEST(line.find(" --prefix-repetition-prefix-len 1048320 --prefix-repetition-suffix-len 256 "
                         "--prefix-repetition-num-prefixes 4 --prefix-repetition-output-len 1024 ") !=
               std::string::npos);
    BOOST_TEST(line.find(" --num-warmups 2 --seed 5 ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_override_of_the_prompt_beats_the_card_s_contexts)
{
    const auto card = card::load_card("examples/cards/concurrency-sweep.yaml");
    const auto sidecar = card::parse_sidecar(
        "{model: {id: m}, workload_overrides: {dataset: {input_tokens: 512}}}", "sidecar");
    const auto plan = card::compile(card, sidecar.root(), card::Tool::vllm, target());
    BOOST_TEST(line_of(plan.steps.at(0).argv).find(" --random-input-len 512 ") != std::string::npos);
    BOOST_TEST(plan.notes.at(0) == "the sidecar's input_tokens replace the card's context_lengths");
}

BOOST_AUTO_TEST_CASE(the_same_arguments_give_the_same_plan)
{
    const auto card = card::load_card("examples/cards/qps-sweep.yaml");
    const auto once = to_json(card::to_record(card::compile(card, {}, card::Tool::replay, target())));
    BOOST_TEST(once == to_json(card::to_record(card::compile(card, {}, card::Tool::replay, target()))));
}

BOOST_AUTO_TEST_CASE(a_model_must_be_known)
{
    const auto card = card::load_card("examples/cards/qps-sweep.yaml");
    BOOST_CHECK_THROW(card::compile(card, {}, card::Tool::vllm, {}), InputError);
    auto unsafe = target();
    unsafe.base_url = "http://me:secret@host/v1";
    BOOST_CHECK_THROW(card::compile(card, {}, card::Tool::vllm, unsafe), UsageError);
}
