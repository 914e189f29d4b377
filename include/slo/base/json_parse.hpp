// SPDX-License-Identifier: MIT
// JSON text to values: strict, bounded in depth, doubles correctly rounded.

#ifndef SLO_BASE_JSON_PARSE_HPP
#define SLO_BASE_JSON_PARSE_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_stack.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace slo {

namespace json = boost::json;

namespace detail {

// Boost.JSON 1.81 rounds doubles of 17 and more digits wrongly; this handler parses them anew.
class ExactHandler {
public:
    static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);

    explicit ExactHandler(std::string_view number_key) : number_key_(number_key) {}

    json::value take() { return stack_.release(); }
    std::string take_number_text() { return std::move(kept_number_); }

    bool on_document_begin(json::error_code&)
    {
        stack_.reset();
        return true;
    }
    bool on_document_end(json::error_code&) { return true; }
    bool on_array_begin(json::error_code&)
    {
        ++depth_;
        return true;
    }
    bool on_array_end(std::size_t n, json::error_code&)
    {
        --depth_;
        stack_.push_array(n);
        return true;
    }
    bool on_object_begin(json::error_code&)
    {
        ++depth_;
        return true;
    }
    bool on_object_end(std::size_t n, json::error_code&)
    {
        --depth_;
        stack_.push_object(n);
        return true;
    }
    bool on_string_part(json::string_view s, std::size_t, json::error_code&)
    {
        stack_.push_chars(s);
        return true;
    }
    bool on_string(json::string_view s, std::size_t, json::error_code&)
    {
        stack_.push_string(s);
        return true;
    }
    bool on_key_part(json::string_view s, std::size_t, json::error_code&)
    {
        if (depth_ == 1)
            key_ += std::string_view(s.data(), s.size());
        stack_.push_chars(s);
        return true;
    }
    bool on_key(json::string_view s, std::size_t, json::error_code&)
    {
        if (depth_ == 1) {
            key_ += std::string_view(s.data(), s.size());
            wanted_ = !number_key_.empty() && key_ == number_key_;
            key_.clear();
        }
        stack_.push_key(s);
        return true;
    }
    bool on_number_part(json::string_view s, json::error_code&)
    {
        number_ += std::string_view(s.data(), s.size());
        return true;
    }
    bool on_int64(std::int64_t i, json::string_view s, json::error_code&)
    {
        end_number(s);
        stack_.push_int64(i);
        return true;
    }
    bool on_uint64(std::uint64_t u, json::string_view s, json::error_code&)
    {
        end_number(s);
        stack_.push_uint64(u);
        return true;
    }
    bool on_double(double rough, json::string_view s, json::error_code&)
    {
        const auto text = end_number(s);
        stack_.push_double(parse_double(text).value_or(rough));
        return true;
    }
    bool on_bool(bool b, json::error_code&)
    {
        stack_.push_bool(b);
        return true;
    }
    bool on_null(json::error_code&)
    {
        stack_.push_null();
        return true;
    }
    bool on_comment_part(json::string_view, json::error_code&) { return true; }
    bool on_comment(json::string_view, json::error_code&) { return true; }

private:
    std::string end_number(json::string_view rest)
    {
        std::string text = std::exchange(number_, {});
        text += std::string_view(rest.data(), rest.size());
        if (depth_ == 1 && wanted_)
            kept_number_ = text;
        return text;
    }

    json::value_stack stack_;
    std::string_view number_key_;
    std::string key_;
    std::string number_;
    std::string kept_number_;
    int depth_ = 0;
    bool wanted_ = false;
};

} // namespace detail

/// Why a text is not JSON; the caller adds file and line.
class JsonError : public Error {
public:
    using Error::Error;
};

/// Parses the whole of `text` as strict JSON (UTF-8 checked, nesting at most 64 deep, of duplicate keys the
/// last wins); doubles are correctly rounded. Where `number_text` is given, it receives the digits of the
/// top-level member `number_key` as they stand in the text (empty when it is no number). Throws JsonError.
inline json::value parse_json(std::string_view text, std::string_view number_key = {},
                              std::string* number_text = nullptr)
{
    json::parse_options options;
    options.max_depth = 64;
    json::basic_parser<detail::ExactHandler> parser(options, number_key);
    json::error_code error;
    const auto used = parser.write_some(false, text.data(), text.size(), error);
    if (!error && used < text.size() && !trim(text.substr(used)).empty())
        error = json::error::extra_data;
    if (error)
        throw JsonError("not JSON (" + error.message() + " at byte " + std::to_string(used + 1) + ")");
    if (number_text)
        *number_text = parser.handler().take_number_text();
    return parser.handler().take();
}

} // namespace slo

#endif
