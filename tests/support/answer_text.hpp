// SPDX-License-Identifier: MIT
// All that an answer says as one text, so that two ways to read it compare.

#ifndef SLO_TESTS_SUPPORT_ANSWER_TEXT_HPP
#define SLO_TESTS_SUPPORT_ANSWER_TEXT_HPP

#include <slo/wire/answer_reader.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tests {

template <class T>
void append_figure(std::string& text, const std::optional<T>& figure)
{
    text += (figure ? std::to_string(*figure) : "-") + " ";
}

inline std::string text_of_answer(const slo::wire::AnswerReader& reader)
{
    const auto& answer = reader.answer();
    std::string text = reader.error_text() + "\n";
    for (const auto count : {static_cast<std::int64_t>(answer.outcome()), std::int64_t{answer.done()},
                             std::int64_t{answer.has_usage()}, answer.output_tokens(), answer.content_chars(),
                             answer.reasoning_chars(), static_cast<std::int64_t>(answer.token_timing())})
        text += std::to_string(count) + " ";
    append_figure(text, answer.input_tokens());
    append_figure(text, answer.cached_tokens());
    append_figure(text, answer.reasoning_tokens());
    append_figure(text, answer.first_token_s());
    append_figure(text, answer.first_content_s());
    append_figure(text, answer.last_token_s());
    append_figure(text, answer.done_s());
    for (const auto& choice : answer.choices()) {
        text += "\n" + std::to_string(choice.index) + " " + choice.finish_reason + " ";
        text += std::to_string(choice.token_events) + " " + std::to_string(choice.timed_tokens) + " " +
                std::to_string(choice.chars) + " " + std::to_string(answer.tokens_of(choice)) + " ";
        append_figure(text, choice.usage_tokens);
        append_figure(text, choice.first_token_s);
        append_figure(text, choice.last_token_s);
    }
    text += "\n";
    for (const double gap_ms : answer.itl_ms())
        text += std::to_string(gap_ms) + " ";
    return text;
}

/// The answer that a body in reads of `read_bytes` makes, a quarter of a second apart.
inline slo::wire::AnswerReader read_answer(std::string_view body, std::size_t read_bytes, int status,
                                           std::string_view content_type, std::size_t max_bytes,
                                           slo::wire::Answer::Scanning scanning)
{
    slo::wire::AnswerReader reader({.event_bytes = max_bytes, .body_bytes = max_bytes}, scanning);
    reader.begin(status, content_type);
    double t_s = 0;
    for (std::size_t from = 0; from < body.size(); from += read_bytes)
        reader.feed(std::string(body.substr(from, read_bytes)), t_s += 0.25);
    reader.end(true);
    return reader;
}

} // namespace tests

#endif
