// SPDX-License-Identifier: MIT
// Data sets of questions and answers: ShareGPT dumps, those of vLLM and SGLang.

#ifndef SLO_TRACE_CONVERSATION_HPP
#define SLO_TRACE_CONVERSATION_HPP

#include <slo/base/json.hpp>
#include <slo/trace/fields.hpp>
#include <slo/trace/request.hpp>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::trace {

namespace detail {

enum class Speaker { user, assistant, system, other };

struct Turn {
    Speaker speaker = Speaker::other;
    std::string text;
};

inline Speaker speaker_named(std::string_view name) noexcept
{
    if (name == "human" || name == "user")
        return Speaker::user;
    for (const std::string_view model : {"gpt", "assistant", "chatgpt", "bing", "bard", "model"})
        if (name == model)
            return Speaker::assistant;
    return name == "system" ? Speaker::system : Speaker::other;
}

inline std::optional<std::string_view> first_text(const json::object& object,
                                                  std::initializer_list<std::string_view> keys) noexcept
{
    for (const auto key : keys) {
        if (const auto text = string_at(object, key))
            return text;
    }
    return std::nullopt;
}

inline json::object message(Speaker speaker, std::string_view text)
{
    const std::string_view role = speaker == Speaker::user        ? "user"
                                  : speaker == Speaker::assistant ? "assistant"
                                                                  : "system";
    return {{"role", json_text(role)}, {"content", json_text(text)}};
}

// Pairs a turn of the user with the answer that follows it; each such pair is a request whose prompt holds
// all that was said before.
class PairFinder {
public:
    PairFinder(std::string conversation, bool first_only)
        : conversation_(std::move(conversation)), first_only_(first_only)
    {
    }

    // False when the conversation is not to be followed any further.
    bool take(const Turn& turn)
    {
        switch (turn.speaker) {
        case Speaker::system:
            append(turn);
            break;
        case Speaker::user:
            if (question_)
                record_.skipped.push_back("no answer");
            question_ = true;
            append(turn);
            break;
        default:
            answer(turn);
        }
        return prompt_bytes_ <= max_prompt_bytes;
    }

    TraceRecord finish()
    {
        if (question_ && !(first_only_ && !record_.requests.empty()))
            record_.skipped.push_back("no answer");
        if (!asked_)
            record_.skipped.push_back("no question");
        return std::move(record_);
    }

    // The conversation cannot be followed beyond this point.
    TraceRecord stop(const char* reason)
    {
        record_.skipped.push_back(reason);
        return std::move(record_);
    }

private:
    // Each prompt repeats all that was said before: what one record may grow to has an end.
    static constexpr std::size_t max_prompt_bytes = std::size_t{256} << 20;
    static constexpr std::size_t message_bytes = 256; // of a message beside its text

    void answer(const Turn& turn)
    {
        if (question_) {
            if (!first_only_ || record_.requests.empty())
                add_request(turn.text);
            else
                record_.skipped.push_back("turn past the first");
        }
        question_ = false;
        if (asked_) // before the first question it answers nothing, and templates refuse it
            append(turn);
    }

    void add_request(const std::string& answer)
    {
        TraceRequest request;
        request.conversation = conversation_;
        request.prompt = messages_;
        request.answer = answer;
        prompt_bytes_ += text_bytes_ + messages_.size() * message_bytes;
        record_.requests.push_back(std::move(request));
    }

    // Neighbours of one speaker become one message: most templates want the roles to alternate.
    void append(const Turn& turn)
    {
        asked_ = asked_ || turn.speaker == Speaker::user;
        text_bytes_ += turn.text.size();
        auto next = message(turn.speaker, turn.text);
        if (!messages_.empty()) {
            auto& last = messages_.back().get_object();
            if (last.at("role") == next.at("role")) {
                auto& content = last.at("content").get_string();
                content.append("\n\n").append(next.at("content").get_string());
                return;
            }
        }
        messages_.push_back(std::move(next));
    }

    std::string conversation_;
    bool first_only_;
    TraceRecord record_;
    json::array messages_;
    bool question_ = false; // asked and not answered
    bool asked_ = false;
    std::size_t text_bytes_ = 0;
    std::size_t prompt_bytes_ = 0;
};

// Turns without a speaker's name alternate, the user first.
inline TraceRecord pairs_of(const json::array& turns, std::string conversation, bool first_only)
{
    PairFinder pairs(std::move(conversation), first_only);
    std::size_t number = 0;
    for (const auto& value : turns) {
        const auto* object = value.if_object();
        if (!object)
            return pairs.stop("turn that is no object");
        const auto role = first_text(*object, {"from", "role"});
        const auto text = first_text(*object, {"value", "content"});
        if (object->contains("image") || object->contains("images"))
            return pairs.stop("turn with an image");
        if (!text)
            return pairs.stop("missing value");
        Turn turn;
        turn.speaker = role ? speaker_named(*role) : number % 2 == 0 ? Speaker::user : Speaker::assistant;
        ++number;
        if (turn.speaker == Speaker::other)
            return pairs.stop("turn of another role");
        if (!has_text(*text)) {
            if (turn.speaker == Speaker::system)
                continue;
            return pairs.stop(turn.speaker == Speaker::user ? "empty prompt" : "empty answer");
        }
        turn.text = std::string(*text);
        if (!pairs.take(turn))
            return pairs.stop("rest of a conversation whose prompts exceed 256 MiB");
    }
    return pairs.finish();
}

inline TraceRecord skipped_record(const char* reason)
{
    TraceRecord record;
    record.skipped.push_back(reason);
    return record;
}

inline void keep_source(TraceRecord& record, const json::object& source)
{
    check_copies(source, record.requests.size());
    for (auto& request : record.requests)
        request.source = source;
}

} // namespace detail

/// `{"id", "conversations": [{"from": "human"|"gpt"|…, "value"}]}`, also with `role` and `content`. Throws
/// JsonError, RowError.
inline TraceRecord parse_sharegpt(std::string_view text, const ParseOptions& options)
{
    auto object = parse_record(text);
    const auto* turns = array_at(object, "conversations");
    if (!turns)
        return detail::skipped_record("missing conversations");
    if (turns->empty())
        return detail::skipped_record("empty");
    auto record = detail::pairs_of(*turns, id_at(object, "id"), options.first_turn_only);
    detail::keep_source(record, others(std::move(object), {"id", "conversations"}));
    return record;
}

/// `{"conversations"|"conversation": [{"content"|"value"}]}`, two turns at least. Throws JsonError, RowError.
inline TraceRecord parse_sglang(std::string_view text, const ParseOptions& options)
{
    auto object = parse_record(text);
    const auto* turns = array_at(object, "conversations");
    if (!turns)
        turns = array_at(object, "conversation");
    if (!turns)
        return detail::skipped_record("missing conversations");
    if (turns->size() < 2)
        return detail::skipped_record("fewer than two turns");
    auto record = detail::pairs_of(*turns, id_at(object, "id"), options.first_turn_only);
    detail::keep_source(record, others(std::move(object), {"id", "conversations", "conversation"}));
    return record;
}

/// `{"prompt"}`, also with `output_tokens`, or a conversation: `{"id", "messages": [{"role", "content"}]}`.
/// Throws JsonError, RowError.
inline TraceRecord parse_vllm(std::string_view text, const ParseOptions& options)
{
    auto object = parse_record(text);
    if (const auto* turns = array_at(object, "messages")) {
        auto record = turns->empty() ? detail::skipped_record("empty")
                                     : detail::pairs_of(*turns, id_at(object, "id"), options.first_turn_only);
        detail::keep_source(record, others(std::move(object), {"id", "messages"}));
        return record;
    }
    const auto prompt = string_at(object, "prompt");
    if (!prompt)
        throw record::RowError("prompt is no text");
    if (!has_text(*prompt))
        return detail::skipped_record("empty prompt");
    TraceRecord record;
    auto& request = record.requests.emplace_back();
    request.prompt = json_text(*prompt);
    request.output_tokens = tokens_at(object, "output_tokens");
    request.source = others(std::move(object), {"prompt", "output_tokens"});
    return record;
}

} // namespace slo::trace

#endif
