// SPDX-License-Identifier: MIT
// The JSON of answers: events of a stream, written without a DOM, and whole bodies.

#ifndef SLO_SIM_ANSWER_WRITER_HPP
#define SLO_SIM_ANSWER_WRITER_HPP

#include <slo/base/json.hpp>
#include <slo/engine/lengths.hpp>
#include <slo/sim/completion_request.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace slo::sim {

/// The token counts of an answer.
struct Usage {
    std::int64_t prompt_tokens = 0;
    std::int64_t completion_tokens = 0;
    std::int64_t cached_tokens = 0;
};

/// One finished choice of an answer that is not streamed.
struct FinishedChoice {
    std::string text;
    engine::FinishReason reason = engine::FinishReason::length;
};

/// Writes one answer. All text must consist of answer_words, none of which needs escaping in JSON.
class AnswerWriter {
public:
    /// `id` without its prefix, `created` in seconds since the epoch.
    AnswerWriter(Api api, std::string_view id, std::int64_t created, std::string_view model)
        : api_(api), id_((api == Api::chat ? "chatcmpl-" : "cmpl-") + std::string(id)), created_(created),
          model_(model)
    {
        const auto* object = api == Api::chat ? "chat.completion.chunk" : "text_completion";
        head_ = "data: {\"id\":\"" + id_ + "\",\"object\":\"" + object +
                "\",\"created\":" + std::to_string(created_) + ",\"model\":" + to_json(json::value(model_)) +
                ",\"choices\":[";
    }

    /// Appends the event that opens a choice of a chat; completions have none.
    void open(std::string& out, std::size_t choice, const std::optional<Usage>& usage) const
    {
        if (api_ == Api::text)
            return;
        begin(out, choice);
        out +=
            ",\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"logprobs\":null,\"finish_reason\":null}]";
        end(out, usage);
    }

    /// Appends an event with text and, when it is the choice's last, the reason.
    void text(std::string& out, std::size_t choice, std::string_view text,
              std::optional<engine::FinishReason> reason, const std::optional<Usage>& usage) const
    {
        begin(out, choice);
        if (api_ == Api::text)
            out.append(",\"text\":\"").append(text).append("\"");
        else if (text.empty())
            out += ",\"delta\":{}";
        else
            out.append(",\"delta\":{\"content\":\"").append(text).append("\"}");
        out += ",\"logprobs\":null,\"finish_reason\":";
        if (reason)
            out.append("\"").append(engine::name_of(*reason)).append("\"}]");
        else
            out += "null}]";
        end(out, usage);
    }

    /// Appends the event that carries the usage alone.
    void usage(std::string& out, const Usage& usage) const
    {
        out += head_;
        out += ']';
        end(out, usage);
    }

    /// Appends the end of the stream.
    void done(std::string& out) const { out += "data: [DONE]\n\n"; }

    /// The body of an answer that is not streamed.
    std::string body(std::span<const FinishedChoice> choices, const Usage& usage) const
    {
        json::array list;
        for (std::size_t i = 0; i < choices.size(); ++i) {
            json::object choice{{"index", i}};
            if (api_ == Api::chat)
                choice["message"] = json::object{{"role", "assistant"}, {"content", choices[i].text}};
            else
                choice["text"] = choices[i].text;
            choice["logprobs"] = nullptr;
            choice["finish_reason"] = std::string(engine::name_of(choices[i].reason));
            list.push_back(std::move(choice));
        }
        return to_json(json::object{
            {"id", id_},
            {"object", api_ == Api::chat ? "chat.completion" : "text_completion"},
            {"created", created_},
            {"model", model_},
            {"choices", std::move(list)},
            {"usage",
             json::object{{"prompt_tokens", usage.prompt_tokens},
                          {"completion_tokens", usage.completion_tokens},
                          {"total_tokens", usage.prompt_tokens + usage.completion_tokens},
                          {"prompt_tokens_details", json::object{{"cached_tokens", usage.cached_tokens}}}}}});
    }

private:
    static void append(std::string& out, std::string_view before, std::int64_t number)
    {
        char digits[24];
        const auto result = std::to_chars(digits, digits + sizeof digits, number);
        out.append(before).append(digits, result.ptr);
    }

    void begin(std::string& out, std::size_t choice) const
    {
        out += head_;
        append(out, "{\"index\":", static_cast<std::int64_t>(choice));
    }

    static void end(std::string& out, const std::optional<Usage>& usage)
    {
        if (usage) {
            append(out, ",\"usage\":{\"prompt_tokens\":", usage->prompt_tokens);
            append(out, ",\"completion_tokens\":", usage->completion_tokens);
            append(out, ",\"total_tokens\":", usage->prompt_tokens + usage->completion_tokens);
            append(out, ",\"prompt_tokens_details\":{\"cached_tokens\":", usage->cached_tokens);
            out += "}}";
        }
        out += "}\n\n";
    }

    Api api_;
    std::string id_;
    std::int64_t created_;
    std::string model_;
    std::string head_;
};

} // namespace slo::sim

#endif
