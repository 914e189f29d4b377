// SPDX-License-Identifier: MIT
// Tokens as an inference server counts them, many at a time, each asked for once.

#ifndef SLO_TOKENS_SERVER_TOKENIZER_HPP
#define SLO_TOKENS_SERVER_TOKENIZER_HPP

#include <slo/base/digest.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/shown_url.hpp>
#include <slo/tokens/chat_template.hpp>
#include <slo/tokens/prompt.hpp>
#include <slo/tokens/request_pool.hpp>
#include <slo/tokens/server_form.hpp>
#include <slo/tokens/server_probe.hpp>
#include <slo/tokens/token_store.hpp>
#include <slo/tokens/tokenizer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace slo::tokens {

/// How a server is used as a tokenizer.
struct ServerTokenizerOptions {
    std::string url;                           ///< "http://127.0.0.1:8000", with or without "/v1"
    std::string model;                         ///< empty: the server's first
    std::string api_key;                       ///< visible ASCII
    std::string cache_file;                    ///< empty: none
    std::optional<ChatTemplate> chat_template; ///< renders chats here; else the server does
    PoolOptions pool;
    std::size_t batch_texts = 64; ///< in one request, where the server takes lists
};

/// Asks a server: texts in batches where it takes lists, else with many requests in flight. What was asked
/// before, in this run or, by the cache file, in another, is not asked again. A text prompt is counted with
/// the special tokens that the server puts before a completion's prompt.
class ServerTokenizer final : public Tokenizer {
public:
    /// Asks the server what it is. Throws UsageError, IoError, InputError, Error.
    explicit ServerTokenizer(const ServerTokenizerOptions& options)
        : options_(options),
          store_(options.cache_file.empty() ? TokenStore() : TokenStore(options.cache_file)),
          pool_(server_root(options.url), options.api_key, options.pool),
          probe_(probe_server(pool_, options.model, !options.chat_template))
    {
    }

    std::vector<TokenList> encode_texts(std::span<const std::string> texts) override
    {
        std::vector<Item> items;
        items.reserve(texts.size());
        for (const auto& text : texts)
            items.push_back({Kind::text, to_json(json_text(text))});
        return encode(items);
    }

    std::vector<TokenList> encode_prompts(std::span<const json::value* const> prompts) override
    {
        std::vector<Item> items;
        items.reserve(prompts.size());
        for (const auto* prompt : prompts)
            items.push_back(visit_prompt(
                *prompt, [&](const json::array& messages) { return chat(messages); },
                [](std::string_view text) {
                    return Item{Kind::prompt, to_json(json_text(text))};
                }));
        return encode(items);
    }

    json::object description() const override
    {
        return {{"kind", "server"},
                {"url", json_text(pool_.shown({}))},
                {"form", json_text(name_of(probe_.form.kind))},
                {"model", text_or_null(probe_.form.model)},
                {"template", json_text(options_.chat_template ? name_of(*options_.chat_template) : "server")},
                {"max_model_len", or_null(probe_.max_model_len)},
                {"fingerprint", json_text(probe_.fingerprint.substr(0, 16))}};
    }

    /// Requests sent so far, those included that found out what the server is.
    std::uint64_t requests() const noexcept { return pool_.sent(); }

private:
    enum class Kind { text, prompt, chat };
    static constexpr std::size_t kinds = 3;
    static constexpr std::size_t batch_bytes = std::size_t{1} << 20;

    struct Item {
        Kind kind;
        std::string json;
    };

    Item chat(const json::array& messages) const
    {
        if (options_.chat_template)
            return {Kind::text, to_json(json_text(render(*options_.chat_template, messages)))};
        if (!probe_.chat_refusal.empty())
            throw Error(pool_.shown(probe_.form.tokenize_path), "does not count chats (" +
                                                                    probe_.chat_refusal +
                                                                    "); --chat-template renders them here");
        return {Kind::chat, to_json(messages)};
    }

    // The key names the server's answers by what it was found to be, so that another model, tokenizer or
    // template behind the same name is asked anew.
    std::string key_of(const Item& item) const
    {
        Sha256 digest;
        digest.update(probe_.fingerprint);
        digest.update(item.kind == Kind::text ? "text\n" : item.kind == Kind::prompt ? "prompt\n" : "chat\n");
        digest.update(item.json);
        return digest.finish();
    }

    std::vector<TokenList> encode(const std::vector<Item>& items)
    {
        std::vector<TokenList> lists(items.size());
        std::vector<std::string> keys(items.size());
        std::unordered_map<std::string_view, std::size_t> asked; // key to the first item that has it
        std::vector<std::pair<std::size_t, std::size_t>> equals; // item, the first like it
        std::vector<std::size_t> missing[kinds];
        for (std::size_t i = 0; i < items.size(); ++i) {
            keys[i] = key_of(items[i]);
            const auto [first, is_new] = asked.emplace(keys[i], i);
            if (!is_new)
                equals.emplace_back(i, first->second);
            else if (auto known = store_.find(keys[i]))
                lists[i] = std::move(*known);
            else
                missing[static_cast<std::size_t>(items[i].kind)].push_back(i);
        }
        const auto found = [&](std::size_t item, TokenList tokens) {
            store_.put(keys[item], tokens);
            lists[item] = std::move(tokens);
        };
        const struct Flushed {
            TokenStore& store;
            ~Flushed()
            {
                try {
                    store.flush(); // what an error leaves behind is of use, too
                } catch (const Error&) {
                }
            }
        } flushed{store_};
        ask_texts(items, missing[static_cast<std::size_t>(Kind::text)], false, found);
        ask_texts(items, missing[static_cast<std::size_t>(Kind::prompt)], true, found);
        ask_chats(items, missing[static_cast<std::size_t>(Kind::chat)], found);
        store_.flush();
        for (const auto& [item, like] : equals)
            lists[item] = lists[like];
        return lists;
    }

    template <class Found>
    void ask_texts(const std::vector<Item>& items, const std::vector<std::size_t>& missing, bool special,
                   const Found& found)
    {
        if (!probe_.form.takes_lists)
            return ask_one_by_one(
                missing, [&](std::size_t i) -> std::string_view { return items[missing[i]].json; }, special,
                found);
        const auto batches = in_batches(items, missing);
        pool_.post_all(
            probe_.form.tokenize_path, batches.size(),
            [&](std::size_t batch) {
                std::vector<std::string_view> texts;
                for (const auto item : batches[batch])
                    texts.push_back(items[item].json);
                return texts_request(probe_.form, texts, special);
            },
            [&](std::size_t batch, std::string_view body) {
                auto lists = read_token_lists(body, batches[batch].size());
                for (std::size_t i = 0; i < lists.size(); ++i) {
                    auto& tokens = lists[i];
                    if (!special)
                        tokens.erase(tokens.begin(),
                                     tokens.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                          tokens.size(), probe_.form.unasked_tokens)));
                    found(batches[batch][i], std::move(tokens));
                }
            });
    }

    std::vector<std::span<const std::size_t>> in_batches(const std::vector<Item>& items,
                                                         std::span<const std::size_t> missing) const
    {
        std::vector<std::span<const std::size_t>> batches;
        while (!missing.empty()) {
            std::size_t count = 0;
            std::size_t bytes = 0;
            do
                bytes += items[missing[count++]].json.size();
            while (count < std::min(options_.batch_texts, missing.size()) &&
                   bytes + items[missing[count]].json.size() <= batch_bytes);
            batches.push_back(missing.first(count));
            missing = missing.subspan(count);
        }
        return batches;
    }

    template <class TextOf, class Found>
    void ask_one_by_one(const std::vector<std::size_t>& missing, const TextOf& text_of, bool special,
                        const Found& found)
    {
        pool_.post_all(
            probe_.form.tokenize_path, missing.size(),
            [&](std::size_t i) { return text_request(probe_.form, text_of(i), special); },
            [&](std::size_t i, std::string_view body) { found(missing[i], read_tokens(body)); });
    }

    template <class Found>
    void ask_chats(const std::vector<Item>& items, const std::vector<std::size_t>& missing,
                   const Found& found)
    {
        const auto ask = [&](std::size_t i) { return messages_request(probe_.form, items[missing[i]].json); };
        if (!probe_.form.renders_first())
            return pool_.post_all(
                probe_.form.tokenize_path, missing.size(), ask,
                [&](std::size_t i, std::string_view body) { found(missing[i], read_tokens(body)); });
        // With special tokens: llama.cpp's templates leave the first one to the tokenizer.
        std::vector<std::string> rendered(missing.size());
        pool_.post_all(apply_template_path, missing.size(), ask,
                       [&](std::size_t i, std::string_view body) { rendered[i] = read_rendered(body); });
        ask_one_by_one(
            missing, [&](std::size_t i) -> std::string_view { return rendered[i]; }, true, found);
    }

    ServerTokenizerOptions options_;
    TokenStore store_;
    RequestPool pool_;
    ServerProbe probe_;
};

} // namespace slo::tokens

#endif
