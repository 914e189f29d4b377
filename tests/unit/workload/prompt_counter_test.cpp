// SPDX-License-Identifier: MIT
#include <slo/workload/prompt_counter.hpp>

#define BOOST_TEST_MODULE workload_prompt_counter
#include <boost/test/unit_test.hpp>

#include "../../support/odd_tokenizer.hpp"

#include <string>
#include <vector>

using namespace slo;

BOOST_AUTO_TEST_CASE(many_prompts_few_calls)
{
    test::OddTokenizer tokenizer;
    workload::PromptCounter counter(tokenizer, 4);
    std::vector<json::value> prompts;
    for (int i = 0; i < 1100; ++i)
        prompts.push_back(json_text(i % 2 == 0 ? "one" : "one two three four five"));
    const auto counts = counter.count(prompts);
    BOOST_TEST(counts.size() == 1100);
    BOOST_TEST(counts[0].tokens == tokenizer.count_prompt(prompts[0]));
    BOOST_TEST(counts[1].tokens > counts[0].tokens);
    BOOST_TEST(counts[0].first_block.size() == static_cast<std::size_t>(counts[0].tokens));
    BOOST_TEST(counts[1099].first_block.size() == 4);
    BOOST_TEST(counts[1099].first_block[0] == counts[0].first_block[0]);
    BOOST_TEST(counter.counted() == 1100);
    BOOST_TEST(tokenizer.calls == 4); // three here, and one just above
    BOOST_TEST(tokenizer.largest_batch == 512);
}
