// SPDX-License-Identifier: MIT
#include <slo/tokens/sim_tokenizer.hpp>
#define BOOST_TEST_MODULE tokens_sim_tokenizer
#include <boost/test/unit_test.hpp>

using namespace slo;
using namespace slo::tokens;

BOOST_AUTO_TEST_CASE(counts_as_the_engine_does)
{
    SimTokenizer tokenizer;
    const auto messages =
        parse_json(R"([{"role":"system","content":"Be brief."},{"role":"user","content":"hello there"}])");
    const json::value text("hello there");
    const std::vector<const json::value*> prompts{&messages, &text};
    const auto lists = tokenizer.encode_prompts(prompts);
    BOOST_REQUIRE(lists.size() == 2);
    BOOST_TEST(lists[0] == engine::tokens_of_messages(messages.as_array()), boost::test_tools::per_element());
    BOOST_TEST(lists[1] == engine::tokenize("hello there"), boost::test_tools::per_element());
    BOOST_TEST(lists[0].size() > lists[1].size());
    BOOST_TEST(tokenizer.count_text("hello there") == static_cast<std::int64_t>(lists[1].size()));
    BOOST_TEST(to_json(tokenizer.description()) == R"({"kind":"sim","template":"engine-sim"})");
}

BOOST_AUTO_TEST_CASE(what_is_no_prompt_is_an_error)
{
    SimTokenizer tokenizer;
    BOOST_CHECK_THROW(tokenizer.count_prompt(json::value(nullptr)), InputError);
    BOOST_CHECK_THROW(tokenizer.count_prompt(parse_json(R"([{"role":"robot","content":"x"}])")), InputError);
}
