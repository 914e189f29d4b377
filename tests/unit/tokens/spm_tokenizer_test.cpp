// SPDX-License-Identifier: MIT
#include <slo/tokens/spm_tokenizer.hpp>
#define BOOST_TEST_MODULE tokens_spm_tokenizer
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_file.hpp"

#include <cstdlib>
#include <fstream>
#include <random>

using namespace slo;
using namespace slo::tokens;

namespace {

// Trained on made-up corpora: BPE of some hundred words with byte fallback, "<|im_start|>", "<|im_end|>" as
// symbols, and <s>; unigram without.
const std::string bpe = "tests/data/tokens/bpe.model";
const std::string unigram = "tests/data/tokens/unigram.model";

std::string refusal(const std::string& bytes)
{
    const test::ScratchFile file;
    std::ofstream(file.path(), std::ios::binary) << bytes;
    try {
        SpmTokenizer tokenizer(file.path());
    } catch (const InputError& error) {
        return std::string(error.what()).substr(file.path().size());
    }
    return "none";
}

} // namespace

BOOST_AUTO_TEST_CASE(texts_are_encoded_without_special_tokens)
{
    SpmTokenizer tokenizer(bpe);
    // " the river" are two pieces of the vocabulary; what is in none falls back to its bytes.
    BOOST_TEST(tokenizer.count_text("the river") == 2);
    BOOST_TEST(tokenizer.count_text("") == 0);
    BOOST_TEST(tokenizer.count_text("the river\xF0\x9F\x9A\x80") == 6);
    BOOST_TEST(SpmTokenizer(unigram).count_text("the river") == 2);
}

BOOST_AUTO_TEST_CASE(prompts_begin_with_the_mark_where_the_model_has_one)
{
    SpmTokenizer tokenizer(bpe);
    const auto tokens = tokenizer.encode_texts(std::vector<std::string>{"the river"}).front();
    const json::value prompt("the river");
    const json::value* const one = &prompt;
    auto begun = tokenizer.encode_prompts({&one, 1}).front();
    BOOST_REQUIRE(begun.size() == tokens.size() + 1);
    BOOST_TEST(begun.front() == 1U);
    begun.erase(begun.begin());
    BOOST_TEST(begun == tokens, boost::test_tools::per_element());
    BOOST_TEST(SpmTokenizer(unigram).count_prompt(prompt) == 2);
}

BOOST_AUTO_TEST_CASE(chats_go_through_the_template_whose_marks_are_tokens)
{
    const auto chat = parse_json(R"([{"role":"user","content":"the river"}])");
    SpmTokenizer chatml(bpe, ChatTemplate::chatml);
    SpmTokenizer plain(bpe, ChatTemplate::plain);
    // In ChatML each of the three marks is one token here; spelt out they would be eleven and more.
    BOOST_TEST(chatml.count_prompt(chat) <
               chatml.count_prompt(
                   json::value("<|im_start |>user\nthe river<|im_end |>\n<|im_start |>assistant\n")) -
                   20);
    BOOST_TEST(chatml.count_prompt(chat) ==
               chatml.count_prompt(json::value(render(ChatTemplate::chatml, chat.as_array()))));
    BOOST_TEST(plain.count_prompt(chat) == plain.count_prompt(json::value("user: the river\n\nassistant: ")));
}

BOOST_AUTO_TEST_CASE(the_record_names_the_model_by_its_digest)
{
    const auto said = SpmTokenizer(bpe, ChatTemplate::chatml).description();
    BOOST_TEST(said.at("kind").as_string() == "spm");
    BOOST_TEST(said.at("file").as_string() == bpe);
    BOOST_TEST(said.at("sha256").as_string().size() == 64U);
    BOOST_TEST(said.at("vocabulary").as_int64() == 1200);
    BOOST_TEST(said.at("template").as_string() == "chatml");
    BOOST_TEST(said.at("begins_prompts").as_bool());
}

BOOST_AUTO_TEST_CASE(what_is_no_model_is_refused_with_one_line)
{
    const auto model = io::read_all(bpe, 1 << 20);
    for (const auto& bad : {std::string(), std::string("{\"model\":1}"), model.substr(0, 100),
                            std::string(5000, '\xFF'), std::string(100000, '\n')}) {
        const auto seen = refusal(bad);
        BOOST_TEST(seen.starts_with(": not a sentencepiece model: "), seen);
        BOOST_TEST(seen.find('\n') == std::string::npos);
        BOOST_TEST(seen.find(".cc") == std::string::npos, seen);
    }
    BOOST_CHECK_THROW(SpmTokenizer("tests/data/tokens/nowhere.model"), IoError);
    BOOST_CHECK_THROW(SpmTokenizer("tests/data/tokens"), Error);
}

BOOST_AUTO_TEST_CASE(a_damaged_model_is_refused_or_counts_but_never_ends_the_process)
{
    const auto model = io::read_all(unigram, 1 << 20);
    std::mt19937 random(1);
    for (int i = 0; i < 40; ++i) {
        auto damaged = model;
        for (int k = 0; k < 8; ++k)
            damaged[random() % damaged.size()] = static_cast<char>(random());
        const auto seen = refusal(damaged);
        BOOST_TEST((seen == "none" || seen.starts_with(": ")), seen);
    }
}

BOOST_AUTO_TEST_CASE(a_child_that_dies_or_throws_is_seen)
{
    using tokens::detail::child_survives;
    BOOST_TEST(child_survives([] {}));
    BOOST_TEST(!child_survives([] { std::abort(); }));
    BOOST_TEST(!child_survives([] { throw Error("no"); }));
    BOOST_TEST(tokens::detail::survives_trial(io::read_all(bpe, 1 << 20)));
}
