// SPDX-License-Identifier: MIT
// The parameters of a plan: names in braces, for which values stand in one place.

#ifndef SLO_CARD_PLAN_PARAMETERS_HPP
#define SLO_CARD_PLAN_PARAMETERS_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/spelling.hpp>
#include <slo/base/text.hpp>
#include <slo/config/document.hpp>

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace slo::card {

/// Puts the values of parameters in the place of {name}: a text that is nothing else becomes the value.
class PlanParameters {
public:
    /// `document` stands in messages. Throws InputError for a name or a value that no parameter has.
    PlanParameters(json::object values, std::string document)
        : values_(std::move(values)), document_(std::move(document))
    {
        for (const auto& member : values_) {
            const std::string name(member.key().data(), member.key().size());
            names_.insert(name);
            if (!is_name(name) || member.value().is_object() || member.value().is_array() ||
                member.value().is_null())
                throw InputError(document_, "parameters." + printable(name, 60) +
                                                ": a name of a-z, 0-9, _ has a number, a text or a flag");
        }
    }

    /// "NAME=VALUE" of the command line; the value is read as the document's are. Throws UsageError.
    void set(const std::string& words)
    {
        const auto equals = words.find('=');
        const auto name = words.substr(0, equals);
        if (equals == std::string::npos || !names_.count(name))
            throw UsageError("--set",
                             "'" + printable(words, 60) + "' is no NAME=VALUE of a parameter" + hint(name));
        auto parsed = config::parse_document("value: " + words.substr(equals + 1), "--set " + name);
        auto& value = parsed["value"];
        if (parsed.size() != 1 || value.is_object() || value.is_array() || value.is_null())
            throw UsageError("--set", name + " wants a number or a text");
        values_[name] = std::move(value);
    }

    /// Fills in all texts within. Throws InputError for a name in braces that is no parameter.
    void fill(json::value& value) const
    {
        if (auto* object = value.if_object()) {
            for (auto& member : *object)
                fill(member.value());
        } else if (auto* array = value.if_array()) {
            for (auto& element : *array)
                fill(element);
        } else if (const auto* text = value.if_string()) {
            value = filled({text->data(), text->size()});
        }
    }

    /// As they are set.
    const json::object& values() const noexcept { return values_; }

private:
    static bool is_name(std::string_view name)
    {
        constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789_";
        return !name.empty() && name.find_first_not_of(letters) == std::string_view::npos;
    }

    std::string hint(const std::string& name) const
    {
        const auto nearest = nearest_name(name, names_);
        return nearest ? "; did you mean " + *nearest + "?" : "";
    }

    json::value filled(std::string_view text) const
    {
        std::string result;
        while (true) {
            const auto open = text.find('{');
            const auto close = text.find('}', open == std::string_view::npos ? open : open + 1);
            if (close == std::string_view::npos)
                return json_text(result + std::string(text));
            const std::string name(text.substr(open + 1, close - open - 1));
            if (!is_name(name)) {
                result += text.substr(0, open + 1);
                text.remove_prefix(open + 1);
                continue;
            }
            const auto* value = find(values_, name);
            if (!value)
                throw InputError(document_, "{" + printable(name, 60) + "} is no parameter" + hint(name));
            if (open == 0 && close + 1 == text.size() && result.empty())
                return *value;
            result += text.substr(0, open);
            result += value->is_string() ? std::string(value->get_string()) : to_json(*value);
            text.remove_prefix(close + 1);
        }
    }

    json::object values_;
    std::string document_;
    std::set<std::string, std::less<>> names_;
};

} // namespace slo::card

#endif
