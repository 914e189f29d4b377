// SPDX-License-Identifier: MIT
// A strict look into a document: every key is asked for by name, and what nobody asks for is an error.

#ifndef SLO_CONFIG_SECTION_HPP
#define SLO_CONFIG_SECTION_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/spelling.hpp>
#include <slo/base/text.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::config {

/// One mapping of a document. All errors are InputErrors that name the place ("spec.yaml:
/// buckets[2].target").
class Section {
public:
    /// `where` names the document; the object must outlive the section.
    Section(const json::object& object, std::string where) : Section(object, std::move(where), {}) {}

    /// True when the key is there and not null.
    bool has(std::string_view key) { return value(key) != nullptr; }

    /// The raw value; nullptr when it is missing or null.
    const json::value* value(std::string_view key)
    {
        asked_.emplace(key);
        const auto* found = find(*object_, key);
        return found && !found->is_null() ? found : nullptr;
    }

    std::string text(std::string_view key)
    {
        const auto& found = needed(key);
        if (!found.is_string())
            throw error(key, "is no text");
        return {found.get_string().data(), found.get_string().size()};
    }
    std::string text(std::string_view key, std::string_view fallback)
    {
        return has(key) ? text(key) : std::string(fallback);
    }

    /// A whole number from `low` to `high`.
    std::int64_t integer(std::string_view key, std::int64_t low, std::int64_t high)
    {
        const auto& found = needed(key);
        if (!found.is_int64() || found.get_int64() < low || found.get_int64() > high)
            throw error(key,
                        "is no whole number from " + std::to_string(low) + " to " + std::to_string(high));
        return found.get_int64();
    }
    std::int64_t integer(std::string_view key, std::int64_t low, std::int64_t high, std::int64_t fallback)
    {
        return has(key) ? integer(key, low, high) : fallback;
    }

    /// A number from `low` to `high`.
    double number(std::string_view key, double low, double high)
    {
        const auto found = as_number(&needed(key));
        if (!found || !(*found >= low && *found <= high))
            throw error(key, "is no number from " + format_double(low) + " to " + format_double(high));
        return *found;
    }
    double number(std::string_view key, double low, double high, double fallback)
    {
        return has(key) ? number(key, low, high) : fallback;
    }

    bool flag(std::string_view key, bool fallback)
    {
        const auto* found = value(key);
        if (found && !found->is_bool())
            throw error(key, "is neither true nor false");
        return found ? found->get_bool() : fallback;
    }

    /// A list of texts; empty when it is missing.
    std::vector<std::string> texts(std::string_view key)
    {
        std::vector<std::string> list;
        for (const auto& element : elements(key)) {
            if (!element.is_string())
                throw error(key, "is no list of texts");
            list.emplace_back(element.get_string().data(), element.get_string().size());
        }
        return list;
    }

    /// A mapping inside this one.
    Section section(std::string_view key)
    {
        const auto* object = needed(key).if_object();
        if (!object)
            throw error(key, "is no mapping");
        return {*object, document_, path(key)};
    }

    /// A list of mappings; empty when it is missing.
    std::vector<Section> sections(std::string_view key)
    {
        std::vector<Section> list;
        for (const auto& element : elements(key)) {
            const auto* object = element.if_object();
            if (!object)
                throw error(key, "is no list of mappings");
            list.push_back({*object, document_, path(key) + "[" + std::to_string(list.size()) + "]"});
        }
        return list;
    }

    /// What to throw about a value of this section.
    InputError error(std::string_view key, std::string_view reason) const
    {
        return InputError(document_, path(key) + ": " + std::string(reason));
    }

    /// Call it last: throws for a key that nobody asked for, naming the nearest that was.
    void finish() const
    {
        for (const auto& member : *object_) {
            const std::string key(member.key().data(), member.key().size());
            if (asked_.count(key))
                continue;
            std::string reason = "is unknown";
            if (const auto nearest = nearest_name(key, asked_))
                reason += "; did you mean " + *nearest + "?";
            throw error(printable(key, 80), reason);
        }
    }

private:
    Section(const json::object& object, std::string document, std::string path)
        : object_(&object), document_(std::move(document)), path_(std::move(path))
    {
    }

    std::string path(std::string_view key) const
    {
        return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
    }

    const json::value& needed(std::string_view key)
    {
        const auto* found = value(key);
        if (found)
            return *found;
        for (const auto& member : *object_) {
            const std::string_view there(member.key().data(), member.key().size());
            if (!asked_.count(there) && nearest_name(there, std::array{key}))
                throw error(key, "is missing, but there is " + printable(there, 80));
        }
        throw error(key, "is missing");
    }

    const json::array& elements(std::string_view key)
    {
        static const json::array none;
        const auto* found = value(key);
        if (found && !found->is_array())
            throw error(key, "is no list");
        return found ? found->get_array() : none;
    }

    const json::object* object_;
    std::string document_;
    std::string path_;
    std::set<std::string, std::less<>> asked_;
};

} // namespace slo::config

#endif
