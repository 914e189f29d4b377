// SPDX-License-Identifier: MIT
// The head of an HTTP/1.x answer: what its lines say about the body and the connection. RFC 9112.

#ifndef SLO_WIRE_HTTP_FIELDS_HPP
#define SLO_WIRE_HTTP_FIELDS_HPP

#include <slo/base/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace slo::wire {

/// What is wrong with a header line.
enum class HttpFieldFault { none, malformed, bad_length, bad_encoding };

/// True when both are the same but for the case of ASCII letters.
constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept
{
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](char left, char right) { return lower(left) == lower(right); });
}

/// Calls `body(item)` for each item of a comma-separated field value, without the blanks around it; empty
/// ones are left out.
template <class Body>
void for_each_item(std::string_view list, Body&& body)
{
    while (!list.empty()) {
        const auto comma = std::min(list.find(','), list.size());
        if (const auto item = trim(list.substr(0, comma)); !item.empty())
            body(item);
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
}

/// Status line and headers, line by line; kept is what frames the body, its type, and when to come again.
class HttpFields {
public:
    void clear() noexcept
    {
        status_ = 0;
        length_.reset();
        chunked_ = false;
        says_close_ = false;
        says_keep_alive_ = false;
        content_type_.clear();
        retry_after_.clear();
        date_.clear();
    }

    /// False when `line` is not "HTTP/1.0 NNN …" or "HTTP/1.1 NNN …".
    bool read_status_line(std::string_view line) noexcept
    {
        constexpr std::string_view begin = "HTTP/1.";
        constexpr std::size_t code_at = begin.size() + 2;
        constexpr std::size_t reason_at = code_at + 3;
        if (line.size() < reason_at || !line.starts_with(begin) || line[code_at - 1] != ' ' ||
            (line[begin.size()] != '0' && line[begin.size()] != '1') ||
            (line.size() > reason_at && line[reason_at] != ' '))
            return false;
        is_1_0_ = line[begin.size()] == '0';
        const auto status = digits(line.substr(code_at, 3));
        status_ = static_cast<int>(status.value_or(0));
        return status_ >= 100;
    }

    /// Takes one header line, without its end.
    HttpFieldFault read(std::string_view line)
    {
        const auto colon = line.find(':');
        // A line that begins with a blank would go on with the one before: RFC 9112, section 5.2.
        if (colon == std::string_view::npos || colon == 0 ||
            line.substr(0, colon).find_first_of(" \t") != std::string_view::npos ||
            line.find('\0') != std::string_view::npos)
            return HttpFieldFault::malformed;
        const auto name = line.substr(0, colon);
        const auto value = trim(line.substr(colon + 1));
        // The length tells most names apart.
        if (name.size() == 12 && equal_ignoring_case(name, "content-type"))
            keep(content_type_, value);
        else if (name.size() == 11 && equal_ignoring_case(name, "retry-after"))
            keep(retry_after_, value);
        else if (name.size() == 4 && equal_ignoring_case(name, "date"))
            keep(date_, value);
        else if (name.size() == 10 && equal_ignoring_case(name, "connection"))
            read_connection(value);
        else if (name.size() == 14 && equal_ignoring_case(name, "content-length"))
            return read_length(value);
        else if (name.size() == 17 && equal_ignoring_case(name, "transfer-encoding"))
            return read_encoding(value);
        return HttpFieldFault::none;
    }

    int status() const noexcept { return status_; }
    std::string_view content_type() const noexcept { return content_type_; } ///< these three as first sent
    std::string_view retry_after() const noexcept { return retry_after_; }
    std::string_view date() const noexcept { return date_; }
    std::optional<std::uint64_t> content_length() const noexcept { return length_; }
    bool chunked() const noexcept { return chunked_; }

    /// Of HTTP: 10 or 11.
    int version() const noexcept { return is_1_0_ ? 10 : 11; }

    /// True when another request may follow on the connection, as far as the head says.
    bool keep_alive() const noexcept { return !says_close_ && (!is_1_0_ || says_keep_alive_); }

private:
    static std::optional<std::uint64_t> digits(std::string_view text) noexcept
    {
        const bool all = std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
        return all ? parse_integer<std::uint64_t>(text) : std::nullopt;
    }

    static void keep(std::string& field, std::string_view value)
    {
        if (field.empty())
            field = value;
    }

    void read_connection(std::string_view value)
    {
        for_each_item(value, [this](std::string_view item) {
            says_close_ = says_close_ || equal_ignoring_case(item, "close");
            says_keep_alive_ = says_keep_alive_ || equal_ignoring_case(item, "keep-alive");
        });
    }

    // "5, 5" and a second line that says the same are one length: RFC 9110, section 8.6.
    HttpFieldFault read_length(std::string_view value)
    {
        bool good = !value.empty();
        for_each_item(value, [&](std::string_view item) {
            const auto length = digits(item);
            good = good && length && *length <= std::numeric_limits<std::int64_t>::max() &&
                   length_.value_or(*length) == *length;
            if (good)
                length_ = length;
        });
        return good && length_ ? HttpFieldFault::none : HttpFieldFault::bad_length;
    }

    HttpFieldFault read_encoding(std::string_view value)
    {
        bool good = true;
        for_each_item(value, [&](std::string_view item) {
            if (equal_ignoring_case(item, "identity"))
                return;
            good = good && !chunked_ && equal_ignoring_case(item, "chunked");
            chunked_ = true;
        });
        return good ? HttpFieldFault::none : HttpFieldFault::bad_encoding;
    }

    int status_ = 0;
    bool is_1_0_ = false;
    bool chunked_ = false;
    bool says_close_ = false;
    bool says_keep_alive_ = false;
    std::optional<std::uint64_t> length_;
    std::string content_type_;
    std::string retry_after_;
    std::string date_;
};

} // namespace slo::wire

#endif
