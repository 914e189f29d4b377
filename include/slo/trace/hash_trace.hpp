// SPDX-License-Identifier: MIT
// Traces of lengths and block hashes: Mooncake (FAST'25) and Bailian (qwen traces), both JSON Lines.

#ifndef SLO_TRACE_HASH_TRACE_HPP
#define SLO_TRACE_HASH_TRACE_HPP

#include <slo/trace/fields.hpp>
#include <slo/trace/request.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace slo::trace {

/// Tokens that one hash id stands for.
inline constexpr std::int64_t mooncake_block_tokens = 512;
inline constexpr std::int64_t bailian_block_tokens = 16;

namespace detail {

// The lengths and ids of both formats.
inline TraceRequest hashed_request(const json::object& record, std::int64_t block_tokens)
{
    TraceRequest request;
    request.input_tokens = tokens_at(record, "input_length");
    request.output_tokens = tokens_at(record, "output_length");
    if (!request.input_tokens || !request.output_tokens)
        throw record::RowError("input_length or output_length is missing");
    request.hash_ids = hash_ids_of(record);
    if (record.contains("hash_ids"))
        check_blocks(request.hash_ids.size(), *request.input_tokens, block_tokens);
    return request;
}

} // namespace detail

/// `timestamp` counts milliseconds. Throws JsonError, RowError.
inline TraceRecord parse_mooncake(std::string_view text, const ParseOptions& options)
{
    std::string digits;
    auto record = parse_record(text, "timestamp", &digits);
    auto request = detail::hashed_request(record, options.block_tokens > 0 ? options.block_tokens
                                                                           : mooncake_block_tokens);
    request.time_ns = time_at(record, "timestamp", record::TsUnit::ms, digits);
    if (!request.time_ns)
        throw record::RowError("timestamp is missing");
    request.source = others(std::move(record), {"timestamp", "input_length", "output_length", "hash_ids"});
    TraceRecord result;
    result.requests.push_back(std::move(request));
    return result;
}

/// `timestamp` counts seconds; a `parent_chat_id` of -1, or none, begins a conversation. Throws JsonError,
/// RowError.
inline TraceRecord parse_bailian(std::string_view text, const ParseOptions& options)
{
    std::string digits;
    auto record = parse_record(text, "timestamp", &digits);
    auto request = detail::hashed_request(record, options.block_tokens > 0 ? options.block_tokens
                                                                           : bailian_block_tokens);
    request.time_ns = time_at(record, "timestamp", record::TsUnit::s, digits);
    if (!request.time_ns)
        throw record::RowError("timestamp is missing");
    const auto id_of = [&](std::string_view key) { return integer_at(record, key); };
    request.chat_id = id_of("chat_id");
    if (!request.chat_id)
        throw record::RowError("chat_id is no integer");
    if (const auto* parent = find(record, "parent_chat_id"); parent && !parent->is_null()) {
        request.parent_id = id_of("parent_chat_id");
        if (!request.parent_id)
            throw record::RowError("parent_chat_id is no integer");
        if (*request.parent_id == -1)
            request.parent_id.reset();
    }
    request.source = others(std::move(record), {"timestamp", "input_length", "output_length", "hash_ids"});
    TraceRecord result;
    result.requests.push_back(std::move(request));
    return result;
}

} // namespace slo::trace

#endif
