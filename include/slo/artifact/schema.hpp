// SPDX-License-Identifier: MIT
// JSON Schema, draft 2020-12, as far as the envelope's schema needs it; any other keyword is refused.

#ifndef SLO_ARTIFACT_SCHEMA_HPP
#define SLO_ARTIFACT_SCHEMA_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::artifact {

/// Where an instance breaks its schema.
struct SchemaError {
    std::string path;    ///< dotted, "metrics.ttft_ms"; "(root)" for the whole
    std::string keyword; ///< "required", "type", "enum", …
    std::string reason;  ///< for people: "'p95' is missing"
};

/// A schema, read once. A keyword that is not known here is an error and not passed over, so that no rule of
/// a schema goes unchecked: type, enum, const, required, properties, additionalProperties, items, minItems,
/// minLength, minimum, maximum, pattern, $ref within the document; title, description, format and $comment
/// are annotations, as the draft has them.
class Schema {
public:
    /// No more errors than these are listed.
    static constexpr std::size_t most_errors = 50;

    /// Throws InputError naming `name` for a schema that is not sound, or says more than is read here.
    Schema(json::object root, std::string name) : root_(std::move(root)), name_(std::move(name))
    {
        read(root_, "#");
    }
    // patterns_ and places point into root_.
    Schema(const Schema&) = delete;
    Schema& operator=(const Schema&) = delete;

    /// What is wrong with `instance`, in the order of the schema; nothing where it keeps the schema.
    std::vector<SchemaError> check(const json::value& instance) const
    {
        std::vector<SchemaError> errors;
        check(instance, root_, "", 0, errors);
        return errors;
    }

private:
    using Errors = std::vector<SchemaError>;

    InputError error(const std::string& place, const std::string& reason) const
    {
        return InputError(name_, place + ": " + reason);
    }

    // Every subschema once, so that check() meets nothing unknown.
    void read(const json::object& schema, const std::string& place)
    {
        constexpr std::array annotations{"$schema", "$id", "$comment", "title", "description", "format"};
        for (const auto& member : schema) {
            const std::string key(member.key());
            const auto& value = member.value();
            const auto here = place + "/" + key;
            if (key == "$defs" || key == "properties")
                read_map(value, here);
            else if (key == "items" || (key == "additionalProperties" && !value.is_bool()))
                read_subschema(value, here);
            else if (key == "pattern")
                read_pattern(value, here);
            else if (key == "$ref")
                target(value.is_string() ? std::string_view(value.get_string()) : std::string_view(), here);
            else if (key == "type" || key == "enum" || key == "required" || key == "const" ||
                     key == "additionalProperties")
                read_words(key, value, here);
            else if (key == "minItems" || key == "minLength" || key == "minimum" || key == "maximum")
                read_number(value, here);
            else if (std::find(annotations.begin(), annotations.end(), key) == annotations.end())
                throw error(here, "this keyword is not read here");
        }
    }

    void read_map(const json::value& value, const std::string& place)
    {
        if (!value.is_object())
            throw error(place, "is no object");
        for (const auto& member : value.get_object())
            read_subschema(member.value(), place + "/" + std::string(member.key()));
    }

    void read_subschema(const json::value& value, const std::string& place)
    {
        if (!value.is_object())
            throw error(place, "is no schema");
        read(value.get_object(), place);
    }

    void read_pattern(const json::value& value, const std::string& place)
    {
        if (!value.is_string())
            throw error(place, "is no text");
        try {
            const std::string text(value.get_string());
            patterns_.emplace(text, std::regex(text, std::regex::ECMAScript));
        } catch (const std::regex_error&) {
            throw error(place, "is no regular expression");
        }
    }

    void read_words(const std::string& key, const json::value& value, const std::string& place) const
    {
        const auto is_type = [](const json::value& name) {
            constexpr std::array names{"object", "array", "string", "boolean", "null", "number", "integer"};
            return name.is_string() &&
                   std::find(names.begin(), names.end(), name.get_string()) != names.end();
        };
        const auto* list = value.if_array();
        bool sound = key == "const" || key == "additionalProperties" || list;
        if (key == "type")
            sound =
                list ? !list->empty() && std::all_of(list->begin(), list->end(), is_type) : is_type(value);
        if (key == "required")
            sound =
                sound && std::all_of(list->begin(), list->end(), [](const auto& v) { return v.is_string(); });
        if (!sound)
            throw error(place, "is not what this keyword takes");
    }

    void read_number(const json::value& value, const std::string& place) const
    {
        if (!as_number(&value))
            throw error(place, "is no number");
    }

    // The subschema that "#/$defs/name" names.
    const json::object& target(std::string_view pointer, const std::string& place) const
    {
        const json::object* found = pointer.starts_with("#/") ? &root_ : nullptr;
        for (auto rest = found ? pointer.substr(2) : pointer; found;) {
            const auto slash = rest.find('/');
            found = object_at(*found, rest.substr(0, slash));
            if (found && slash == std::string_view::npos)
                return *found;
            rest.remove_prefix(std::min(rest.size(), slash) + (slash != std::string_view::npos));
        }
        throw error(place, "leads nowhere in this schema");
    }

    static bool is_of_type(const json::value& value, std::string_view type)
    {
        if (type == "integer") {
            const auto number = as_number(&value);
            return number && std::floor(*number) == *number;
        }
        return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
               (type == "string" && value.is_string()) || (type == "boolean" && value.is_bool()) ||
               (type == "null" && value.is_null()) || (type == "number" && as_number(&value).has_value());
    }

    // 1 and 1.0 are the same number.
    static bool is_same(const json::value& a, const json::value& b)
    {
        const auto x = as_number(&a);
        const auto y = as_number(&b);
        return x && y ? *x == *y : a == b;
    }

    static std::string shown(const json::value& value) { return printable(to_json(value), 60); }

    static std::string listed(const json::array& values)
    {
        std::string text;
        for (const auto& value : values) {
            text += text.empty() ? "" : ", ";
            text += value.is_string() ? std::string(value.get_string()) : to_json(value);
        }
        return text;
    }

    void check(const json::value& instance, const json::object& schema, const std::string& path, int refs,
               Errors& errors) const
    {
        const auto fail = [&](std::string_view keyword, const std::string& reason) {
            if (errors.size() < most_errors)
                errors.push_back({path.empty() ? "(root)" : path, std::string(keyword), reason});
        };
        if (const auto pointer = string_at(schema, "$ref")) {
            constexpr int most_refs = 32;
            if (refs == most_refs)
                throw error(std::string(*pointer), "refers to itself");
            check(instance, target(*pointer, std::string(*pointer)), path, refs + 1, errors);
        }
        if (const auto* type = find(schema, "type")) {
            const json::array types = type->is_array() ? type->get_array() : json::array{*type};
            const auto fits = [&](const auto& name) { return is_of_type(instance, name.get_string()); };
            if (!std::any_of(types.begin(), types.end(), fits))
                return fail("type", "is " + shown(instance) + ", not " + listed(types));
        }
        const auto is_instance = [&](const json::value& value) { return is_same(value, instance); };
        if (const auto* list = array_at(schema, "enum");
            list && std::none_of(list->begin(), list->end(), is_instance))
            fail("enum", "is " + shown(instance) + ", none of " + listed(*list));
        if (const auto* only = find(schema, "const"); only && !is_instance(*only))
            fail("const", "is " + shown(instance) + ", not " + shown(*only));
        if (const auto number = as_number(&instance)) {
            if (const auto least = number_at(schema, "minimum"); least && *number < *least)
                fail("minimum", "is " + shown(instance) + ", below " + format_double(*least));
            if (const auto most = number_at(schema, "maximum"); most && *number > *most)
                fail("maximum", "is " + shown(instance) + ", above " + format_double(*most));
        }
        if (const auto* text = instance.if_string())
            check_text({text->data(), text->size()}, schema, fail);
        if (const auto* array = instance.if_array())
            check_array(*array, schema, path, fail, errors);
        if (const auto* object = instance.if_object())
            check_object(*object, schema, path, fail, errors);
    }

    template <class Fail>
    void check_text(std::string_view text, const json::object& schema, const Fail& fail) const
    {
        if (const auto least = number_at(schema, "minLength");
            least && static_cast<double>(count_code_points(text)) < *least)
            fail("minLength", text.empty() ? "is empty" : "is too short");
        constexpr std::size_t longest_matched = 4096; // std::regex recurses
        if (const auto pattern = string_at(schema, "pattern"))
            if (text.size() > longest_matched ||
                !std::regex_search(std::string(text), patterns_.at(std::string(*pattern))))
                fail("pattern",
                     "is \"" + printable(text, 60) + "\", which does not match " + std::string(*pattern));
    }

    template <class Fail>
    void check_array(const json::array& array, const json::object& schema, const std::string& path,
                     const Fail& fail, Errors& errors) const
    {
        if (const auto least = number_at(schema, "minItems");
            least && static_cast<double>(array.size()) < *least)
            fail("minItems", "has too few elements");
        if (const auto* items = object_at(schema, "items"))
            for (std::size_t i = 0; i < array.size(); ++i)
                check(array[i], *items, path + "[" + std::to_string(i) + "]", 0, errors);
    }

    template <class Fail>
    void check_object(const json::object& object, const json::object& schema, const std::string& path,
                      const Fail& fail, Errors& errors) const
    {
        if (const auto* required = array_at(schema, "required"))
            for (const auto& name : *required)
                if (!object.contains(name.get_string()))
                    fail("required", "'" + std::string(name.get_string()) + "' is missing");
        const auto* properties = object_at(schema, "properties");
        const auto* others = find(schema, "additionalProperties");
        for (const auto& member : object) {
            const std::string_view key(member.key().data(), member.key().size());
            const auto* known = properties ? object_at(*properties, key) : nullptr;
            const auto* rule = known ? known : others ? others->if_object() : nullptr;
            if (rule)
                check(member.value(), *rule, path.empty() ? std::string(key) : path + "." + std::string(key),
                      0, errors);
            else if (others && others->is_bool() && !others->get_bool() && !known)
                fail("additionalProperties", "'" + printable(key, 60) + "' is not known");
        }
    }

    json::object root_;
    std::string name_;
    std::map<std::string, std::regex, std::less<>> patterns_;
};

} // namespace slo::artifact

#endif
