// SPDX-License-Identifier: MIT
// How inference servers are asked for tokens, and how they answer. Forms as of vLLM 0.11, SGLang 0.5 and
// llama.cpp's server of 2025.

#ifndef SLO_TOKENS_SERVER_FORM_HPP
#define SLO_TOKENS_SERVER_FORM_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/tokens/tokenizer.hpp>

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::tokens {

/// Whose form a server speaks.
enum class ServerKind { vllm, sglang, llama_cpp, engine_sim };

/// Its name in records.
inline std::string_view name_of(ServerKind kind) noexcept
{
    switch (kind) {
    case ServerKind::vllm:
        return "vllm";
    case ServerKind::sglang:
        return "sglang";
    case ServerKind::llama_cpp:
        return "llama.cpp";
    case ServerKind::engine_sim:
        return "engine-sim";
    }
    return "unknown";
}

/// How one server is asked.
struct ServerForm {
    ServerKind kind = ServerKind::vllm;
    std::string tokenize_path = "/tokenize";
    std::string model;        ///< named in each request; empty: none is
    bool takes_lists = false; ///< many texts in one request
    /// Special tokens that the server puts before a text that is asked for without any.
    std::size_t unasked_tokens = 0;

    /// A chat is rendered by one request and counted by another.
    bool renders_first() const noexcept { return kind == ServerKind::llama_cpp; }
};

/// Where llama.cpp renders chats.
inline constexpr const char* apply_template_path = "/apply-template";

namespace detail {

inline std::string request_head(const ServerForm& form)
{
    return form.model.empty() ? "{" : "{\"model\":" + to_json(json_text(form.model)) + ",";
}

inline std::string_view json_of(bool value) noexcept
{
    return value ? "true" : "false";
}

} // namespace detail

/// The body that asks for the tokens of one text, given as JSON. `special`: with the special tokens that the
/// server puts around a prompt, else without.
inline std::string text_request(const ServerForm& form, std::string_view text, bool special)
{
    auto body = detail::request_head(form);
    if (form.kind == ServerKind::llama_cpp)
        return body.append("\"content\":")
            .append(text)
            .append(",\"add_special\":")
            .append(detail::json_of(special))
            .append(",\"parse_special\":true}");
    return body.append("\"prompt\":")
        .append(text)
        .append(",\"add_special_tokens\":")
        .append(detail::json_of(special))
        .append("}");
}

/// The same for many texts, for a server that takes lists.
inline std::string texts_request(const ServerForm& form, std::span<const std::string_view> texts,
                                 bool special)
{
    std::string list = "[";
    for (const auto text : texts)
        list.append(list.size() > 1 ? "," : "").append(text);
    return text_request(form, list + "]", special);
}

/// The body that asks for the tokens of a list of messages, given as JSON, or for its rendering.
inline std::string messages_request(const ServerForm& form, std::string_view messages)
{
    return detail::request_head(form)
        .append("\"messages\":")
        .append(messages)
        .append(",\"add_generation_prompt\":true}");
}

namespace detail {

inline json::object answer_object(std::string_view body)
{
    try {
        auto value = parse_json(body);
        if (value.is_object())
            return std::move(value.get_object());
    } catch (const JsonError& error) {
        throw InputError(std::string("the answer is ") + error.what());
    }
    throw InputError("the answer is no JSON object");
}

inline TokenList token_list(const json::value& value)
{
    const auto* list = value.if_array();
    if (!list)
        throw InputError("the answer holds no list of tokens");
    TokenList tokens;
    tokens.reserve(list->size());
    for (const auto& token : *list) {
        if (!token.is_int64() || token.get_int64() < 0 ||
            token.get_int64() > std::numeric_limits<Token>::max())
            throw InputError("the answer's list of tokens holds " + printable(to_json(token), 40));
        tokens.push_back(static_cast<Token>(token.get_int64()));
    }
    return tokens;
}

inline void check_count(const json::value* count, std::size_t tokens)
{
    if (!count)
        return;
    const auto number = as_number(count);
    if (!number || *number != static_cast<double>(tokens))
        throw InputError("the answer counts " + printable(to_json(*count), 40) + " tokens and lists " +
                         std::to_string(tokens));
}

inline const json::value& tokens_of(const json::object& answer)
{
    const auto* tokens = find(answer, "tokens");
    if (!tokens)
        throw InputError("the answer holds no list of tokens");
    return *tokens;
}

} // namespace detail

/// The tokens in an answer about one text or chat. Throws InputError for an answer of any other form, and
/// where its `count` is not their number.
inline TokenList read_tokens(std::string_view body)
{
    const auto answer = detail::answer_object(body);
    auto tokens = detail::token_list(detail::tokens_of(answer));
    detail::check_count(find(answer, "count"), tokens.size());
    return tokens;
}

/// The tokens in an answer about `texts` texts that were asked for in one request. Throws InputError.
inline std::vector<TokenList> read_token_lists(std::string_view body, std::size_t texts)
{
    const auto answer = detail::answer_object(body);
    const auto* lists = detail::tokens_of(answer).if_array();
    if (!lists || lists->size() != texts)
        throw InputError("the answer does not hold " + std::to_string(texts) + " lists of tokens");
    const auto* count = find(answer, "count");
    const auto* counts = count ? count->if_array() : nullptr;
    if (count && (!counts || counts->size() != texts))
        throw InputError("the answer does not hold " + std::to_string(texts) + " counts");
    std::vector<TokenList> all;
    all.reserve(texts);
    for (std::size_t i = 0; i < texts; ++i) {
        all.push_back(detail::token_list((*lists)[i]));
        detail::check_count(counts ? &(*counts)[i] : nullptr, all.back().size());
    }
    return all;
}

/// The text in an answer of llama.cpp's /apply-template, as JSON. Throws InputError.
inline std::string read_rendered(std::string_view body)
{
    const auto answer = detail::answer_object(body);
    const auto* prompt = find(answer, "prompt");
    if (!prompt || !prompt->is_string())
        throw InputError("the answer holds no rendered prompt");
    return to_json(*prompt);
}

} // namespace slo::tokens

#endif
