#include <slo/tokens/tokenizer.hpp>

#define BOOST_TEST_MODULE tokens_tokenizer
#include <boost/test/unit_test.hpp>

using namespace slo;

namespace {

// A token a byte; a prompt that is no text has one token more for its template.
class Bytes : public tokens::Tokenizer {
public:
    std::vector<tokens::TokenList> encode_texts(std::span<const std::string> texts) override
    {
        std::vector<tokens::TokenList> lists;
        for (const auto& text : texts)
            lists.emplace_back(text.begin(), text.end());
        return lists;
    }

    std::vector<tokens::TokenList> encode_prompts(std::span<const json::value* const> prompts) override
    {
        std::vector<tokens::TokenList> lists;
        for (const auto* prompt : prompts)
            lists.emplace_back(prompt->is_string() ? prompt->get_string().size()
                                                   : to_json(*prompt).size() + 1);
        return lists;
    }

    json::object description() const override { return {{"kind", "bytes"}}; }
};

} // namespace

BOOST_AUTO_TEST_CASE(one_text_and_one_prompt_are_batches_of_one)
{
    Bytes bytes;
    BOOST_TEST(bytes.count_text("four") == 4);
    BOOST_TEST(bytes.count_text("") == 0);
    BOOST_TEST(bytes.count_prompt("text") == 4);
    BOOST_TEST(bytes.count_prompt(json::array{1, 2}) == 6);
}
