// SPDX-License-Identifier: MIT
// The route record: one request of a recorded or made load, as a JSON line or as a line of an old log.

#ifndef SLO_RECORD_ROUTE_HPP
#define SLO_RECORD_ROUTE_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/io/jsonl.hpp>
#include <slo/record/log_line.hpp>
#include <slo/record/timestamp.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo::record {

/// A row is malformed; the reader adds file and line.
class RowError : public Error {
public:
    using Error::Error;
};

/// One row. What the reader does not know travels along in `other`.
struct RouteRow {
    std::size_t line = 0; ///< 1-based
    Timestamp ts;         ///< in the route's unit, or in ns when `utc`
    bool utc = false;     ///< the time is a log line's stamp: ns since 1970, whatever unit the route has
    std::string ts_text;  ///< the digits of `ts` as they stand in the row
    std::string conv_id;  ///< empty: never serialized
    json::object body;    ///< prompt or messages, and sampling fields
    json::object other;   ///< all top-level members but ts, conv_id and body
};

namespace detail {

inline std::string conversation_id(const json::value* id)
{
    if (!id)
        return {};
    if (const auto* text = id->if_string())
        return std::string(text->data(), text->size());
    if (id->is_int64())
        return std::to_string(id->get_int64());
    if (id->is_uint64())
        return std::to_string(id->get_uint64());
    throw RowError("conv_id is neither text nor an integer");
}

inline json::object request_body(json::value* body)
{
    if (!body)
        throw RowError("body is missing");
    if (auto* object = body->if_object())
        return std::move(*object);
    if (const auto* text = body->if_string()) {
        try {
            auto inner = parse_json({text->data(), text->size()});
            if (auto* object = inner.if_object())
                return std::move(*object);
        } catch (const JsonError& error) {
            throw RowError("body is text that is " + std::string(error.what()));
        }
    }
    throw RowError("body is neither an object nor text holding one");
}

inline Timestamp row_timestamp(const json::value* ts, std::string_view digits)
{
    if (!ts)
        throw RowError("ts is missing");
    if (!ts->is_number())
        throw RowError("ts is not a number");
    if (digits.starts_with('-'))
        throw RowError("ts is negative");
    const auto parsed = Timestamp::parse(digits);
    if (!parsed)
        throw RowError("ts is out of range");
    return *parsed;
}

} // namespace detail

/// A row from one JSON line. Throws RowError, JsonError.
inline RouteRow parse_route_object(std::string_view line)
{
    RouteRow row;
    auto value = parse_json(line, "ts", &row.ts_text);
    auto* object = value.if_object();
    if (!object)
        throw RowError("not a JSON object");
    row.ts = detail::row_timestamp(find(*object, "ts"), row.ts_text);
    row.conv_id = detail::conversation_id(find(*object, "conv_id"));
    row.body = detail::request_body(object->if_contains("body"));
    object->stable_erase("ts");
    object->stable_erase("conv_id");
    object->stable_erase("body");
    row.other = std::move(*object);
    return row;
}

/// A row from a line of an old log: a UTC stamp, then somewhere a JSON object whose `message` is
/// "[Log chat request] " and `{"conversationId":…,"body":{…}}`. Nothing when the line logs something else.
/// Throws RowError, JsonError.
inline std::optional<RouteRow> parse_route_log_line(std::string_view line)
{
    std::size_t stamp_bytes = 0;
    const auto time_ns = parse_utc_stamp(line, stamp_bytes);
    if (stamp_bytes == 0)
        throw RowError("neither a JSON object nor a log line with a UTC stamp");
    if (!time_ns)
        throw RowError("the stamp is no date between 1970 and 2261");
    const auto request = logged_request(line.substr(stamp_bytes));
    if (!request)
        return std::nullopt;
    auto value = parse_json(*request);
    auto* object = value.if_object();
    if (!object)
        throw RowError("the logged request is no JSON object");
    RouteRow row;
    row.utc = true;
    row.ts = Timestamp(*time_ns);
    row.ts_text = std::to_string(*time_ns);
    row.conv_id = detail::conversation_id(find(*object, "conversationId"));
    row.body = detail::request_body(object->if_contains("body"));
    return row;
}

/// The prompt of a row's body, which is `prompt` or `messages`: a text, or a list of message objects; a list
/// of texts becomes one user message each. Throws RowError when there is none or it is anything else.
inline json::value prompt_of(json::object& body)
{
    auto* prompt = body.if_contains("prompt");
    if (!prompt || prompt->is_null())
        prompt = body.if_contains("messages");
    if (!prompt || prompt->is_null())
        throw RowError("body has neither prompt nor messages");
    if (const auto* text = prompt->if_string()) {
        if (text->empty())
            throw RowError("the prompt is empty");
        return std::move(*prompt);
    }
    auto* list = prompt->if_array();
    if (!list)
        throw RowError("the prompt is neither text nor a list of messages");
    if (list->empty())
        throw RowError("the prompt is empty");
    const bool texts = list->front().is_string();
    for (auto& message : *list) {
        if (texts ? !message.is_string() : !message.is_object())
            throw RowError("the prompt is neither text nor a list of messages");
        if (texts)
            message = json::object{{"role", "user"}, {"content", std::move(message)}};
    }
    return std::move(*prompt);
}

/// Reads the rows of a route one by one, as soon as each is there.
class RouteReader {
public:
    /// `path` "-" is stdin. With `skip_bad`, malformed rows are passed over and counted. Throws IoError.
    explicit RouteReader(const std::string& path, bool skip_bad = false)
        : RouteReader(io::LineReader(path), skip_bad)
    {
    }
    explicit RouteReader(io::LineReader lines, bool skip_bad = false)
        : lines_(std::move(lines)), skip_bad_(skip_bad)
    {
    }

    /// The next row, or nothing at the end. Throws IoError, and InputError ("route.jsonl:17: ts is missing").
    std::optional<RouteRow> next()
    {
        while (const auto line = lines_.next()) {
            const auto text = trim(*line);
            if (text.empty())
                continue;
            try {
                auto row = text.starts_with('{') ? parse_route_object(text) : parse_route_log_line(text);
                if (row) {
                    row->line = lines_.line();
                    return row;
                }
                ++other_log_lines_;
            } catch (const RowError& error) {
                reject(error.what());
            } catch (const JsonError& error) {
                reject(error.what());
            }
        }
        return std::nullopt;
    }

    /// Says that the row handed out last is of no use: counts it with `skip_bad`, else throws InputError.
    void reject(std::string_view reason)
    {
        const auto error = lines_.error(reason);
        if (!skip_bad_)
            throw error;
        if (bad_rows_++ == 0)
            first_bad_ = error.what();
    }

    /// Malformed rows passed over, and what was wrong with the first, "file:line: reason".
    std::size_t bad_rows() const noexcept { return bad_rows_; }
    const std::string& first_bad() const noexcept { return first_bad_; }

    /// Log lines passed over because they log no request.
    std::size_t other_log_lines() const noexcept { return other_log_lines_; }

    /// What the file is called in messages.
    const std::string& name() const noexcept { return lines_.name(); }

private:
    io::LineReader lines_;
    bool skip_bad_;
    std::size_t bad_rows_ = 0;
    std::size_t other_log_lines_ = 0;
    std::string first_bad_;
};

} // namespace slo::record

#endif
