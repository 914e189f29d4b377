// SPDX-License-Identifier: MIT
// Files that people write by hand: YAML or JSON, strictly read into one form.

#ifndef SLO_CONFIG_DOCUMENT_HPP
#define SLO_CONFIG_DOCUMENT_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/io/fd.hpp>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::config {

namespace detail {

inline constexpr std::size_t max_document_bytes = std::size_t{16} << 20;
inline constexpr std::size_t max_depth = 64;
inline constexpr std::size_t max_nodes = 1'000'000;

/// Builds a value out of the parser's events, so that each key is seen with its line. An alias stands for a
/// copy; copies count as nodes, or a page of aliases could grow without bound.
class DocumentBuilder : public YAML::EventHandler {
public:
    explicit DocumentBuilder(std::string_view name) : name_(name) {}

    json::value take() { return std::move(root_); }
    bool any() const noexcept { return any_; }

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override
    {
        put(mark, nullptr, anchor, "null");
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override
    {
        if (anchor >= anchors_.size() || anchors_[anchor].is_null())
            throw error(mark, "an alias of something that is not complete or not there");
        auto copy = anchors_[anchor];
        nodes_ += count(copy);
        put(mark, std::move(copy), YAML::NullAnchor, "*");
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& text) override
    {
        if (tag != "?" && tag != "!" && tag != "tag:yaml.org,2002:str")
            throw error(mark, "a tag (" + printable(tag, 60) + ")");
        put(mark, tag == "?" ? plain(text) : json_text(text), anchor, text);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override
    {
        open(mark, json::array(), anchor);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override
    {
        open(mark, json::object(), anchor);
    }
    void OnMapEnd() override { close(); }

private:
    struct Open {
        json::value value;
        YAML::anchor_t anchor;
        YAML::Mark mark;
        std::string key; ///< of the member that comes next
        bool has_key = false;
    };

    InputError error(const YAML::Mark& mark, std::string_view reason) const
    {
        return {name_, static_cast<std::size_t>(mark.line) + 1, reason};
    }

    // The core schema of YAML 1.2.2, section 10.3.2, without octal and without infinities.
    static json::value plain(const std::string& text)
    {
        if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL")
            return nullptr;
        if (text == "true" || text == "True" || text == "TRUE")
            return true;
        if (text == "false" || text == "False" || text == "FALSE")
            return false;
        if (text.find_first_not_of("+-.0123456789eE") == std::string::npos) {
            if (const auto whole = parse_integer<std::int64_t>(text))
                return *whole;
            if (const auto number = parse_double(text))
                return *number;
        }
        return json_text(text);
    }

    static std::size_t count(const json::value& value)
    {
        std::size_t nodes = 1;
        if (const auto* object = value.if_object()) {
            for (const auto& member : *object)
                nodes += count(member.value());
        } else if (const auto* array = value.if_array()) {
            for (const auto& element : *array)
                nodes += count(element);
        } else if (const auto* text = value.if_string()) {
            constexpr std::size_t bytes_of_a_node = 16;
            nodes += text->size() / bytes_of_a_node;
        }
        return nodes;
    }

    void open(const YAML::Mark& mark, json::value container, YAML::anchor_t anchor)
    {
        if (open_.size() == max_depth)
            throw error(mark, "nested more than 64 deep");
        if (!open_.empty() && open_.back().value.is_object() && !open_.back().has_key)
            throw error(mark, "a key that is no text");
        open_.push_back({std::move(container), anchor, mark, {}, false});
    }

    void close()
    {
        auto done = std::move(open_.back());
        open_.pop_back();
        put(done.mark, std::move(done.value), done.anchor, "");
    }

    void put(const YAML::Mark& mark, json::value value, YAML::anchor_t anchor, const std::string& text)
    {
        if (++nodes_ > max_nodes)
            throw error(mark, "more than a million values");
        if (anchor != YAML::NullAnchor) {
            anchors_.resize(std::max(anchors_.size(), anchor + 1));
            anchors_[anchor] = value;
        }
        if (open_.empty()) {
            root_ = std::move(value);
            any_ = true;
            return;
        }
        auto& parent = open_.back();
        if (auto* array = parent.value.if_array()) {
            array->push_back(std::move(value));
        } else if (!parent.has_key) {
            if (text == "<<")
                throw error(mark, "merge keys (<<) are not read");
            if (parent.value.get_object().contains(text))
                throw error(mark, "'" + printable(text, 60) + "' stands twice");
            parent.key = text;
            parent.has_key = true;
        } else {
            parent.value.get_object()[parent.key] = std::move(value);
            parent.has_key = false;
        }
    }

    std::string name_;
    std::vector<Open> open_;
    std::vector<json::value> anchors_;
    json::value root_;
    std::size_t nodes_ = 0;
    bool any_ = false;
};

// JSON escapes a code point above U+FFFF as two halves, YAML as one number of eight digits.
inline std::string join_surrogates(std::string_view text)
{
    const auto unit = [&](std::size_t at) -> std::uint32_t {
        if (text.substr(at, 2) != "\\u" || text.size() < at + 6)
            return 0;
        std::uint32_t value = 0;
        const auto* const end = text.data() + at + 6;
        return std::from_chars(end - 4, end, value, 16).ptr == end ? value : 0;
    };
    std::string joined;
    for (std::size_t at = 0; at < text.size();) {
        const auto high = unit(at);
        const auto low = high >= 0xD800 && high < 0xDC00 ? unit(at + 6) : 0;
        if (low >= 0xDC00 && low <= 0xDFFF) {
            joined += fmt::format("\\U{:08x}", 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00));
            at += 12;
        } else {
            const std::size_t taken = text[at] == '\\' ? 2 : 1;
            joined += text.substr(at, taken);
            at += taken;
        }
    }
    return joined;
}

} // namespace detail

/// The mapping that `text` holds, YAML 1.2 (core schema: "no" and "on" are texts) or JSON, which is YAML
/// too: each key once, no tags, one document, at most 16 MiB, 64 levels and a million values. `name` stands
/// in messages. Throws InputError ("spec.yaml:17: reason").
inline json::object parse_document(std::string_view text, const std::string& name)
{
    if (text.size() > detail::max_document_bytes)
        throw InputError(name, 1, "larger than 16 MiB");
    if (!is_utf8(text))
        throw InputError(name, 1, "not UTF-8");
    const bool is_json = trim(text).starts_with('{');
    detail::DocumentBuilder builder(name);
    try {
        std::istringstream stream(is_json ? detail::join_surrogates(text) : std::string(text));
        YAML::Parser parser(stream);
        const bool found = parser.HandleNextDocument(builder);
        if (!found || !builder.any())
            throw InputError(name, 1, "holds nothing");
        detail::DocumentBuilder next(name);
        if (parser.HandleNextDocument(next))
            throw InputError(name, 1, "holds more than one document");
    } catch (const YAML::ParserException& error) {
        throw InputError(name, static_cast<std::size_t>(std::max(error.mark.line, 0)) + 1,
                         "neither YAML nor JSON: " + printable(error.msg, 200));
    }
    auto value = builder.take();
    if (!value.is_object())
        throw InputError(name, 1, "is not a mapping of names to values");
    return std::move(value.get_object());
}

/// The same of a file ("-" is stdin). Throws IoError, InputError.
inline json::object load_document(const std::string& path)
{
    return parse_document(io::read_all(path, detail::max_document_bytes), io::display_name(path));
}

} // namespace slo::config

#endif
