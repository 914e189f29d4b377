// SPDX-License-Identifier: MIT
// One artifact as its readers see it: a v1 envelope, whoever made it.

#ifndef SLO_ARTIFACT_ARTIFACT_HPP
#define SLO_ARTIFACT_ARTIFACT_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/json_path.hpp>
#include <slo/base/text.hpp>
#include <slo/io/fd.hpp>

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo::artifact {

/// The record's own name, and the version of the envelope's fields.
inline constexpr std::string_view envelope_schema = "sloutils.envelope/1";
inline constexpr std::string_view envelope_version = "1.0.0";

/// No artifact is larger; a larger one is an InputError.
inline constexpr std::size_t max_artifact_bytes = std::size_t{64} << 20;

/// An envelope and where it came from. Null counts as absent everywhere, and never as 0.
class Artifact {
public:
    /// Throws InputError for an envelope of another major version than 1, and for a record of another kind.
    Artifact(json::object root, std::string name) : root_(std::move(root)), name_(std::move(name))
    {
        const auto kind = string_at(root_, "schema");
        if (kind && *kind != envelope_schema)
            throw InputError(name_,
                             "is a " + printable(*kind, 60) + " record, not " + std::string(envelope_schema));
        const auto version = text("schema_version");
        if (version && !version->starts_with("1."))
            throw InputError(name_, "is an envelope of version " + printable(*version, 30) +
                                        "; this tool reads version 1");
    }

    /// The whole of it.
    const json::object& root() const noexcept { return root_; }

    /// The file it was read from, for messages.
    const std::string& name() const noexcept { return name_; }

    /// The value at a dotted path; nullptr where it is absent or null.
    const json::value* at(std::string_view path) const noexcept { return value_at(root_, path); }

    /// The finite number at a dotted path; true and "1" are no numbers.
    std::optional<double> number(std::string_view path) const noexcept
    {
        const auto found = as_number(at(path));
        return found && std::isfinite(*found) ? found : std::nullopt;
    }

    /// The text at a dotted path.
    std::optional<std::string> text(std::string_view path) const
    {
        const auto* value = at(path);
        if (!value || !value->is_string())
            return std::nullopt;
        return std::string(value->get_string());
    }

    /// True or false at a dotted path; nothing for anything else.
    std::optional<bool> truth(std::string_view path) const noexcept
    {
        const auto* value = at(path);
        return value && value->is_bool() ? std::optional(value->get_bool()) : std::nullopt;
    }

    /// The object at a dotted path, or nullptr.
    const json::object* object(std::string_view path) const noexcept
    {
        const auto* value = at(path);
        return value ? value->if_object() : nullptr;
    }

    /// The array at a dotted path, or nullptr.
    const json::array* array(std::string_view path) const noexcept
    {
        const auto* value = at(path);
        return value ? value->if_array() : nullptr;
    }

private:
    json::object root_;
    std::string name_;
};

/// The artifact that a text holds: one JSON object, strict and UTF-8 (NaN is none). Throws InputError.
inline Artifact parse_artifact(std::string_view text, const std::string& name)
{
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    if (trim(text).empty())
        throw InputError(name, "holds nothing");
    try {
        auto value = parse_json(text);
        if (!value.is_object())
            throw InputError(name, "is not a JSON object");
        return {std::move(value.get_object()), name};
    } catch (const JsonError& error) {
        throw InputError(name, error.what());
    }
}

/// The same of a file ("-" is stdin), at most 64 MiB. Throws IoError, InputError.
inline Artifact load_artifact(const std::string& path)
{
    return parse_artifact(io::read_all(path, max_artifact_bytes), io::display_name(path));
}

} // namespace slo::artifact

#endif
