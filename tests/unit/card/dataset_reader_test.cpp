#include <slo/card/dataset_reader.hpp>

#define BOOST_TEST_MODULE card_dataset_reader
#include <boost/test/unit_test.hpp>

#include <slo/base/json_parse.hpp>

using namespace slo;
using Kind = card::Workload::Kind;

namespace {

card::Dataset read(std::string_view text, card::Tool tool = card::Tool::replay)
{
    card::CardView card(parse_json(text).as_object());
    return card::read_dataset(card, tool);
}

std::string refusal(std::string_view text)
{
    try {
        read(text);
    } catch (const card::Unsupported& obstacle) {
        return obstacle.code() + " " + obstacle.what();
    }
    return "read";
}

} // namespace

BOOST_AUTO_TEST_CASE(types_that_need_more_than_a_command_line_name_what_would_run_them)
{
    BOOST_TEST(read(R"({"modality":"video","dataset":{"type":"synthetic"}})").orchestrator == "video_runner");
    BOOST_TEST(read(R"({"dataset":{"type":"real-seeded-synthetic"}})").orchestrator == "fin_replay_runner");
    constexpr auto chat = R"({"dataset":{"type":"synthetic-multiturn"}})";
    BOOST_TEST(read(chat, card::Tool::vllm).orchestrator == "multiturn_session_runner");
    BOOST_TEST(read(chat).orchestrator == "");
}

BOOST_AUTO_TEST_CASE(sessions_are_read_by_either_set_of_names)
{
    auto one =
        read(
            R"({"dataset":{"type":"synthetic-agentic","system_prompt_tokens":12,"input_tokens_first_turn":40,)"
            R"("input_tokens_subsequent":10,"output_tokens":20,"turns_per_session":8}})")
            .workloads.at(0);
    BOOST_TEST((one.kind == Kind::sessions));
    BOOST_TEST(one.prefix.whole() == 12);
    BOOST_TEST(one.input.whole() == 40);
    BOOST_TEST(one.suffix.whole() == 10);
    BOOST_TEST(one.output.whole() == 20);
    BOOST_TEST(one.turns.whole() == 8);
    one =
        read(R"({"dataset":{"type":"synthetic-multiturn","user_turn_tokens":25,"assistant_turn_tokens":50}})")
            .workloads.at(0);
    BOOST_TEST(one.input.whole() == 25);
    BOOST_TEST(one.output.whole() == 50);
}

BOOST_AUTO_TEST_CASE(pairs_and_pools_are_one_workload_each)
{
    auto set = read(R"({"dataset":{"type":"synthetic-fixed-seq","sequence_pairs":[)"
                    R"({"input_tokens":1024,"output_tokens":8192},{"input_tokens":8,"output_tokens":9}]}})");
    BOOST_TEST(set.workloads.size() == 2U);
    BOOST_TEST(set.workloads[0].label == "isl1024_osl8192");
    constexpr auto pool =
        R"({"dataset":{"type":"distinct-prefix-pool"},"prefix_pool":{"distinct_prefixes_sweep":[2,3],)"
        R"("prefix_tokens_each":900,"access_distribution_sweep":["zipfian","uniform"],"zipf_s":1.1}})";
    set = read(pool);
    BOOST_TEST(set.workloads.size() == 4U);
    BOOST_TEST(set.workloads[0].label == "prefixes2_zipfian");
    BOOST_TEST(set.workloads[0].zipf.value() == 1.1);
    BOOST_TEST(!set.workloads[1].zipf);
    BOOST_TEST(set.workloads[3].groups == 3);
    BOOST_TEST(read(pool, card::Tool::vllm).workloads.size() == 2U);
}

BOOST_AUTO_TEST_CASE(scenarios_stand_for_a_data_set)
{
    const auto set =
        read(R"({"scenarios":[{"id":"cold","force_isl":500,"output":"run-to-eos","osl_reference":20},)"
             R"({"id":"warm","shared_prefix_tokens":90,"total_isl":100,"osl_reference":20}]})");
    BOOST_TEST((set.workloads.at(0).kind == Kind::random));
    BOOST_TEST(set.workloads[0].input.whole() == 500);
    BOOST_TEST(!set.workloads[0].exact_output);
    BOOST_TEST((set.workloads.at(1).kind == Kind::shared_prefix));
    BOOST_TEST(set.workloads[1].suffix.whole() == 10);
    BOOST_TEST(set.workloads[1].groups == 1);
}

BOOST_AUTO_TEST_CASE(what_is_no_data_set_is_named)
{
    BOOST_TEST(
        refusal("{}").starts_with("unregistered_dataset_type dataset.type: is missing: set it to synthetic"));
    BOOST_TEST(refusal(R"({"dataset":{"type":"syntetic"}})") ==
               "unregistered_dataset_type dataset.type: 'syntetic' is unknown; did you mean synthetic?");
    BOOST_TEST(
        refusal(R"({"dataset":{"type":"synthetic-fixed-seq"}})").starts_with("fixed_seq_without_pairs"));
    BOOST_TEST(refusal(R"({"dataset":{"type":"distinct-prefix-pool"}})")
                   .starts_with("prefix_pool_without_prefixes"));
    BOOST_TEST(
        refusal(R"({"dataset":{"type":"distinct-prefix-pool"},"prefix_pool":{"distinct_prefixes_sweep":[1],)"
                R"("access_distribution_sweep":["normal"]}})")
            .starts_with("unknown_access_distribution"));
}
