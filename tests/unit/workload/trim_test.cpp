// SPDX-License-Identifier: MIT
#include <slo/workload/trim.hpp>

#define BOOST_TEST_MODULE workload_trim
#include <boost/test/unit_test.hpp>

#include "../../support/odd_tokenizer.hpp"

#include <slo/base/random.hpp>

#include <string>
#include <vector>

using namespace slo;

namespace {

workload::Draft draft(Random& random, std::size_t messages)
{
    workload::Draft made{"a system message", {}, "now", 0, {}};
    for (std::size_t i = 0; i < messages; ++i) {
        std::string text;
        // Tokens a byte differ widely: letters, dots, and now and then nothing.
        for (auto words = random.bits() % 40; words > 0; --words)
            text += random.bits() % 3 == 0 ? "......" : random.bits() % 2 == 0 ? " ein" : " überlang";
        made.messages.push_back({i % 2 == 0 ? "assistant" : "user", text, 1});
    }
    return made;
}

std::vector<workload::Trimming> trimmed(workload::PromptCounter& counter,
                                        std::vector<workload::Draft>& drafts, std::int64_t limit)
{
    std::vector<json::value> prompts;
    for (const auto& one : drafts)
        prompts.push_back(one.prompt());
    auto counts = counter.count(prompts);
    std::vector<workload::Trimming> trimmings;
    for (std::size_t i = 0; i < drafts.size(); ++i)
        trimmings.push_back({&drafts[i], limit, counts[i], false});
    workload::trim_histories(counter, trimmings);
    return trimmings;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_first_message_from_which_the_rest_fits)
{
    test::OddTokenizer tokenizer;
    Random random(3);
    std::vector<workload::Draft> drafts;
    for (std::size_t i = 0; i < 300; ++i)
        drafts.push_back(draft(random, i % 60));
    const std::int64_t limit = 400;
    workload::PromptCounter counter(tokenizer, 16);
    const auto trimmings = trimmed(counter, drafts, limit);
    const auto calls = tokenizer.calls;
    const auto asked = counter.counted() - 300;
    int cut = 0;
    for (const auto& trimming : trimmings) {
        const auto start = trimming.draft->start;
        BOOST_TEST(trimming.fits);
        BOOST_TEST(trimming.count.tokens == tokenizer.count_prompt(trimming.draft->prompt()));
        BOOST_TEST(trimming.count.tokens <= limit);
        cut += start > 0;
        if (start > 0)
            BOOST_TEST(tokenizer.count_prompt(trimming.draft->prompt_from(start - 1)) > limit);
    }
    BOOST_TEST(cut > 100);
    // Two counts a prompt prove an answer; few take many more.
    BOOST_TEST(asked < static_cast<std::size_t>(cut) * 5);
    BOOST_TEST(calls < 20);
}

BOOST_AUTO_TEST_CASE(what_fits_is_not_touched)
{
    test::OddTokenizer tokenizer;
    Random random(4);
    std::vector<workload::Draft> drafts{draft(random, 5)};
    workload::PromptCounter counter(tokenizer, 16);
    const auto trimmings = trimmed(counter, drafts, 100'000);
    BOOST_TEST(trimmings[0].fits);
    BOOST_TEST(drafts[0].start == 0);
    BOOST_TEST(counter.counted() == 1);
}

BOOST_AUTO_TEST_CASE(the_system_message_stays_even_where_it_is_too_long)
{
    test::OddTokenizer tokenizer;
    Random random(5);
    std::vector<workload::Draft> drafts{draft(random, 5), draft(random, 0)};
    workload::PromptCounter counter(tokenizer, 16);
    const auto trimmings = trimmed(counter, drafts, 6);
    BOOST_TEST(!trimmings[0].fits);
    BOOST_TEST(drafts[0].start == 5);
    BOOST_TEST(drafts[0].system == "a system message");
    BOOST_TEST(!trimmings[1].fits);
}
