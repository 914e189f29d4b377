// SPDX-License-Identifier: MIT
// Finds out how a server wants to be asked for tokens, by asking.

#ifndef SLO_TOKENS_SERVER_PROBE_HPP
#define SLO_TOKENS_SERVER_PROBE_HPP

#include <slo/base/digest.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/tokens/request_pool.hpp>
#include <slo/tokens/server_form.hpp>
#include <slo/wire/api_error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo::tokens {

/// What a server was found to be.
struct ServerProbe {
    ServerForm form;
    std::string chat_refusal;                  ///< why it does not count chats; empty where it does
    std::optional<std::int64_t> max_model_len; ///< tokens
    std::string fingerprint; ///< of its answers: changes with the model, the tokenizer and the template
};

/// The root of a server: its URL without "/v1" or "/tokenize" at the end, as either may be pasted.
inline std::string server_root(std::string_view url)
{
    const auto strip = [&](std::string_view end) {
        while (url.ends_with('/'))
            url.remove_suffix(1);
        if (url.ends_with(end))
            url.remove_suffix(end.size());
    };
    strip("/tokenize");
    strip("/v1");
    strip("/");
    return std::string(url);
}

namespace detail {

class Prober {
public:
    Prober(RequestPool& pool, std::string model) : pool_(pool) { probe_.form.model = std::move(model); }

    ServerProbe run(bool with_chats)
    {
        find_model();
        find_form();
        if (with_chats)
            try_chat();
        seen_ += std::string(name_of(probe_.form.kind)) + "\n" + probe_.form.model;
        probe_.fingerprint = sha256(seen_);
        return std::move(probe_);
    }

private:
    // The second is the first, twice.
    static constexpr std::array<std::string_view, 2> texts{"\"Seven stones\\n\"",
                                                           "\"Seven stones\\nSeven stones\\n\""};

    static bool succeeded(const RequestPool::Answer& answer)
    {
        return answer.status >= 200 && answer.status <= 299;
    }

    Error refused(const std::string& path, const RequestPool::Answer& answer) const
    {
        return {pool_.shown(path), wire::http_error_text(answer.status, answer.body)};
    }

    template <class Read>
    auto checked(const std::string& path, Read&& read) const
    {
        try {
            return read();
        } catch (const InputError& error) {
            throw Error(pool_.shown(path), error.what());
        }
    }

    // The server's list of models is a help, not a must.
    void find_model()
    {
        const auto answer = pool_.ask("/v1/models", {});
        if (answer.status == 401 || answer.status == 403)
            throw refused("/v1/models", answer);
        try {
            const auto models = answer_object(answer.body);
            const auto* list = array_at(models, "data");
            const auto* first = list && !list->empty() ? list->front().if_object() : nullptr;
            if (!first)
                return;
            owner_ = string_at(*first, "owned_by").value_or("");
            if (probe_.form.model.empty())
                probe_.form.model = string_at(*first, "id").value_or("");
        } catch (const InputError&) {
        }
    }

    // One request with a list of texts tells the forms apart: SGLang takes it, vLLM calls it invalid, and
    // llama.cpp, which looks for `content`, finds no tokens in it.
    void find_form()
    {
        auto& form = probe_.form;
        const auto list = texts_request(form, texts, false);
        auto answer = pool_.ask(form.tokenize_path, list);
        if (answer.status == 404) {
            const auto below_v1 = pool_.ask("/v1/tokenize", list);
            if (below_v1.status == 404)
                throw refused(form.tokenize_path, answer);
            form.tokenize_path = "/v1/tokenize";
            answer = below_v1;
        }
        if (succeeded(answer)) {
            const auto object = checked(form.tokenize_path, [&] { return answer_object(answer.body); });
            const auto* tokens = array_at(object, "tokens");
            if (tokens && tokens->empty() && !slo::find(object, "count"))
                return settle_for_one(ServerKind::llama_cpp);
            form.kind = owner_ == "engine-sim" ? ServerKind::engine_sim : ServerKind::sglang;
            form.takes_lists = true;
            note(answer.body);
            return find_unasked(answer.body);
        }
        if (answer.status != 400 && answer.status != 422)
            throw refused(form.tokenize_path, answer);
        settle_for_one(owner_ == "engine-sim" ? ServerKind::engine_sim : ServerKind::vllm);
    }

    // SGLang's newer versions tokenize a text as a completion's prompt whether or not special tokens are
    // asked for: what begins both answers, and stands in none of them again, was not in the text.
    void find_unasked(std::string_view body)
    {
        auto& form = probe_.form;
        const auto read = [&](std::string_view answer) {
            return checked(form.tokenize_path, [&] { return read_token_lists(answer, texts.size()); });
        };
        const auto lists = read(body);
        const auto& once = lists[0];
        const auto unasked = 2 * once.size() - std::min(2 * once.size(), lists[1].size());
        if (unasked == 0 || unasked >= once.size())
            return;
        auto expected = once;
        expected.insert(expected.end(), once.begin() + static_cast<std::ptrdiff_t>(unasked), once.end());
        if (lists[1] != expected)
            return;
        const auto answer = pool_.ask(form.tokenize_path, texts_request(form, texts, true));
        if (succeeded(answer) && read(answer.body) == lists)
            form.unasked_tokens = unasked;
    }

    void settle_for_one(ServerKind kind)
    {
        auto& form = probe_.form;
        form.kind = kind;
        const auto answer = pool_.ask(form.tokenize_path, text_request(form, texts[0], false));
        if (!succeeded(answer))
            throw refused(form.tokenize_path, answer);
        const auto tokens = checked(form.tokenize_path, [&] { return read_tokens(answer.body); });
        if (tokens.empty())
            throw Error(pool_.shown(form.tokenize_path), "finds no tokens in a text");
        note(answer.body);
    }

    void try_chat()
    {
        const auto& form = probe_.form;
        const auto path = form.renders_first() ? std::string(apply_template_path) : form.tokenize_path;
        const auto answer = pool_.ask(
            path, messages_request(form, R"([{"role":"user","content":"Which river runs north?"}])"));
        try {
            if (!succeeded(answer))
                throw InputError(wire::http_error_text(answer.status, answer.body));
            if (form.renders_first())
                read_rendered(answer.body);
            else
                read_tokens(answer.body);
            note(answer.body);
        } catch (const InputError& error) {
            probe_.chat_refusal = error.what();
        }
    }

    // What an answer says of tokenizer and template, for the fingerprint.
    void note(std::string_view body)
    {
        const auto answer = answer_object(body);
        for (const std::string_view key : {"tokens", "prompt"})
            if (const auto* value = slo::find(answer, key))
                seen_ += to_json(*value) + "\n";
        const auto longest = integer_at(answer, "max_model_len");
        if (longest && *longest > 0 && *longest <= 1'000'000'000)
            probe_.max_model_len = longest;
    }

    RequestPool& pool_;
    ServerProbe probe_;
    std::string owner_;
    std::string seen_;
};

} // namespace detail

/// Asks a server what it is: its first model where `model` is empty, its form, and, `with_chats`, whether it
/// counts chats. Throws Error for one that cannot be reached, refuses, or speaks no form that is known.
inline ServerProbe probe_server(RequestPool& pool, const std::string& model, bool with_chats)
{
    return detail::Prober(pool, model).run(with_chats);
}

} // namespace slo::tokens

#endif
