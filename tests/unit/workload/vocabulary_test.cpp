#include <slo/workload/vocabulary.hpp>

#define BOOST_TEST_MODULE workload_vocabulary
#include <boost/test/unit_test.hpp>

#include <slo/engine/tokenizer.hpp>
#include <slo/tokens/sim_tokenizer.hpp>

#include <string>

using namespace slo;

namespace {

// Takes every second word for two tokens, and "the" after "of" as one with it.
class Picky final : public tokens::Tokenizer {
public:
    std::vector<tokens::TokenList> encode_texts(std::span<const std::string> texts) override
    {
        ++asked;
        std::vector<tokens::TokenList> lists;
        for (const auto& text : texts)
            lists.push_back(encode(text));
        return lists;
    }
    std::vector<tokens::TokenList> encode_prompts(std::span<const json::value* const> prompts) override
    {
        ++asked;
        std::vector<tokens::TokenList> lists;
        for (const auto* prompt : prompts) {
            auto text = std::string(prompt->at(0).at("content").as_string());
            lists.push_back(encode(text));
            if (text[0] == 'b') // a text that begins like this loses its first token to the template
                lists.back().pop_back();
        }
        return lists;
    }
    json::object description() const override { return {{"kind", "picky"}}; }

    int asked = 0;

private:
    static tokens::TokenList encode(const std::string& text)
    {
        tokens::TokenList list;
        std::string before;
        for (std::size_t begin = 0; begin < text.size();) {
            const auto end = std::min(text.find(' ', begin + 1), text.size());
            const auto word = text.substr(begin, end - begin);
            begin = end;
            const auto token = engine::token_of(word.starts_with(' ') ? word.substr(1) : word);
            if (!(before == " of" && word == " in"))
                list.push_back(token);
            if (token % 2 == 1 && word != " of" && word != " in" && word != "of" && word != "in")
                list.push_back(0);
            before = word;
        }
        return list;
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(the_words_are_one_token_each_for_engine_sim)
{
    tokens::SimTokenizer tokenizer;
    const auto words = find_vocabulary(tokenizer, workload::Words::any);
    BOOST_TEST(words.size() > 350u);
    for (const auto& word : words) {
        BOOST_TEST(word[0] == ' ');
        BOOST_TEST(tokenizer.count_text(word) == 1);
    }
}

BOOST_AUTO_TEST_CASE(short_words_have_three_letters_at_most)
{
    tokens::SimTokenizer tokenizer;
    const auto words = find_vocabulary(tokenizer, workload::Words::at_most_three_letters);
    BOOST_TEST(words.size() > 200u);
    for (const auto& word : words)
        BOOST_TEST(word.size() <= 4u);
}

BOOST_AUTO_TEST_CASE(words_of_two_tokens_or_swallowed_by_a_template_are_left_out)
{
    Picky tokenizer;
    const auto words = find_vocabulary(tokenizer, workload::Words::any);
    BOOST_TEST(words.size() > 100u);
    std::string text;
    for (const auto& word : words) {
        BOOST_TEST(word[1] != 'b');
        text += text.empty() ? word.substr(1) : word;
    }
    BOOST_TEST(tokenizer.count_text(text) == static_cast<std::int64_t>(words.size()));
    BOOST_TEST(tokenizer.asked < 12);
}

BOOST_AUTO_TEST_CASE(a_tokenizer_without_such_words_is_refused)
{
    class Bytes final : public tokens::Tokenizer {
    public:
        std::vector<tokens::TokenList> encode_texts(std::span<const std::string> texts) override
        {
            std::vector<tokens::TokenList> lists;
            for (const auto& text : texts)
                lists.emplace_back(text.begin(), text.end());
            return lists;
        }
        std::vector<tokens::TokenList> encode_prompts(std::span<const json::value* const>) override
        {
            return {};
        }
        json::object description() const override { return {}; }
    } tokenizer;
    BOOST_CHECK_THROW(find_vocabulary(tokenizer, workload::Words::any), Error);
}
