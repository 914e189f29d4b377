// SPDX-License-Identifier: MIT
// Fields of trace records: token counts, times, ids; each checked, each fault told by a constant.

#ifndef SLO_TRACE_FIELDS_HPP
#define SLO_TRACE_FIELDS_HPP

#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/record/route.hpp>
#include <slo/record/timestamp.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::trace {

/// No request has more tokens than this.
inline constexpr std::int64_t max_tokens_of_request = 10'000'000;

/// Throws RowError unless `tokens` is from 0 to max_tokens_of_request.
inline std::int64_t checked_tokens(std::optional<std::int64_t> tokens, const std::string& name)
{
    if (!tokens || *tokens < 0 || *tokens > max_tokens_of_request)
        throw record::RowError(name + " is no number of tokens");
    return *tokens;
}

/// The member `key` as a number of tokens, nothing where it is missing or null. Throws RowError.
inline std::optional<std::int64_t> tokens_at(const json::object& object, std::string_view key)
{
    const auto* value = find(object, key);
    if (!value || value->is_null())
        return std::nullopt;
    return checked_tokens(integer_at(object, key), std::string(key));
}

/// A decimal number of `unit`, exactly, as nanoseconds. Throws RowError.
inline std::int64_t ns_of(std::string_view digits, record::TsUnit unit, const std::string& name)
{
    const auto number = record::Timestamp::parse(digits);
    const auto time_ns = number ? number->to_ns(unit) : std::nullopt;
    if (!time_ns)
        throw record::RowError(name + (digits.starts_with('-') ? " is negative" : " is no time"));
    return *time_ns;
}

/// A JSON number of `unit` as nanoseconds; `digits` where its text is known, else its shortest. Nothing for
/// null and for what is missing. Throws RowError.
inline std::optional<std::int64_t> time_at(const json::object& object, std::string_view key,
                                           record::TsUnit unit, std::string digits = {})
{
    const auto* value = find(object, key);
    if (!value || value->is_null())
        return std::nullopt;
    if (!value->is_number())
        throw record::RowError(std::string(key) + " is no number");
    if (digits.empty())
        digits = value->is_double() ? format_double(value->get_double()) : to_json(*value);
    return ns_of(digits, unit, std::string(key));
}

/// A conversation's id: text of at most 4096 bytes, or an integer as its digits; empty where it is missing or
/// null. Throws RowError.
inline std::string id_at(const json::object& object, std::string_view key)
{
    const auto* value = find(object, key);
    if (!value || value->is_null())
        return {};
    if (value->is_int64() || value->is_uint64())
        return to_json(*value);
    const auto* text = value->if_string();
    if (!text || text->size() > 4096)
        throw record::RowError(std::string(key) +
                               (text ? " is too long" : " is neither text nor an integer"));
    return std::string(text->data(), text->size());
}

/// Throws RowError where copies of `object`, one for each of `times` requests of a record, would take more
/// than 256 MiB.
inline void check_copies(const json::object& object, std::size_t times)
{
    constexpr std::size_t limit_bytes = std::size_t{256} << 20;
    if (times > 1 && to_json(object).size() > limit_bytes / times)
        throw record::RowError("a record whose requests repeat too much");
}

/// The member `hash_ids`: integers of 64 bits, signed or not. Empty where it is missing or null. Throws
/// RowError.
inline std::vector<std::uint64_t> hash_ids_of(const json::object& object)
{
    const auto* value = find(object, "hash_ids");
    if (!value || value->is_null())
        return {};
    const auto* list = value->if_array();
    if (!list)
        throw record::RowError("hash_ids is no list");
    std::vector<std::uint64_t> ids;
    ids.reserve(list->size());
    for (const auto& id : *list) {
        if (id.is_int64())
            ids.push_back(static_cast<std::uint64_t>(id.get_int64()));
        else if (id.is_uint64())
            ids.push_back(id.get_uint64());
        else
            throw record::RowError("hash_ids holds what is no integer of 64 bits");
    }
    return ids;
}

/// Throws RowError unless `blocks` hash ids are as many as blocks of `block_tokens` that `tokens` fill.
inline void check_blocks(std::size_t blocks, std::int64_t tokens, std::int64_t block_tokens)
{
    const auto expected = (tokens + block_tokens - 1) / block_tokens;
    if (static_cast<std::int64_t>(blocks) != expected)
        throw record::RowError("hash_ids do not match input_length (" + std::to_string(tokens) +
                               " tokens are " + std::to_string(expected) + " blocks of " +
                               std::to_string(block_tokens) + ", not " + std::to_string(blocks) + ")");
}

/// The record as an object; `digits` receives those of its member `number_key`. Throws JsonError, RowError.
inline json::object parse_record(std::string_view text, std::string_view number_key = {},
                                 std::string* digits = nullptr)
{
    auto value = parse_json(text, number_key, digits);
    if (auto* object = value.if_object())
        return std::move(*object);
    throw record::RowError("not a JSON object");
}

/// All members but those named.
inline json::object others(json::object object, std::initializer_list<std::string_view> known)
{
    for (const auto key : known)
        object.stable_erase(json::string_view(key.data(), key.size()));
    return object;
}

/// True when `text` holds more than white space.
inline bool has_text(std::string_view text) noexcept
{
    return !trim(text).empty();
}

} // namespace slo::trace

#endif
