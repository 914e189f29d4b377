// SPDX-License-Identifier: MIT
// Prompts of about TOKENS tokens, counted by a server: token_counts URL HOW PROMPTS TOKENS, where HOW is
// `chats`, `texts`, or `one` (a chat at a time). Prints prompts and seconds.

#include <slo/base/clock.hpp>
#include <slo/tokens/server_tokenizer.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

using namespace slo;

namespace {

std::string text_of(int number, int tokens)
{
    auto text = "prompt " + std::to_string(number);
    for (int i = 3; i < tokens; ++i)
        text +=
            engine::answer_words[static_cast<std::size_t>(number * 7 + i * i) % engine::answer_words.size()];
    return text;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 5)
        return 3;
    const std::string_view how = argv[2];
    tokens::ServerTokenizerOptions options;
    options.url = argv[1];
    options.api_key = "none";
    if (how == "one")
        options.pool.connections = 1;
    tokens::ServerTokenizer tokenizer(options);
    std::vector<std::string> texts;
    std::vector<json::value> chats;
    std::vector<const json::value*> prompts;
    for (int i = 0; i < std::atoi(argv[3]); ++i) {
        texts.push_back(text_of(i, std::atoi(argv[4])));
        chats.push_back(json::array{json::object{{"role", "user"}, {"content", texts.back()}}});
    }
    for (const auto& chat : chats)
        prompts.push_back(&chat);
    const auto begin_ns = monotonic_ns();
    const auto lists = how == "texts" ? tokenizer.encode_texts(texts) : tokenizer.encode_prompts(prompts);
    const double seconds = to_seconds(monotonic_ns() - begin_ns);
    std::size_t total = 0;
    for (const auto& list : lists)
        total += list.size();
    std::printf("%zu %.3f %.1f %llu\n", lists.size(), seconds,
                static_cast<double>(total) / static_cast<double>(lists.size()),
                static_cast<unsigned long long>(tokenizer.requests()));
}
