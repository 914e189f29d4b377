#include <slo/workload/prompt_texts.hpp>

#define BOOST_TEST_MODULE workload_prompt_texts
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace slo;

namespace {

void take(workload::PromptTexts& batch, const std::string& body)
{
    batch.take(record::parse_route_object(R"({"ts":1,"body":)" + body + "}"));
}

} // namespace

BOOST_AUTO_TEST_CASE(texts_come_in_the_order_of_prompts_and_messages)
{
    workload::PromptTexts batch;
    take(
        batch,
        R"({"messages":[{"role":"system","content":"one"},{"role":"user","content":[{"type":"text","text":"two"},)"
        R"({"type":"image_url","image_url":{"url":"x"}},{"type":"text","text":"three"}]},)"
        R"({"role":"assistant","content":null},{"role":"tool"}],"n":2})");
    take(batch, R"({"prompt":"four"})");
    BOOST_TEST(batch.texts == (std::vector<std::string>{"one", "two", "three", "four"}),
               boost::test_tools::per_element());
    BOOST_TEST(batch.dropped_parts == 1u);
    const auto& first = batch.rows[0];
    BOOST_TEST(first.prompt_name == "messages");
    BOOST_TEST(first.roles == (std::vector<std::string>{"system", "user", "assistant", "tool"}),
               boost::test_tools::per_element());
    BOOST_TEST(first.texts[1].first == 1u);
    BOOST_TEST(first.texts[1].second == 3u);
    BOOST_TEST(first.texts[2].first == first.texts[2].second);
    BOOST_TEST(to_json(first.row.body) == R"({"n":2})");
    BOOST_TEST(batch.rows[1].prompt_name == "prompt");
    BOOST_TEST(batch.rows[1].texts[0].first == 3u);
    BOOST_TEST(to_json(first.prompt).find("image") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_is_no_prompt_is_refused)
{
    workload::PromptTexts batch;
    BOOST_CHECK_THROW(take(batch, "{}"), record::RowError);
    BOOST_CHECK_THROW(take(batch, R"({"prompt":5})"), record::RowError);
    BOOST_CHECK_THROW(take(batch, R"({"prompt":[{"content":"x"}]})"), record::RowError);
    BOOST_CHECK_THROW(take(batch, R"({"prompt":[{"role":"Jane","content":"x"}]})"), record::RowError);
}

BOOST_AUTO_TEST_CASE(messages_beside_a_prompt_are_counted)
{
    workload::PromptTexts batch;
    take(batch, R"({"prompt":"one","messages":[{"role":"user","content":"two"}]})");
    take(batch, R"({"prompt":null,"messages":[{"role":"user","content":"three"}]})");
    take(batch, R"({"prompt":"four","messages":null})");
    BOOST_TEST(batch.other_prompts == 1u);
    BOOST_TEST(batch.texts == (std::vector<std::string>{"one", "three", "four"}),
               boost::test_tools::per_element());
    BOOST_TEST(to_json(batch.rows[0].row.body) == "{}");
}
