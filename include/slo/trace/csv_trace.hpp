// SPDX-License-Identifier: MIT
// Traces of times and lengths in CSV files: BurstGPT, and Azure's of 2023 and 2024.

#ifndef SLO_TRACE_CSV_TRACE_HPP
#define SLO_TRACE_CSV_TRACE_HPP

#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/trace/fields.hpp>
#include <slo/trace/request.hpp>
#include <slo/trace/utc_time.hpp>
#include <slo/wire/csv.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo::trace {

namespace detail {

// A field that must be there; data frames write integers of a column with gaps as "472.0".
inline std::int64_t csv_tokens(const wire::CsvRow& row, std::string_view column)
{
    auto text = row.at(column).value_or("");
    if (text.ends_with(".0"))
        text.remove_suffix(2);
    return checked_tokens(parse_integer<std::int64_t>(text), std::string(column));
}

inline json::object other_columns(const wire::CsvRow& row, std::initializer_list<std::string_view> known)
{
    json::object rest;
    for (std::size_t i = 0; i < row.header.size(); ++i) {
        const std::string& name = row.header.name(i);
        if (std::find(known.begin(), known.end(), lower_case(name)) == known.end() && !name.empty())
            rest[name] = json_text(row.record[i]);
    }
    return rest;
}

} // namespace detail

/// `Timestamp` counts seconds; a request without response tokens failed. A `Session ID`, which newer files
/// have, is the conversation. Throws RowError.
inline TraceRecord parse_burstgpt(const wire::CsvRow& row)
{
    TraceRequest request;
    request.time_ns = ns_of(row.at("timestamp").value_or(""), record::TsUnit::s, "timestamp");
    request.input_tokens = detail::csv_tokens(row, "request tokens");
    request.output_tokens = detail::csv_tokens(row, "response tokens");
    request.conversation = std::string(row.at("session id").value_or(""));
    request.source =
        detail::other_columns(row, {"timestamp", "request tokens", "response tokens", "session id"});
    TraceRecord record;
    if (*request.output_tokens == 0)
        record.skipped.push_back("failed request (no response tokens)");
    else
        record.requests.push_back(std::move(request));
    return record;
}

/// `TIMESTAMP` is a moment, with or without its zone (UTC). Throws RowError.
inline TraceRecord parse_azure(const wire::CsvRow& row)
{
    TraceRequest request;
    request.time_ns = parse_moment(row.at("timestamp").value_or(""));
    if (!request.time_ns)
        throw record::RowError("timestamp is no moment between 1970 and 2261");
    request.input_tokens = detail::csv_tokens(row, "contexttokens");
    request.output_tokens = detail::csv_tokens(row, "generatedtokens");
    request.source = detail::other_columns(row, {"timestamp", "contexttokens", "generatedtokens"});
    TraceRecord record;
    record.requests.push_back(std::move(request));
    return record;
}

} // namespace slo::trace

#endif
