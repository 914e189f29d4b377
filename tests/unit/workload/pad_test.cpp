// SPDX-License-Identifier: MIT
#include <slo/workload/pad.hpp>

#define BOOST_TEST_MODULE workload_pad
#include <boost/test/unit_test.hpp>

#include "../../support/odd_tokenizer.hpp"

#include <slo/tokens/approx_tokenizer.hpp>

#include <string>
#include <vector>

using namespace slo;

namespace {

const std::vector<std::string> words{" context", " so", "."};

// Pads prompts of many lengths to many targets; how many are exact, and how often was asked.
struct Padded {
    int exact = 0;
    int all = 0;
    std::uint64_t counted = 0;
};

Padded pad(tokens::Tokenizer& tokenizer, const std::vector<std::string>& by)
{
    workload::PromptCounter counter(tokenizer, 16);
    workload::Padder padder(counter, by);
    std::vector<workload::Draft> drafts;
    for (std::size_t i = 0; i < 60; ++i)
        drafts.push_back(
            {std::string(i, 'x') + " system", {{"assistant", std::string(i / 3, 'y'), 1}}, "now", 0, {}});
    std::vector<json::value> prompts;
    for (const auto& draft : drafts)
        prompts.push_back(draft.prompt());
    const auto counts = counter.count(prompts);
    std::vector<workload::Padding> paddings;
    for (std::size_t i = 0; i < drafts.size(); ++i)
        paddings.push_back(
            {&drafts[i], counts[i].tokens + static_cast<std::int64_t>(i * i), counts[i], false, {}});
    padder.pad(paddings);
    Padded result;
    for (const auto& padding : paddings) {
        ++result.all;
        if (padding.exact) {
            ++result.exact;
            BOOST_TEST(tokenizer.count_prompt(padding.draft->prompt()) == padding.target);
            BOOST_TEST(padding.draft->padding == padder.text(padding.uses));
        }
    }
    result.counted = counter.counted();
    return result;
}

} // namespace

BOOST_AUTO_TEST_CASE(additive_tokens_take_one_count)
{
    test::OddTokenizer tokenizer;
    const auto padded = pad(tokenizer, words);
    BOOST_TEST(padded.exact == padded.all);
    BOOST_TEST(padded.counted == 60 + 59); // the first needs no padding
}

BOOST_AUTO_TEST_CASE(words_of_broken_costs_are_put_right)
{
    for (const double chars : {1.0, 1.7, 3.7, 4.0, 5.3, 9.0}) {
        tokens::ApproxTokenizer tokenizer(chars, tokens::ChatTemplate::plain);
        const auto padded = pad(tokenizer, words);
        BOOST_TEST_INFO("approx:" << chars);
        BOOST_TEST(padded.exact == padded.all);
        BOOST_TEST(padded.counted < 60 * 5);
    }
}

BOOST_AUTO_TEST_CASE(a_word_that_misses_lengths_says_so)
{
    test::OddTokenizer tokenizer;
    const auto padded = pad(tokenizer, {" context"}); // two tokens
    BOOST_TEST(padded.exact == 30);
}

BOOST_AUTO_TEST_CASE(a_word_that_costs_nothing_is_refused)
{
    test::OddTokenizer tokenizer(3);
    BOOST_CHECK_EXCEPTION(pad(tokenizer, {" so"}), Error, [](const Error& error) {
        return std::string(error.what()) == "padding: the word ' so' costs no tokens in this tokenizer";
    });
}
