#include <slo/card/dataset_plain.hpp>

#define BOOST_TEST_MODULE card_dataset_plain
#include <boost/test/unit_test.hpp>

#include <slo/base/json_parse.hpp>

using namespace slo;

namespace {

struct Reader : card::detail::PlainDatasets {
    Reader(card::CardView& card, card::Tool tool) : PlainDatasets(card, tool) {}
    using PlainDatasets::rag;
    using PlainDatasets::set_;
    using PlainDatasets::shared_prefix;
    using PlainDatasets::synthetic;
    using PlainDatasets::trace;
};

card::Dataset read(std::string_view dataset, void (Reader::*type)(), card::Tool tool = card::Tool::replay)
{
    card::CardView card(parse_json("{\"dataset\":" + std::string(dataset) + "}").as_object());
    Reader reader(card, tool);
    (reader.*type)();
    return reader.set_;
}

} // namespace

BOOST_AUTO_TEST_CASE(random_prompts)
{
    auto set = read(R"({"input_tokens":{"mean":100,"std_dev":10}})", &Reader::synthetic);
    BOOST_TEST(set.workloads.at(0).input.deviation == 10);
    BOOST_TEST(set.workloads[0].output.whole() == 256);
    set = read(R"({"context_lengths":[]})", &Reader::synthetic);
    BOOST_TEST(set.workloads.at(0).input.whole() == 2048);
    set = read(R"({"context_lengths":4096,"input_tokens":5})", &Reader::synthetic);
    BOOST_TEST(set.workloads.at(0).input.whole() == 4096);
}

BOOST_AUTO_TEST_CASE(prompts_that_begin_alike)
{
    auto set = read(
        R"({"shared_prefix_tokens":0,"shared_system_prompt_tokens":70,"unique_suffix_tokens":{"mean":0},)"
        R"("per_user_query_tokens":9,"num_prefixes":3})",
        &Reader::shared_prefix);
    BOOST_TEST(set.workloads.at(0).prefix.whole() == 70);
    BOOST_TEST(set.workloads[0].suffix.whole() == 9);
    BOOST_TEST(set.workloads[0].groups == 3);
    set = read("{}", &Reader::shared_prefix);
    BOOST_TEST(
        to_json(set.summary) ==
        R"({"type":"generated-shared-prefix","shared_prefix_tokens":4096,"unique_suffix_tokens":{"mean":256},)"
        R"("prefix_groups":4,"output_tokens":{"mean":256}})");
}

BOOST_AUTO_TEST_CASE(retrieval_adds_up)
{
    const auto set =
        read(R"({"system_prompt_tokens":800,"retrieved_context_tokens":{"min":2048,"max":10240,"mean":5000},)"
             R"("user_question_tokens":{"mean":128,"std_dev":64},"prefix_reuse":false})",
             &Reader::rag);
    BOOST_TEST(set.workloads.at(0).input.whole() == 5928);
    // The prompt has at least its system prompt and the least context.
    BOOST_TEST(set.workloads[0].input.least.value() == 2848);
    BOOST_TEST(set.workloads[0].input.deviation > 2048);
}

BOOST_AUTO_TEST_CASE(traces)
{
    auto set = read(R"({"fallback":{"source":"sharegpt","sample_size":200}})", &Reader::trace);
    BOOST_TEST(set.workloads.at(0).source == "sharegpt");
    BOOST_TEST(set.workloads[0].sample_size == 200);
    BOOST_TEST(!set.workloads[0].exact_output);
    set = read(R"({"source":"mooncake","fallback":{"source":"sharegpt"},"path":"/t"})", &Reader::trace);
    BOOST_TEST(set.workloads.at(0).source == "mooncake");
    BOOST_TEST(set.workloads[0].path == "/t");
}
