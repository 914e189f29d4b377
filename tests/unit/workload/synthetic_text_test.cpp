#include <slo/workload/synthetic_text.hpp>

#define BOOST_TEST_MODULE workload_synthetic_text
#include <boost/test/unit_test.hpp>

#include <slo/tokens/approx_tokenizer.hpp>
#include <slo/tokens/sim_tokenizer.hpp>

#include <set>
#include <string>
#include <vector>

using namespace slo;
using workload::SyntheticText;

namespace {

void check_lengths(tokens::Tokenizer& tokenizer)
{
    const SyntheticText text(tokenizer);
    for (std::int64_t tokens = 0; tokens < 300; ++tokens) {
        const auto made = text.text(static_cast<std::uint64_t>(tokens) % 7, tokens);
        BOOST_TEST(tokenizer.count_text(made) == tokens);
    }
    const std::vector<SyntheticText::Piece> pieces{{5, 16}, {9, 1}, {5, 3}, {1, 512}};
    BOOST_TEST(tokenizer.count_text(text.text(pieces)) == 532);
}

std::size_t shared_tokens(tokens::Tokenizer& tokenizer, const std::string& a, const std::string& b)
{
    const auto lists = tokenizer.encode_texts(std::vector<std::string>{a, b});
    std::size_t shared = 0;
    while (shared < std::min(lists[0].size(), lists[1].size()) && lists[0][shared] == lists[1][shared])
        ++shared;
    return shared;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_text_has_exactly_the_tokens_asked_for)
{
    tokens::SimTokenizer sim;
    check_lengths(sim);
    for (const double chars : {1.0, 1.5, 2.0, 3.0, 3.7, 4.0, 4.2, 17.25}) {
        BOOST_TEST_CONTEXT("approx:" << chars)
        {
            tokens::ApproxTokenizer approx(chars);
            check_lengths(approx);
        }
    }
}

BOOST_AUTO_TEST_CASE(equal_streams_share_exactly_what_they_have_in_common)
{
    tokens::SimTokenizer sim;
    tokens::ApproxTokenizer approx(3.5);
    for (tokens::Tokenizer* tokenizer : std::vector<tokens::Tokenizer*>{&sim, &approx}) {
        const SyntheticText text(*tokenizer);
        const auto all = text.text(42, 100);
        for (std::int64_t tokens = 1; tokens < 100; ++tokens)
            BOOST_TEST(all.starts_with(text.text(42, tokens)));
        const std::vector<SyntheticText::Piece> one{{42, 50}, {1, 20}};
        const std::vector<SyntheticText::Piece> other{{42, 50}, {2, 20}};
        const auto shared = shared_tokens(*tokenizer, text.text(one), text.text(other));
        BOOST_TEST(shared >= 50u);
        BOOST_TEST(shared < 54u);
    }
}

BOOST_AUTO_TEST_CASE(streams_differ_within_the_first_cache_block)
{
    tokens::SimTokenizer sim;
    tokens::ApproxTokenizer approx(2);
    for (tokens::Tokenizer* tokenizer : std::vector<tokens::Tokenizer*>{&sim, &approx}) {
        const SyntheticText text(*tokenizer);
        std::set<std::string> seen;
        for (std::uint64_t stream = 0; stream < 20000; ++stream)
            BOOST_TEST(seen.insert(text.text(stream, 12)).second);
    }
}

BOOST_AUTO_TEST_CASE(what_a_template_adds_is_asked_once_for_each_list_of_roles)
{
    tokens::SimTokenizer sim;
    SyntheticText text(sim);
    BOOST_TEST(text.template_overhead({"user"}) == 3);
    BOOST_TEST(text.template_overhead({"system", "user"}) == 5);
    BOOST_TEST(text.template_overhead({}) == 0);
}

BOOST_AUTO_TEST_CASE(made_up_words_never_hold_four_letters_in_a_row)
{
    for (const double chars : {1.0, 1.1, 4.0, 6.0, 11.5, 100.0}) {
        tokens::ApproxTokenizer approx(chars);
        const auto made = SyntheticText(approx).text(3, 2000);
        int letters = 0;
        int most = 0;
        for (const char c : made) {
            letters = c >= 'a' && c <= 'z' ? letters + 1 : 0;
            most = std::max(most, letters);
        }
        BOOST_TEST(most == 3);
    }
}

BOOST_AUTO_TEST_CASE(tokens_of_less_than_a_character_are_refused)
{
    tokens::ApproxTokenizer approx(0.5);
    BOOST_CHECK_THROW(SyntheticText text(approx), Error);
}
