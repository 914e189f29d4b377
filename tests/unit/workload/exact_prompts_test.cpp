#include <slo/workload/exact_prompts.hpp>

#define BOOST_TEST_MODULE workload_exact_prompts
#include <boost/test/unit_test.hpp>

#include <slo/tokens/approx_tokenizer.hpp>
#include <slo/tokens/sim_tokenizer.hpp>
#include <slo/tokens/spm_tokenizer.hpp>

#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace slo;
using workload::ExactPrompts;
using workload::PromptPlan;
using workload::Recount;

namespace {

std::vector<PromptPlan> plans_of(std::int64_t first, std::int64_t last)
{
    std::vector<PromptPlan> plans;
    for (auto tokens = first; tokens <= last; ++tokens) {
        PromptPlan plan;
        plan.tokens = tokens;
        plan.messages = {{"system", {{1, 20}}}, {"user", {{static_cast<std::uint64_t>(tokens), 1}}}};
        plans.push_back(plan);
    }
    return plans;
}

// Prompts of `from` tokens and more seem one longer than they are.
class Liar final : public tokens::Tokenizer {
public:
    explicit Liar(std::size_t from) : from_(from) {}
    std::vector<tokens::TokenList> encode_texts(std::span<const std::string> texts) override
    {
        return sim_.encode_texts(texts);
    }
    std::vector<tokens::TokenList> encode_prompts(std::span<const json::value* const> prompts) override
    {
        auto lists = sim_.encode_prompts(prompts);
        prompts_asked += prompts.size();
        for (auto& list : lists)
            if (list.size() >= from_)
                list.push_back(7);
        return lists;
    }
    json::object description() const override { return {{"kind", "liar"}}; }

    std::size_t prompts_asked = 0;

private:
    tokens::SimTokenizer sim_;
    std::size_t from_;
};

} // namespace

BOOST_AUTO_TEST_CASE(whole_prompts_have_exactly_the_tokens_asked_for)
{
    std::vector<std::unique_ptr<tokens::Tokenizer>> tokenizers;
    tokenizers.push_back(std::make_unique<tokens::SimTokenizer>());
    for (const double chars : {1.0, 1.3, 2.5, 3.7, 4.0, 4.21, 9.9})
        for (const auto form :
             {tokens::ChatTemplate::plain, tokens::ChatTemplate::chatml, tokens::ChatTemplate::llama3})
            tokenizers.push_back(std::make_unique<tokens::ApproxTokenizer>(chars, form));
    for (const char* model : {"tests/data/tokens/bpe.model", "tests/data/tokens/unigram.model"})
        for (const auto form :
             {tokens::ChatTemplate::plain, tokens::ChatTemplate::chatml, tokens::ChatTemplate::llama3})
            tokenizers.push_back(std::make_unique<tokens::SpmTokenizer>(model, form));
    for (const auto& tokenizer : tokenizers) {
        ExactPrompts prompts(*tokenizer);
        auto plans = plans_of(250, 500);
        const auto made = prompts.make(plans);
        for (std::size_t i = 0; i < made.size(); ++i)
            BOOST_TEST(tokenizer->count_prompt(made[i]) == static_cast<std::int64_t>(250 + i));
        BOOST_TEST(prompts.counted()[3].size() == 253u);
        BOOST_TEST(prompts.facts().at("counted") == 251);
    }
}

BOOST_AUTO_TEST_CASE(a_text_as_prompt_and_pieces_as_they_stand)
{
    tokens::SimTokenizer sim;
    ExactPrompts prompts(sim);
    PromptPlan raw;
    raw.raw = true;
    raw.messages = {{"", {{4, 30}, {5, 7}}}};
    PromptPlan list;
    list.messages = {{"user", {{4, 30}, {5, 7}}}};
    std::vector<PromptPlan> plans{raw, list};
    const auto made = prompts.make(plans);
    BOOST_TEST(made[0].is_string());
    BOOST_TEST(sim.count_prompt(made[0]) == 37);
    BOOST_TEST(sim.count_prompt(made[1]) == 40);
}

BOOST_AUTO_TEST_CASE(no_room_is_said)
{
    tokens::SimTokenizer sim;
    ExactPrompts prompts(sim);
    auto plans = plans_of(25, 25);
    BOOST_CHECK_EXCEPTION(prompts.make(plans), Error, [](const Error& error) {
        return std::string(error.what()) ==
               "prompt 1: 25 tokens leave no room for its text: template and earlier text take 25";
    });
}

BOOST_AUTO_TEST_CASE(a_sample_that_is_off_has_all_counted)
{
    Liar honest(1000000);
    ExactPrompts few(honest, Recount::sample);
    auto plans = plans_of(100, 355);
    few.make(plans);
    BOOST_TEST(few.facts().at("counted") == 67);
    BOOST_TEST(few.facts().at("corrected") == 0);

    Liar liar(150);
    ExactPrompts many(liar, Recount::sample);
    plans = plans_of(190, 445);
    const auto made = many.make(plans);
    BOOST_TEST(many.facts().at("counted") == 256);
    BOOST_TEST(many.facts().at("corrected") == 256);
    for (std::size_t i = 0; i < made.size(); ++i)
        BOOST_TEST(liar.count_prompt(made[i]) == static_cast<std::int64_t>(190 + i));
}

BOOST_AUTO_TEST_CASE(a_length_that_no_text_has_is_said)
{
    Liar liar(150);
    ExactPrompts prompts(liar);
    auto plans = plans_of(150, 150);
    BOOST_CHECK_EXCEPTION(prompts.make(plans), Error, [](const Error& error) {
        return std::string(error.what()).find("instead of 150, whatever its text") != std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(short_prompts_differ_where_there_is_room_and_else_are_counted)
{
    tokens::SimTokenizer sim;
    const auto repeated = [&](bool distinct, std::size_t count, bool stays) {
        ExactPrompts prompts(sim);
        if (distinct)
            prompts.keep_distinct();
        std::vector<PromptPlan> plans(count);
        for (std::size_t i = 0; i < count; ++i) {
            plans[i].raw = true;
            plans[i].stays = stays;
            plans[i].messages = {{"", {{i, 1}}}};
        }
        std::set<std::string> seen;
        std::uint64_t same = 0;
        for (const auto& prompt : prompts.make(plans)) {
            BOOST_TEST(sim.count_prompt(prompt) == 1);
            same += !seen.insert(to_json(prompt)).second;
        }
        BOOST_TEST(prompts.repeated() == (distinct ? same : 0));
        BOOST_TEST(prompts.has_found_all_repeated());
        return same;
    };
    workload::SyntheticText text(sim);
    const auto words = static_cast<std::size_t>(text.choices());
    BOOST_TEST(repeated(false, words / 2, false) > 0u);
    BOOST_TEST(repeated(true, words / 2, true) > 0u);
    BOOST_TEST(repeated(true, words / 2, false) == 0u);
    BOOST_TEST(repeated(true, words + 10, false) >= 10u);
}
