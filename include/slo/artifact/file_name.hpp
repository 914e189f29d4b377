// SPDX-License-Identifier: MIT
// The name of an artifact's file: what ran, where, on which engine, under which load.

#ifndef SLO_ARTIFACT_FILE_NAME_HPP
#define SLO_ARTIFACT_FILE_NAME_HPP

#include <slo/artifact/artifact.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace slo::artifact {

/// One part of a file name: small letters, digits, '.', '-' and '_'; anything else is a '-', of which none
/// stand in a row, nor at the ends. At most 60 bytes; "unknown" for nothing.
inline std::string name_part(std::string_view text)
{
    constexpr std::size_t longest = 60;
    std::string part;
    for (const char c : lower_case(text)) {
        const bool safe =
            (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
        const bool leads = part.empty() && (c == '.' || c == '_');
        if (safe && c != '-' && !leads)
            part += c;
        else if (!part.empty() && part.back() != '-')
            part += '-';
        if (part.size() == longest)
            break;
    }
    while (part.ends_with('-'))
        part.pop_back();
    return part.empty() ? "unknown" : part;
}

/// What a file name tells, in its order.
struct FileNameParts {
    std::string model; ///< what stands behind the last '/' of an id counts
    std::string substrate;
    std::string instance; ///< its dots become '-'
    std::string engine;   ///< with framework, its mode and a tag behind it
    std::string workload; ///< the card's id
    std::string load;     ///< "c4" or "q2.5"; empty: not said
};

/// "model_substrate_instance_engine_workload_load.json"; the same parts, the same name.
inline std::string file_name(const FileNameParts& parts)
{
    auto instance = parts.instance;
    std::replace(instance.begin(), instance.end(), '.', '-');
    std::string name;
    for (const std::string_view part :
         {std::string_view(parts.model).substr(parts.model.rfind('/') + 1), std::string_view(parts.substrate),
          std::string_view(instance), std::string_view(parts.engine), std::string_view(parts.workload)})
        name += (name.empty() ? "" : "_") + name_part(part);
    return name + (parts.load.empty() ? "" : "_" + name_part(parts.load)) + ".json";
}

/// The name of an artifact's file.
inline std::string file_name(const json::object& artifact)
{
    const auto text = [&](std::string_view path) {
        const auto* value = value_at(artifact, path);
        return value && value->is_string() ? std::string(value->get_string()) : std::string();
    };
    const auto number = [&](std::string_view path) {
        const auto found = as_number(value_at(artifact, path));
        auto shown = found ? format_double(*found) : std::string();
        return shown.ends_with(".0") ? shown.substr(0, shown.size() - 2) : shown;
    };
    auto engine = text("engine.name");
    for (const auto* path : {"framework.name", "framework.config.mode", "engine.engine_config_tag"})
        if (const auto part = text(path); !part.empty())
            engine += "-" + part;
    const auto users = number("workload.load.concurrency");
    const auto rate = number("workload.load.request_rate");
    const auto catalog_id = text("workload.catalog_id");
    return file_name(FileNameParts{text("model.id"), text("infrastructure.substrate"),
                                   text("infrastructure.instance_type"), engine,
                                   catalog_id.empty() ? "custom" : catalog_id,
                                   !users.empty()  ? "c" + users
                                   : !rate.empty() ? "q" + rate
                                                   : ""});
}

} // namespace slo::artifact

#endif
