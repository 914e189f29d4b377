#include <slo/card/dataset_workload.hpp>

#define BOOST_TEST_MODULE card_dataset_workload
#include <boost/test/unit_test.hpp>

#include <slo/base/json_parse.hpp>

using namespace slo;

namespace {

// Opens what the readers of data sets share.
struct Parts : card::detail::DatasetParts {
    Parts(card::CardView& card, card::Tool tool) : DatasetParts(card, tool) {}
    using DatasetParts::for_each_context;
    using DatasetParts::output;
    using DatasetParts::read_output;
    using DatasetParts::set_;

    std::vector<std::string> labels()
    {
        for_each_context(
            {}, [](card::Workload& one, double tokens) { one.input = card::constant_count(tokens); });
        std::vector<std::string> list;
        for (const auto& workload : set_.workloads)
            list.push_back(workload.label + ":" + std::to_string(workload.input.whole()));
        return list;
    }
};

std::vector<std::string> labels(std::string_view dataset)
{
    card::CardView card(parse_json("{\"dataset\":" + std::string(dataset) + "}").as_object());
    return Parts(card, card::Tool::vllm).labels();
}

} // namespace

BOOST_AUTO_TEST_CASE(one_workload_for_each_context)
{
    using List = std::vector<std::string>;
    BOOST_TEST(labels("{}") == List{":0"});
    BOOST_TEST(labels(R"({"context_lengths":[512]})") == List{":0"});
    BOOST_TEST(labels(R"({"context_lengths":[512,1024.5]})") == (List{"ctx512:512", "ctx1024:1024"}));
    BOOST_TEST(
        labels(
            R"({"context_tiers":[{"label":"a","prefix_tokens":10},{"prefix_tokens":20},{"label":"c"}]})") ==
        (List{"a:10", "ctx20:20", "c:0"}));
}

BOOST_AUTO_TEST_CASE(answers_that_end_by_themselves_have_a_greatest_length)
{
    card::CardView card(
        parse_json(R"({"dataset":{"output":"run-to-eos","osl_reference":224,"output_tokens":9}})")
            .as_object());
    Parts parts(card, card::Tool::vllm);
    parts.read_output();
    BOOST_TEST(parts.output(1).whole() == 224);
    BOOST_TEST(card.not_expressed([](std::string_view) { return "unread"; }).size() == 2U);
}
