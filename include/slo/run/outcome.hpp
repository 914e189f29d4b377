// SPDX-License-Identifier: MIT
// From what the wire and the transport say about one response to its request record.

#ifndef SLO_RUN_OUTCOME_HPP
#define SLO_RUN_OUTCOME_HPP

#include <slo/record/request.hpp>
#include <slo/wire/answer_reader.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace slo::run {

/// The kind of an HTTP status: none for 2xx, http_429, http_4xx, http_5xx, and protocol for the rest, which
/// no inference server should answer.
inline record::ErrorKind kind_of_status(int http_status) noexcept
{
    if (http_status >= 200 && http_status < 300)
        return record::ErrorKind::none;
    if (http_status == 429)
        return record::ErrorKind::http_429;
    if (http_status >= 400 && http_status < 500)
        return record::ErrorKind::http_4xx;
    if (http_status >= 500 && http_status < 600)
        return record::ErrorKind::http_5xx;
    return record::ErrorKind::protocol;
}

/// The kind of an outcome.
inline record::ErrorKind kind_of(wire::Outcome outcome) noexcept
{
    switch (outcome) {
    case wire::Outcome::ok:
        return record::ErrorKind::none;
    case wire::Outcome::stream_error:
        return record::ErrorKind::stream_error;
    case wire::Outcome::truncated:
        return record::ErrorKind::truncated;
    case wire::Outcome::empty:
        return record::ErrorKind::empty;
    case wire::Outcome::protocol:
        break;
    }
    return record::ErrorKind::protocol;
}

/// What the times of tokens rest on.
inline record::TokenTiming timing_of(wire::TokenTiming timing) noexcept
{
    switch (timing) {
    case wire::TokenTiming::none:
        break;
    case wire::TokenTiming::event:
        return record::TokenTiming::event;
    case wire::TokenTiming::usage:
        return record::TokenTiming::usage;
    }
    return record::TokenTiming::none;
}

/// Writes a sent request's end into its record: what the answer says, `end_s`, the cause, and the status: ok,
/// unfinished when it was cancelled, else failed. `transport` is none when the response ended in order; else
/// it is the cause, unless the server had named one before (an HTTP error status, an error inside the stream)
/// or the answer was over at its [DONE] or the end of its response: then that is its end. An answer that came
/// whole has text, but no token with a time, and without usage no count of tokens. Call reader.end() before.
inline void record_outcome(record::Request& request, const wire::AnswerReader& reader,
                           record::ErrorKind transport, std::string_view transport_error, double end_s)
{
    const auto& answer = reader.answer();
    const bool in_order = transport == record::ErrorKind::none;
    request.end_s = in_order ? end_s : std::min(end_s, answer.done_s().value_or(end_s));
    request.http = reader.http_status();
    request.first_token_s = answer.first_token_s();
    request.first_content_s = answer.first_content_s();
    request.last_token_s = answer.last_token_s();
    request.itl_ms = answer.itl_ms();
    request.token_timing = timing_of(answer.token_timing());
    request.content_chars = answer.content_chars();
    request.reasoning_chars = answer.reasoning_chars();
    request.input_tokens = answer.input_tokens();
    request.cached_tokens = answer.cached_tokens();
    request.reasoning_tokens = answer.reasoning_tokens();
    request.output_tokens_estimated = !answer.has_usage() && answer.streamed() && answer.has_text();
    if (answer.has_usage() || request.output_tokens_estimated)
        request.output_tokens = answer.output_tokens();
    request.choices.clear();
    for (const auto& choice : answer.choices()) {
        // What came whole tells the tokens of all choices together at most.
        const bool counted = answer.streamed() || (answer.has_usage() && answer.choices().size() == 1);
        request.choices.push_back({choice.index, choice.finish_reason,
                                   counted ? std::optional(answer.tokens_of(choice)) : std::nullopt,
                                   choice.chars, choice.first_token_s, choice.last_token_s});
    }

    const auto outcome = answer.outcome();
    const bool server_error = request.http != 0 && !reader.http_ok();
    const bool cut = !in_order && !answer.done() && !server_error && outcome != wire::Outcome::stream_error;
    request.error_kind = cut ? transport : server_error ? kind_of_status(request.http) : kind_of(outcome);
    request.error = cut ? printable(transport_error, wire::max_error_text_bytes) : reader.error_text();
    request.status = request.error_kind == record::ErrorKind::none        ? record::RequestStatus::ok
                     : request.error_kind == record::ErrorKind::cancelled ? record::RequestStatus::unfinished
                                                                          : record::RequestStatus::failed;
}

} // namespace slo::run

#endif
