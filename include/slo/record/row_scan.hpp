// SPDX-License-Identifier: MIT
// A route row seen in one pass over its bytes: checked like any other, but left where it stands.

#ifndef SLO_RECORD_ROW_SCAN_HPP
#define SLO_RECORD_ROW_SCAN_HPP

#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/record/route.hpp>
#include <slo/record/timestamp.hpp>
#include <slo/wire/json_skip.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::record {

/// A member of an object, as it stands in the text.
struct RowMember {
    std::string_view key;   ///< what stands between its quotes
    std::string_view value; ///< JSON text

    bool is_text() const noexcept { return wire::is_json_string(value); }

    /// True when the key, decoded, is `name`, which consists of letters, digits and '_'.
    bool is(std::string_view name) const { return names(key, name); }

    static bool names(std::string_view key, std::string_view name)
    {
        if (key.size() == name.size())
            return key == name;
        // Such characters have one escaped form only, six bytes long.
        if (key.size() < name.size() || (key.size() - name.size()) % 5 != 0 ||
            key.find('\\') == std::string_view::npos)
            return false;
        std::string scratch;
        return wire::decode_json_string(key, scratch) == name;
    }
};

/// An element of a prompt that is a list, as it stands in the text. Whether it is a message is not checked.
struct RowMessage {
    std::string_view raw;      ///< JSON text
    std::string_view role;     ///< JSON text; empty when there is none
    std::string_view content;  ///< JSON text; empty when there is none
    std::uint32_t members = 0; ///< of the object, those with equal keys each for itself

    bool is_object() const noexcept { return raw.starts_with('{'); }
    bool is_text() const noexcept { return wire::is_json_string(raw); }
};

/// Scans one row after the other. Takes and refuses what parse_route_object() and parse_route_log_line() do,
/// for the same reasons. Of members with equal keys the last one counts. All views live until the next
/// scan(), and as long as the line does.
class RowScanner {
public:
    /// Looks at one line; false when it is a log line that logs no request. Throws RowError, JsonError.
    bool scan(std::string_view line)
    {
        line_ = trim(line);
        is_log_line_ = !line_.starts_with('{');
        if (!is_log_line_ && scan_row(line_))
            return true;
        const auto row = is_log_line_ ? parse_route_log_line(line_) : parse_route_object(line_);
        if (!row)
            return false;
        rewritten_ = rewrite(*row);
        if (!scan_row(rewritten_))
            throw RowError("nested too deep");
        return true;
    }

    /// The line as it stands, without blanks around it.
    std::string_view line() const noexcept { return line_; }

    /// The row as a JSON object, in which the views of members() lie: the line, or what says the same.
    std::string_view text() const noexcept { return text_; }

    /// True when ts() is the stamp of a log line: nanoseconds since 1970.
    bool is_log_line() const noexcept { return is_log_line_; }

    std::string_view ts_text() const noexcept { return ts_text_; }
    Timestamp ts() const noexcept { return ts_; }

    /// Decoded; empty when there is none.
    std::string_view conv_id() const noexcept { return conv_id_; }

    /// The body as a JSON object; where the row has it as text, what the text holds.
    std::string_view body() const noexcept { return body_; }

    /// Members in the order of the text().
    const std::vector<RowMember>& members() const noexcept { return members_; }
    const std::vector<RowMember>& body_members() const noexcept { return body_members_; }

    /// The member that counts, or nullptr.
    const RowMember* find(std::string_view name) const { return last_named(members_, name); }
    const RowMember* find_in_body(std::string_view name) const { return last_named(body_members_, name); }

    /// `prompt` of the body, or `messages` where that is missing or null, as JSON text; empty when there is
    /// neither.
    std::string_view prompt() const
    {
        for (const auto* name : {"prompt", "messages"}) {
            const auto* member = find_in_body(name);
            if (member && member->value != "null")
                return member->value;
        }
        return {};
    }

    /// The elements of prompt() where that is a list, else none.
    const std::vector<RowMessage>& messages() const
    {
        const auto* member = find_in_body("prompt");
        return member && member->value != "null" ? prompt_list_ : messages_list_;
    }

private:
    static const RowMember* last_named(const std::vector<RowMember>& members, std::string_view name)
    {
        const auto found = std::find_if(members.rbegin(), members.rend(),
                                        [&](const RowMember& member) { return member.is(name); });
        return found == members.rend() ? nullptr : &*found;
    }

    static std::string_view span(const char* begin, const char* end) noexcept
    {
        return {begin, static_cast<std::size_t>(end - begin)};
    }

    static std::string rewrite(const RouteRow& row)
    {
        auto text = "{\"ts\":" + row.ts_text + ",\"conv_id\":" + to_json(json_text(row.conv_id));
        for (const auto& member : row.other)
            text += "," + to_json(json::value(member.key())) + ":" + to_json(member.value());
        return text + ",\"body\":" + to_json(row.body) + "}";
    }

    // False leaves it to the parser to say what is wrong.
    bool scan_row(std::string_view text)
    {
        text_ = text;
        members_.clear();
        body_members_.clear();
        const char* const end = text.data() + text.size();
        const char* const at = wire::skip_json_members(
            text.data() + 1, end, [&](std::string_view key, const char* value) -> const char* {
                const bool is_body = value != end && *value == '{' && RowMember::names(key, "body");
                const char* const value_end =
                    is_body ? scan_body(value, end, wire::max_json_depth - 2)
                            : wire::skip_json_value(value, end, wire::max_json_depth - 1);
                if (value_end)
                    members_.push_back({key, span(value, value_end)});
                return value_end;
            });
        return at == end && take_ts() && take_conv_id() && take_body();
    }

    bool take_ts()
    {
        const auto* member = find("ts");
        if (!member || member->value.front() < '0' || member->value.front() > '9')
            return false;
        ts_text_ = member->value;
        const auto parsed = Timestamp::parse(ts_text_);
        ts_ = parsed.value_or(Timestamp());
        return parsed.has_value();
    }

    bool take_conv_id()
    {
        conv_id_ = {};
        const auto* member = find("conv_id");
        if (!member)
            return true;
        if (wire::is_json_string(member->value)) {
            conv_id_ = wire::json_string_text(member->value, conv_id_text_);
            return true;
        }
        if (const auto number = parse_integer<std::int64_t>(member->value))
            conv_id_text_ = std::to_string(*number);
        else if (const auto large = parse_integer<std::uint64_t>(member->value))
            conv_id_text_ = std::to_string(*large);
        else
            return false;
        conv_id_ = conv_id_text_;
        return true;
    }

    bool take_body()
    {
        const auto* member = find("body");
        if (!member)
            return false;
        body_ = member->value;
        if (body_.starts_with('{'))
            return true;
        if (!wire::is_json_string(body_))
            return false;
        const auto text = wire::json_string_text(body_, body_text_);
        const char* const end = text.data() + text.size();
        const char* const begin = wire::skip_json_blanks(text.data(), end);
        if (begin == end || *begin != '{')
            return false;
        const char* const body_end = scan_body(begin, end, wire::max_json_depth - 1);
        if (!body_end || !trim(span(body_end, end)).empty())
            return false;
        body_ = span(begin, body_end);
        return true;
    }

    // `depth` is what its members may have.
    const char* scan_body(const char* begin, const char* end, int depth)
    {
        body_members_.clear();
        prompt_list_.clear();
        messages_list_.clear();
        return wire::skip_json_members(
            begin + 1, end, [&](std::string_view key, const char* value) -> const char* {
                auto* list = RowMember::names(key, "prompt")     ? &prompt_list_
                             : RowMember::names(key, "messages") ? &messages_list_
                                                                 : nullptr;
                if (list)
                    list->clear();
                const char* const value_end = list && value != end && *value == '['
                                                  ? scan_list(value, end, depth, *list)
                                                  : wire::skip_json_value(value, end, depth);
                if (value_end)
                    body_members_.push_back({key, span(value, value_end)});
                return value_end;
            });
    }

    static const char* scan_list(const char* begin, const char* end, int depth, std::vector<RowMessage>& list)
    {
        return wire::skip_json_elements(begin + 1, end, [&](const char* at) -> const char* {
            RowMessage message;
            const char* const message_end = at != end && *at == '{' && depth > 1
                                                ? scan_message(at, end, depth - 2, message)
                                                : wire::skip_json_value(at, end, depth - 1);
            if (message_end) {
                message.raw = span(at, message_end);
                list.push_back(message);
            }
            return message_end;
        });
    }

    static const char* scan_message(const char* begin, const char* end, int depth, RowMessage& message)
    {
        return wire::skip_json_members(
            begin + 1, end, [&](std::string_view key, const char* value) -> const char* {
                const char* const value_end = wire::skip_json_value(value, end, depth);
                ++message.members;
                if (value_end && RowMember::names(key, "role"))
                    message.role = span(value, value_end);
                else if (value_end && RowMember::names(key, "content"))
                    message.content = span(value, value_end);
                return value_end;
            });
    }

    std::string_view line_;
    std::string_view text_;
    bool is_log_line_ = false;
    std::string rewritten_;
    std::string_view ts_text_;
    Timestamp ts_;
    std::string_view conv_id_;
    std::string conv_id_text_;
    std::string_view body_;
    std::string body_text_;
    std::vector<RowMember> members_;
    std::vector<RowMember> body_members_;
    std::vector<RowMessage> prompt_list_;
    std::vector<RowMessage> messages_list_;
};

} // namespace slo::record

#endif
