// SPDX-License-Identifier: MIT
// Headers that the user adds to each request.

#ifndef SLO_PLAN_EXTRA_HEADERS_HPP
#define SLO_PLAN_EXTRA_HEADERS_HPP

#include <slo/base/error.hpp>
#include <slo/base/secret_names.hpp>
#include <slo/base/text.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace slo::plan {

namespace detail {

// RFC 9110, section 5.6.2.
inline bool is_token(std::string_view name) noexcept
{
    constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
    return !name.empty() && std::all_of(name.begin(), name.end(), [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               marks.find(c) != std::string_view::npos;
    });
}

inline bool is_field_value(std::string_view value) noexcept
{
    return std::none_of(value.begin(), value.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte < 0x20 && c != '\t') || byte == 0x7F;
    });
}

inline std::string header_name(std::string_view line)
{
    return lower_case(trim(line.substr(0, line.find(':'))));
}

} // namespace detail

/// Lines "Name: value", checked. What a value holds never gets into a message.
class ExtraHeaders {
public:
    static constexpr std::size_t max_bytes = 32 << 10; ///< of all lines together

    ExtraHeaders() = default;

    /// Throws UsageError, with the subject "--header", for what no request may carry, what describes the
    /// connection or the body, and what each request has of its own; these are not the user's.
    explicit ExtraHeaders(const std::vector<std::string>& lines)
    {
        std::size_t bytes = 0;
        for (const auto& line : lines) {
            lines_.push_back(checked(line, lines_.size() + 1));
            bytes += line.size();
        }
        if (bytes > max_bytes)
            throw UsageError("--header", "more than " + std::to_string(max_bytes) + " bytes of headers");
    }

    /// `ours` and these; where both name the same header, these win.
    std::vector<std::string> merged_with(const std::vector<std::string>& ours) const
    {
        std::vector<std::string> all;
        for (const auto& line : ours)
            if (!has(detail::header_name(line)))
                all.push_back(line);
        all.insert(all.end(), lines_.begin(), lines_.end());
        return all;
    }

    /// True when a header of this name is among them; `name` in lower case.
    bool has(std::string_view name) const
    {
        return std::any_of(lines_.begin(), lines_.end(),
                           [&](const std::string& line) { return detail::header_name(line) == name; });
    }

    /// The lines fit for a record: "Name: ***" where the name speaks of a secret.
    std::vector<std::string> shown() const
    {
        std::vector<std::string> result;
        for (const auto& line : lines_) {
            const auto name = line.substr(0, line.find(':'));
            result.push_back(names_a_secret(name) ? name + ": ***" : printable(line, max_bytes));
        }
        return result;
    }

private:
    std::string checked(const std::string& line, std::size_t number) const
    {
        constexpr std::array<std::string_view, 9> not_the_users{
            "content-length",   "transfer-encoding", "connection", "keep-alive", "te",
            "proxy-connection", "trailer",           "upgrade",    "expect"};
        // The line that a request gets of its own would stand beside the user's.
        constexpr std::array<std::array<std::string_view, 2>, 3> set_here{
            {{"x-request-id", "is the id of the request in its record, and is set here"},
             {"traceparent", "is made of the id of the request: use --trace-context"},
             {"x-flow-conversation-id", "is set from the conv_id of the row"}}};
        constexpr std::array<std::string_view, 4> only_once{"host", "authorization", "content-type",
                                                            "user-agent"};
        const auto colon = line.find(':');
        const auto which = "header number " + std::to_string(number);
        if (colon == std::string::npos)
            throw UsageError("--header", which + " has no colon (NAME: VALUE)");
        const auto name = line.substr(0, colon);
        if (!detail::is_token(name))
            throw UsageError("--header", which + " has a name that no header may have");
        const auto value = trim(std::string_view(line).substr(colon + 1));
        if (!detail::is_field_value(value))
            throw UsageError("--header", name + " holds a character that no header may carry");
        if (value.empty())
            throw UsageError("--header", name + " has no value");
        const auto key = lower_case(name);
        if (std::find(not_the_users.begin(), not_the_users.end(), key) != not_the_users.end())
            throw UsageError("--header", name + " describes the connection or the body, and is set here");
        for (const auto& [ours, reason] : set_here) {
            if (key == ours)
                throw UsageError("--header", name + " " + std::string(reason));
        }
        if (std::find(only_once.begin(), only_once.end(), key) != only_once.end() && has(key))
            throw UsageError("--header", name + " is given twice");
        return name + ": " + std::string(value);
    }

    std::vector<std::string> lines_;
};

} // namespace slo::plan

#endif
