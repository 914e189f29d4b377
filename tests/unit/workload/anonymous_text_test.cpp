#include <slo/workload/anonymous_text.hpp>

#define BOOST_TEST_MODULE workload_anonymous_text
#include <boost/test/unit_test.hpp>

#include <slo/base/random.hpp>
#include <slo/tokens/sim_tokenizer.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace slo;
using workload::AnonymousText;
using workload::SyntheticText;

namespace {

const std::string key = "sixteen bytes or more";

struct Fixture {
    tokens::SimTokenizer sim;
    SyntheticText words{sim, workload::Words::at_most_three_letters};

    std::vector<tokens::Token> replace(AnonymousText& texts, const tokens::TokenList& tokens,
                                       std::int64_t position = 0)
    {
        AnonymousText::Prefix prefix;
        AnonymousText::begin_message(prefix, "user");
        const auto made =
            sim.encode_texts(std::vector<std::string>{texts.in_prompt(prefix, tokens, position, false)})[0];
        BOOST_TEST(made.size() == tokens.size());
        return made;
    }
};

std::size_t shared(const tokens::TokenList& a, const tokens::TokenList& b)
{
    return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

} // namespace

BOOST_FIXTURE_TEST_CASE(blocks_are_equal_exactly_where_they_were, Fixture)
{
    Random random(1);
    for (const std::int64_t block : {1, 4, 16}) {
        for (const std::int64_t position : {0, 1, 7, 15}) {
            AnonymousText texts(words, key, block);
            for (int pair = 0; pair < 60; ++pair) {
                tokens::TokenList one(100);
                for (auto& token : one)
                    token = static_cast<tokens::Token>(random.bits() >> 33);
                auto other = one;
                const auto at = static_cast<std::size_t>(random.uniform() * 100);
                other[at] ^= 1; // all before it are equal
                const auto kept = shared(replace(texts, one, position), replace(texts, other, position));
                const auto blocks = (static_cast<std::int64_t>(at) + position) / block;
                BOOST_TEST((static_cast<std::int64_t>(kept) + position) / block == blocks);
            }
            BOOST_TEST(texts.collisions() == 0u);
        }
    }
}

BOOST_FIXTURE_TEST_CASE(a_text_that_goes_on_keeps_its_whole_blocks, Fixture)
{
    AnonymousText texts(words, key, 16);
    tokens::TokenList all(64);
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = static_cast<tokens::Token>(i);
    const auto made = replace(texts, all);
    for (std::size_t length = 1; length <= 64; ++length) {
        const tokens::TokenList part(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(length));
        BOOST_TEST(shared(replace(texts, part), made) / 16 == length / 16);
    }
}

BOOST_FIXTURE_TEST_CASE(single_tokens_stay_different_as_long_as_there_are_words, Fixture)
{
    AnonymousText texts(words, key, 1);
    const auto count = static_cast<tokens::Token>(words.choices());
    std::set<tokens::TokenList> seen;
    for (tokens::Token token = 0; token < count; ++token)
        BOOST_TEST(seen.insert(replace(texts, {token})).second);
    BOOST_TEST(texts.collisions() == 0u);
    BOOST_TEST(texts.kept_names() == count);
    replace(texts, {3}); // known: nothing new is kept
    BOOST_TEST(texts.kept_names() == count);
    replace(texts, {count});
    BOOST_TEST(texts.collisions() == 1u);
}

BOOST_FIXTURE_TEST_CASE(another_key_gives_other_words_and_names, Fixture)
{
    AnonymousText one(words, key, 16);
    AnonymousText same(words, key, 16);
    AnonymousText other(words, "another key of some length", 16);
    const tokens::TokenList tokens(40, 5);
    BOOST_TEST(replace(one, tokens) == replace(same, tokens), boost::test_tools::per_element());
    BOOST_TEST(shared(replace(one, tokens), replace(other, tokens)) < 3u);
    BOOST_TEST(one.conversation("c-1") == same.conversation("c-1"));
    BOOST_TEST(one.conversation("c-1") != other.conversation("c-1"));
    BOOST_TEST(one.conversation("c-1") != one.conversation("c-2"));
    BOOST_TEST(one.conversation("c-1").size() == 20u);
    BOOST_TEST(one.conversation("c-1").find_first_not_of("0123456789") == std::string::npos);
    BOOST_TEST(one.identifier("get_weather").size() == 11u);
    BOOST_TEST(one.identifier("get_weather") != one.identifier("get_wether"));
    BOOST_TEST(one.alone("a text", 7) == same.alone("a text", 7));
    BOOST_TEST(sim.count_text(one.alone("a text", 7)) == 7);
}

BOOST_FIXTURE_TEST_CASE(a_part_behind_another_stays_as_many_tokens, Fixture)
{
    AnonymousText texts(words, key, 16);
    AnonymousText::Prefix prefix;
    const auto first = texts.in_prompt(prefix, {1, 2, 3}, 0, false);
    const auto second = texts.in_prompt(prefix, {4, 5}, 3, true);
    BOOST_TEST(sim.count_text(first + second) == 5);
}
