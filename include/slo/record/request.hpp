// SPDX-License-Identifier: MIT
// The request record: what became of one request (sloutils.request/1).

#ifndef SLO_RECORD_REQUEST_HPP
#define SLO_RECORD_REQUEST_HPP

#include <slo/base/json.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::record {

/// How a request ended. Every due request ends in exactly one of these.
enum class RequestStatus { ok, failed, unfinished, not_sent };

/// Why a request is not ok: the closed taxonomy of the `errors` object.
enum class ErrorKind {
    none,
    connect,
    tls,
    reset,
    timeout,
    http_4xx,
    http_429,
    http_5xx,
    stream_error,
    truncated,
    empty,
    protocol,
    cancelled,
    client
};

inline constexpr std::array<std::string_view, 14> error_kind_names{
    "none",     "connect",      "tls",       "reset", "timeout",  "http_4xx",  "http_429",
    "http_5xx", "stream_error", "truncated", "empty", "protocol", "cancelled", "client"};

inline constexpr std::array<std::string_view, 4> request_status_names{"ok", "failed", "unfinished",
                                                                      "not_sent"};

/// What the times of single tokens rest on.
enum class TokenTiming {
    none,  ///< there are none: no text came, or it came whole
    event, ///< each event with text was taken for one token
    usage  ///< each event with text said how many tokens there were by then
};

inline constexpr std::array<std::string_view, 3> token_timing_names{"none", "event", "usage"};

/// The name a kind has in records.
constexpr std::string_view name_of(ErrorKind kind) noexcept
{
    return error_kind_names[static_cast<std::size_t>(kind)];
}

/// The name a status has in records.
constexpr std::string_view name_of(RequestStatus status) noexcept
{
    return request_status_names[static_cast<std::size_t>(status)];
}

/// The name a token timing has in records.
constexpr std::string_view name_of(TokenTiming timing) noexcept
{
    return token_timing_names[static_cast<std::size_t>(timing)];
}

/// One choice of an answer (n > 1 gives several).
struct Choice {
    int index = 0;
    std::string finish_reason; ///< empty when the server named none
    /// From usage when there is one choice, else events with text; absent where there are no events to count.
    std::optional<std::int64_t> tokens;
    std::int64_t chars = 0;              ///< Unicode code points of all channels
    std::optional<double> first_token_s; ///< seconds since the run's start
    std::optional<double> last_token_s;
};

/// A sending of a request that the server refused for now, before the one that counts.
struct Attempt {
    std::optional<double> sent_s; ///< seconds since the run's start
    std::optional<double> end_s;
    int http = 0;
    std::optional<double> retry_after_s; ///< what the server asked for
};

/// One request, as measured. All `_s` are seconds since the run's start; absent means it never happened.
struct Request {
    std::string id;
    std::string conv_id;
    int round = 0; ///< 1-based reporting window in which it was due
    double due_s = 0;
    std::optional<double> sent_s;          ///< bytes handed to the socket
    std::optional<double> first_token_s;   ///< first event with text of any channel in any choice
    std::optional<double> first_content_s; ///< first event with text of the content channel
    std::optional<double> last_token_s;
    std::optional<double> end_s; ///< end of stream, or the moment it was given up
    RequestStatus status = RequestStatus::not_sent;
    int http = 0; ///< HTTP status, 0 when there was none
    ErrorKind error_kind = ErrorKind::none;
    std::string error; ///< one line for people; also the key of `exceptions`
    std::optional<std::int64_t> input_tokens;
    std::optional<std::int64_t> output_tokens; ///< over all choices
    bool output_tokens_estimated = false; ///< the server sent no usage: its events with text were counted
    std::optional<std::int64_t> cached_tokens;
    std::optional<std::int64_t> reasoning_tokens;
    std::int64_t content_chars = 0;
    std::int64_t reasoning_chars = 0;
    std::vector<Choice> choices;
    /// Gaps between tokens of a choice, in order of arrival; several tokens of one event share its gap.
    std::vector<double> itl_ms;
    TokenTiming token_timing = TokenTiming::none;
    int retries = 0;
    std::vector<Attempt> attempts; ///< as many as retries
    int reconnects = 0;
};

/// The record of one request.
inline json::object to_record(const Request& request)
{
    json::array choices;
    for (const auto& choice : request.choices) {
        choices.push_back(json::object{{"index", choice.index},
                                       {"finish_reason", text_or_null(choice.finish_reason)},
                                       {"tokens", or_null(choice.tokens)},
                                       {"chars", choice.chars},
                                       {"first_token_s", or_null(choice.first_token_s)},
                                       {"last_token_s", or_null(choice.last_token_s)}});
    }
    json::object record{{"schema", "sloutils.request/1"},
                        {"id", request.id},
                        {"conv_id", request.conv_id},
                        {"round", request.round},
                        {"due_s", request.due_s},
                        {"sent_s", or_null(request.sent_s)},
                        {"first_token_s", or_null(request.first_token_s)},
                        {"first_content_s", or_null(request.first_content_s)},
                        {"last_token_s", or_null(request.last_token_s)},
                        {"end_s", or_null(request.end_s)},
                        {"status", json_text(name_of(request.status))},
                        {"http", request.http == 0 ? json::value(nullptr) : json::value(request.http)},
                        {"error_kind", request.error_kind == ErrorKind::none
                                           ? json::value(nullptr)
                                           : json_text(name_of(request.error_kind))},
                        {"error", text_or_null(request.error)},
                        {"input_tokens", or_null(request.input_tokens)},
                        {"output_tokens", or_null(request.output_tokens)},
                        {"cached_tokens", or_null(request.cached_tokens)},
                        {"reasoning_tokens", or_null(request.reasoning_tokens)},
                        {"choices", std::move(choices)},
                        {"itl_ms", json::array(request.itl_ms.begin(), request.itl_ms.end())},
                        {"token_timing", json_text(name_of(request.token_timing))},
                        {"retries", request.retries},
                        {"reconnects", request.reconnects}};
    if (!request.attempts.empty()) {
        json::array attempts;
        for (const auto& attempt : request.attempts)
            attempts.push_back(json::object{{"sent_s", or_null(attempt.sent_s)},
                                            {"end_s", or_null(attempt.end_s)},
                                            {"http", attempt.http},
                                            {"retry_after_s", or_null(attempt.retry_after_s)}});
        record["attempts"] = std::move(attempts);
    }
    if (request.output_tokens_estimated)
        record["output_tokens_estimated"] = true;
    return record;
}

} // namespace slo::record

#endif
