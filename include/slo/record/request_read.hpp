// SPDX-License-Identifier: MIT
// Reading request records (sloutils.request/1) for the figures of their rounds.

#ifndef SLO_RECORD_REQUEST_READ_HPP
#define SLO_RECORD_REQUEST_READ_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/record/request.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slo::record {

/// No run has more rounds, and none lasts longer, in seconds; a record that says so is refused.
inline constexpr std::int64_t most_rounds = 1'000'000;
inline constexpr double longest_run_s = 1e9;

namespace detail {

// A moment of a run that is absent or null, or sound.
inline std::optional<double> moment_at(const json::object& record, std::string_view name)
{
    const auto* value = find(record, name);
    if (!value || value->is_null())
        return std::nullopt;
    const auto moment_s = number_at(record, name);
    if (!moment_s || std::abs(*moment_s) > longest_run_s)
        throw InputError(name, "is no moment of a run, in seconds");
    return moment_s;
}

inline std::optional<std::int64_t> tokens_at(const json::object& record, std::string_view name)
{
    const auto* value = find(record, name);
    if (!value || value->is_null())
        return std::nullopt;
    const auto tokens = integer_at(record, name);
    if (!tokens || *tokens < 0)
        throw InputError(name, "is no number of tokens");
    return tokens;
}

// One of the names of an enumeration.
template <class Enum, std::size_t N>
Enum named(const json::object& record, std::string_view name, const std::array<std::string_view, N>& names)
{
    const auto* end = names.data() + N;
    const auto* found = std::find(names.data(), end, string_at(record, name).value_or(""));
    if (found == end)
        throw InputError(name, "is none that this tool knows");
    return static_cast<Enum>(found - names.data());
}

inline Choice read_choice(const json::value& value)
{
    const auto* record = value.if_object();
    if (!record)
        throw InputError("choices", "has a member that is not an object");
    Choice choice;
    choice.tokens = tokens_at(*record, "tokens");
    choice.first_token_s = moment_at(*record, "first_token_s");
    choice.last_token_s = moment_at(*record, "last_token_s");
    return choice;
}

// What came of a request did not come before it was due.
inline void check_order(const Request& request)
{
    if (request.first_token_s.value_or(request.due_s) < request.due_s)
        throw InputError("first_token_s", "is before due_s");
    if (request.end_s.value_or(request.due_s) < request.due_s)
        throw InputError("end_s", "is before due_s");
    const bool is_ok = request.status == RequestStatus::ok;
    if (is_ok && (!request.sent_s || !request.end_s))
        throw InputError(request.sent_s ? "end_s" : "sent_s", "is missing from a success");
    if (is_ok && *request.end_s < *request.sent_s)
        throw InputError("end_s", "is before sent_s");
}

} // namespace detail

/// The request in a record, save for its ids, characters, gaps between tokens and attempts, of which a
/// verdict needs none. Throws InputError, whose subject is the member that is not what replay writes.
inline Request read_request(const json::object& record)
{
    Request request;
    const auto round = integer_at(record, "round");
    if (!round || *round < 1 || *round > most_rounds)
        throw InputError("round", "must be from 1 to " + std::to_string(most_rounds));
    request.round = static_cast<int>(*round);
    const auto due_s = detail::moment_at(record, "due_s");
    if (!due_s || *due_s < 0)
        throw InputError("due_s", "must be a number of seconds, not negative");
    request.due_s = *due_s;
    request.sent_s = detail::moment_at(record, "sent_s");
    request.first_token_s = detail::moment_at(record, "first_token_s");
    request.last_token_s = detail::moment_at(record, "last_token_s");
    request.end_s = detail::moment_at(record, "end_s");
    request.status = detail::named<RequestStatus>(record, "status", request_status_names);
    if (const auto* kind = find(record, "error_kind"); kind && !kind->is_null())
        request.error_kind = detail::named<ErrorKind>(record, "error_kind", error_kind_names);
    request.error = printable(string_at(record, "error").value_or(""));
    request.output_tokens = detail::tokens_at(record, "output_tokens");
    if (const auto* choices = array_at(record, "choices"))
        for (const auto& choice : *choices)
            request.choices.push_back(detail::read_choice(choice));
    detail::check_order(request);
    return request;
}

} // namespace slo::record

#endif
