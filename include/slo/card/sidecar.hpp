// SPDX-License-Identifier: MIT
// The sidecar of a benchmark (benchmark.yaml): what is deployed, on what, and what is asked of it.

#ifndef SLO_CARD_SIDECAR_HPP
#define SLO_CARD_SIDECAR_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/json_path.hpp>
#include <slo/card/sidecar_keys.hpp>
#include <slo/config/document.hpp>
#include <slo/io/fd.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::card {

/// What an artifact cannot be without, of a sidecar.
inline constexpr std::array<std::string_view, 14> needed_of_sidecar{"model.name",
                                                                    "model.id",
                                                                    "engine.name",
                                                                    "engine.container_image",
                                                                    "engine.tensor_parallel",
                                                                    "engine.pipeline_parallel",
                                                                    "engine.replicas",
                                                                    "engine.reasoning",
                                                                    "infrastructure.substrate",
                                                                    "infrastructure.instance_type",
                                                                    "infrastructure.gpu.name",
                                                                    "infrastructure.gpu.count",
                                                                    "infrastructure.gpu.vram_gb",
                                                                    "infrastructure.gpu.interconnect"};

/// One entry of `workloads`: a card of the catalogue with what is to differ from it, or a workload of its
/// own.
struct SidecarWorkload {
    std::optional<std::string> catalog_id;
    const json::object* override_ = nullptr; ///< `override`, or `workload_overrides` in its place
    const json::object* custom = nullptr;
};

/// A sidecar, checked: every key is known and holds what it may. Sections and values may be missing; null is
/// the same as missing, never 0. Paths are names joined by dots, and lead through mappings only.
class Sidecar {
public:
    /// Throws InputError with the place and, for an unknown key, the nearest known one.
    Sidecar(json::object root, std::string name) : root_(std::move(root)), name_(std::move(name))
    {
        sidecar_keys::take_documented_names(root_, name_);
        sidecar_keys::check_sidecar(root_, name_);
    }

    /// As it was written, except that speculative_decoding stands as speculative_decode.
    const json::object& root() const noexcept { return root_; }
    /// What messages call it.
    const std::string& name() const noexcept { return name_; }

    /// nullptr for what is missing or null.
    const json::value* at(std::string_view path) const { return value_at(root_, path); }
    std::optional<std::string> text(std::string_view path) const
    {
        const auto* found = at(path);
        if (!found || !found->is_string())
            return std::nullopt;
        return std::string(found->get_string().data(), found->get_string().size());
    }
    std::optional<double> number(std::string_view path) const { return as_number(at(path)); }
    std::optional<std::int64_t> integer(std::string_view path) const
    {
        const auto* found = at(path);
        return found && found->is_int64() ? std::optional(found->get_int64()) : std::nullopt;
    }
    std::optional<bool> flag(std::string_view path) const
    {
        const auto* found = at(path);
        return found && found->is_bool() ? std::optional(found->get_bool()) : std::nullopt;
    }
    const json::object* map(std::string_view path) const
    {
        const auto* found = at(path);
        return found ? found->if_object() : nullptr;
    }

    /// Those of the paths that are missing or null.
    std::vector<std::string> missing(std::span<const std::string_view> paths) const
    {
        std::vector<std::string> list;
        for (const auto path : paths)
            if (!at(path))
                list.emplace_back(path);
        return list;
    }

    /// The entries of `workloads`, in order; they point into this object.
    std::vector<SidecarWorkload> workloads() const
    {
        std::vector<SidecarWorkload> list;
        const auto* entries = array_at(root_, "workloads");
        for (std::size_t i = 0; entries && i < entries->size(); ++i) {
            const auto& keys = (*entries)[i].get_object();
            SidecarWorkload workload;
            if (const auto id = string_at(keys, "catalog_id"))
                workload.catalog_id = std::string(*id);
            workload.override_ = object_at(keys, "override");
            if (!workload.override_)
                workload.override_ = object_at(keys, "workload_overrides");
            workload.custom = object_at(keys, "custom");
            list.push_back(std::move(workload));
        }
        return list;
    }
    /// What holds for every card; nullptr where nothing does.
    const json::object* workload_overrides() const { return map("workload_overrides"); }

private:
    json::object root_;
    std::string name_;
};

/// YAML or JSON text; `name` stands in messages. Throws InputError.
inline Sidecar parse_sidecar(std::string_view text, const std::string& name)
{
    return {config::parse_document(text, name), name};
}

/// The same of a file ("-" is stdin). Throws IoError, InputError.
inline Sidecar load_sidecar(const std::string& path)
{
    return {config::load_document(path), io::display_name(path)};
}

} // namespace slo::card

#endif
