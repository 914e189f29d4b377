// SPDX-License-Identifier: MIT
#include <slo/tokens/approx_tokenizer.hpp>
#define BOOST_TEST_MODULE tokens_approx_tokenizer
#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace slo;
using namespace slo::tokens;

namespace {

TokenList encode(ApproxTokenizer& tokenizer, const std::string& text)
{
    return tokenizer.encode_texts({&text, 1}).front();
}

} // namespace

BOOST_AUTO_TEST_CASE(a_text_has_its_length_over_chars_rounded_up)
{
    for (const double chars : {0.1, 0.3, 0.5, 0.7, 1.0, 1.5, 2.7, 3.3, 4.0, 4.5, 1000.0}) {
        ApproxTokenizer tokenizer(chars);
        for (std::size_t length = 0; length <= 100; ++length) {
            const auto expected = std::ceil(static_cast<double>(length) / chars - 1e-9);
            BOOST_TEST_CONTEXT(chars << " " << length)
            BOOST_TEST(static_cast<double>(tokenizer.count_text(std::string(length, 'x'))) == expected);
        }
    }
}

BOOST_AUTO_TEST_CASE(code_points_count_not_bytes_and_bytes_that_are_no_utf_8_count_one_each)
{
    ApproxTokenizer tokenizer(2);
    BOOST_TEST(tokenizer.count_text("été水") == 2);
    BOOST_TEST(tokenizer.count_text("\xFF\xFF\xFF\xFF") == 2);
    BOOST_TEST(tokenizer.count_text("\xE6\xB0") == 1);
}

BOOST_AUTO_TEST_CASE(equal_prefixes_give_equal_tokens)
{
    for (const double chars : {0.5, 1.0, 3.3, 4.0}) {
        ApproxTokenizer tokenizer(chars);
        const auto one = encode(tokenizer, "a shared beginning, then this");
        const auto other = encode(tokenizer, "a shared beginning, then something else");
        const auto shared = static_cast<std::size_t>(std::floor(25 / chars)) - 1;
        for (std::size_t i = 0; i < shared; ++i)
            BOOST_TEST(one.at(i) == other.at(i));
        BOOST_TEST(one.back() != other.at(one.size() - 1));
    }
}

BOOST_AUTO_TEST_CASE(messages_go_through_the_template_and_a_turn_more_keeps_the_prefix)
{
    ApproxTokenizer tokenizer(1);
    const auto first = parse_json(R"([{"role":"user","content":"hi"}])");
    BOOST_TEST(tokenizer.count_prompt(first) ==
               static_cast<std::int64_t>(std::string("user: hi\n\nassistant: ").size()));
    BOOST_TEST(tokenizer.count_prompt(json::value("hi")) == 2);
    BOOST_TEST(to_json(tokenizer.description()) ==
               R"({"kind":"approx","chars_per_token":1.0,"template":"plain"})");
}

BOOST_AUTO_TEST_CASE(what_is_no_prompt_is_an_error)
{
    ApproxTokenizer tokenizer(4);
    BOOST_CHECK_THROW(tokenizer.count_prompt(json::value(1)), InputError);
    BOOST_CHECK_THROW(tokenizer.count_prompt(parse_json("[]")), InputError);
    BOOST_CHECK_THROW(ApproxTokenizer(0), UsageError);
    BOOST_CHECK_THROW(ApproxTokenizer(std::nan("")), UsageError);
    BOOST_CHECK_THROW(ApproxTokenizer(1e9), UsageError);
}
