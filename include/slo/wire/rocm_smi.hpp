// SPDX-License-Identifier: MIT
// What AMD's rocm-smi prints with --json: objects "card0", "card1", … of texts, and "system" with processes.

#ifndef SLO_WIRE_ROCM_SMI_HPP
#define SLO_WIRE_ROCM_SMI_HPP

#include <slo/base/json.hpp>
#include <slo/base/json_parse.hpp>
#include <slo/base/text.hpp>
#include <slo/wire/pcie.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::wire {

/// One answer of rocm-smi; nothing where it does not tell.
struct RocmSmiReport {
    struct Card {
        std::string at; ///< PCI address as sysfs writes it; empty where it is not said
        std::optional<double> temperature_c, power_w, utilization_pct;
        std::optional<double> memory_total_bytes, memory_used_bytes;
        std::vector<std::string> implausible; ///< "GPU use (%) 300": what cannot be
    };
    struct Process {
        std::int64_t pid = 0;
        std::string name;
        std::optional<double> memory_bytes;
    };
    std::vector<Card> cards;
    std::vector<Process> processes; ///< rocm-smi does not say on which card
};

namespace detail {

struct RocmFigure {
    double least, most;
    std::initializer_list<const char*> keys; ///< the first that has a value counts; versions differ
};

inline std::optional<double> rocm_figure(const json::object& card, const RocmFigure& figure,
                                         std::vector<std::string>& implausible)
{
    for (const char* key : figure.keys) {
        const auto* found = find(card, key);
        if (!found)
            continue;
        const auto text = found->is_string() ? std::string(found->get_string()) : to_json(*found);
        if (trim(text).empty() || trim(text) == "N/A" || trim(text) == "null")
            continue;
        const auto value = parse_double(trim(text));
        if (value && *value >= figure.least && *value <= figure.most)
            return value;
        implausible.push_back(key + (" " + printable(text, 80)));
    }
    return std::nullopt;
}

inline RocmSmiReport::Card rocm_card(const json::object& said)
{
    RocmSmiReport::Card card;
    const auto figure = [&](const RocmFigure& what) { return rocm_figure(said, what, card.implausible); };
    constexpr double most_bytes = 1e14;
    card.at = pci_address(string_at(said, "PCI Bus").value_or("")).value_or("");
    card.temperature_c =
        figure({-60, 200, {"Temperature (Sensor junction) (C)", "Temperature (Sensor edge) (C)"}});
    card.power_w =
        figure({0, 1e5, {"Average Graphics Package Power (W)", "Current Socket Graphics Package Power (W)"}});
    card.utilization_pct = figure({0, 100, {"GPU use (%)"}});
    card.memory_total_bytes = figure({1, most_bytes, {"VRAM Total Memory (B)"}});
    card.memory_used_bytes =
        figure({0, card.memory_total_bytes.value_or(most_bytes), {"VRAM Total Used Memory (B)"}});
    return card;
}

// "PID4242": "name, cards, VRAM, SDMA, CU occupancy"; blanks of a name became ", ", too.
inline std::optional<RocmSmiReport::Process> rocm_process(std::string_view key, std::string_view value)
{
    constexpr std::size_t figures = 4, at_memory = 1;
    if (!key.starts_with("PID"))
        return std::nullopt;
    const auto pid = parse_integer<std::int64_t>(trim(key.substr(3)));
    std::vector<std::string_view> parts;
    for (auto rest = value; parts.size() < 256;) {
        const auto end = std::min(rest.find(','), rest.size());
        parts.push_back(trim(rest.substr(0, end)));
        if (end == rest.size())
            break;
        rest.remove_prefix(end + 1);
    }
    if (!pid || *pid < 1 || parts.size() <= figures)
        return std::nullopt;
    const auto of_name = parts.size() - figures;
    RocmSmiReport::Process process;
    process.pid = *pid;
    for (std::size_t i = 0; i < of_name; ++i)
        process.name += (i ? " " : "") + std::string(parts[i]);
    process.name = printable(process.name);
    process.memory_bytes = parse_double(parts[of_name + at_memory]);
    if (process.memory_bytes && !(*process.memory_bytes >= 0 && *process.memory_bytes <= 1e14))
        process.memory_bytes = std::nullopt;
    return process;
}

} // namespace detail

/// Reads it, with whatever warnings stand around; nothing where it tells of no card.
inline std::optional<RocmSmiReport> parse_rocm_smi(std::string_view text)
{
    const auto begin = text.starts_with('{') ? 0 : text.find("\n{");
    const auto end = text.rfind('}');
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin)
        return std::nullopt;
    RocmSmiReport report;
    try {
        const auto said = parse_json(trim(text.substr(begin, end - begin + 1)));
        if (!said.is_object())
            return std::nullopt;
        for (const auto& member : said.get_object()) {
            const std::string_view key(member.key().data(), member.key().size());
            const auto* object = member.value().if_object();
            if (!object || report.cards.size() > 1024)
                continue;
            if (key.starts_with("card"))
                report.cards.push_back(detail::rocm_card(*object));
            for (const auto& entry : *object) {
                if (key != "system" || !entry.value().is_string())
                    continue;
                if (auto process = detail::rocm_process(entry.key(), entry.value().get_string()))
                    report.processes.push_back(std::move(*process));
            }
        }
    } catch (const JsonError&) {
        return std::nullopt;
    }
    return report.cards.empty() ? std::nullopt : std::optional(std::move(report));
}

} // namespace slo::wire

#endif
