#include <slo/workload/text_positions.hpp>

#define BOOST_TEST_MODULE workload_text_positions
#include <boost/test/unit_test.hpp>

#include <slo/tokens/sim_tokenizer.hpp>

#include <string>
#include <vector>

using namespace slo;

namespace {

// Counts what it is asked; refuses two messages of one role in a row, as some templates do.
class Strict final : public tokens::Tokenizer {
public:
    std::vector<tokens::TokenList> encode_texts(std::span<const std::string> texts) override
    {
        return sim_.encode_texts(texts);
    }
    std::vector<tokens::TokenList> encode_prompts(std::span<const json::value* const> prompts) override
    {
        asked += prompts.size();
        for (const auto* prompt : prompts)
            if (const auto* messages = prompt->if_array())
                for (std::size_t i = 1; i < messages->size(); ++i)
                    if (messages->at(i).at("role") == messages->at(i - 1).at("role"))
                        throw Error("roles must alternate");
        return sim_.encode_prompts(prompts);
    }
    json::object description() const override { return {{"kind", "strict"}}; }

    std::size_t asked = 0;

private:
    tokens::SimTokenizer sim_;
};

} // namespace

BOOST_AUTO_TEST_CASE(markers_before_each_text_are_counted_once_for_each_sequence_of_roles)
{
    Strict tokenizer;
    const workload::SyntheticText words(tokenizer);
    workload::TextPositions positions(words);
    tokenizer.asked = 0;
    const std::vector<std::int64_t> expected{1, 3, 5};
    BOOST_TEST(positions.template_tokens_before({"system", "user", "assistant"}) == expected,
               boost::test_tools::per_element());
    BOOST_TEST(tokenizer.asked == 6u);
    BOOST_TEST(positions.template_tokens_before({"system", "user"}).back() == 3);
    BOOST_TEST(tokenizer.asked == 6u);
    BOOST_TEST(positions.template_tokens_before({}).front() == 0);
}

BOOST_AUTO_TEST_CASE(a_template_that_refuses_is_guessed)
{
    Strict tokenizer;
    const workload::SyntheticText words(tokenizer);
    workload::TextPositions positions(words);
    BOOST_TEST(positions.template_tokens_before({"user", "user"}).back() == 7);
}
