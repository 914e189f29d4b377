// SPDX-License-Identifier: MIT
// What is declared of a run: the deployment by its sidecar, the workload by its card.

#ifndef SLO_ARTIFACT_ENVELOPE_DEPLOYMENT_HPP
#define SLO_ARTIFACT_ENVELOPE_DEPLOYMENT_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/shown_command.hpp>
#include <slo/base/text.hpp>
#include <slo/card/card.hpp>
#include <slo/card/sidecar.hpp>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::artifact {

namespace detail {

// What is passed on to others holds no key: of a member whose name speaks of a secret, and of words of a
// command line, as shown_command() hides them.
inline json::value without_secrets(std::string_view name, const json::value& value)
{
    if (const auto* text = value.if_string()) {
        const auto word = shown_command({std::string(*text)}).front();
        return json_text(slo::detail::hidden_value(name, word));
    }
    if (const auto* map = value.if_object()) {
        json::object shown;
        for (const auto& member : *map)
            shown[member.key()] = without_secrets({member.key().data(), member.key().size()}, member.value());
        return shown;
    }
    const auto* list = value.if_array();
    if (!list)
        return value;
    json::array shown;
    std::vector<std::string> words;
    for (const auto& element : *list) {
        shown.push_back(without_secrets(name, element));
        if (const auto* text = shown.back().if_string())
            words.emplace_back(text->data(), text->size());
    }
    if (words.size() == shown.size()) {
        shown.clear();
        for (const auto& word : shown_command(words))
            shown.push_back(json_text(word));
    }
    return shown;
}

} // namespace detail

/// The sections model, engine, framework and infrastructure as they stand, but for secrets; an empty
/// framework is none (9.7 of the standard). Throws InputError that names all that is missing.
inline json::object deployment_blocks(const card::Sidecar& sidecar)
{
    if (const auto missing = sidecar.missing(card::needed_of_sidecar); !missing.empty()) {
        std::string names;
        for (const auto& name : missing)
            names += (names.empty() ? "" : ", ") + name;
        throw InputError(sidecar.name(), "is without " + names + ": the envelope needs " +
                                             (missing.size() == 1 ? "it" : "them"));
    }
    json::object blocks;
    for (const std::string_view section : {"model", "engine", "framework", "infrastructure"}) {
        const auto* map = sidecar.map(section);
        if (map && !(map->empty() && section == "framework"))
            blocks[section] = detail::without_secrets(section, *map);
    }
    return blocks;
}

/// The block `workload`: the card's data set and load, with the point that was measured (request_rate or
/// concurrency) and the API as the run spoke it, else as the card has it. What cannot be told, and where run
/// and card differ, goes to `doubts`.
inline json::object workload_block(const card::Card& card, const json::object& point,
                                   const json::object* api_of_run, std::vector<std::string>& doubts)
{
    const auto text = [&](const char* key) { return string_at(card.root, key); };
    json::object workload{
        {"use_case", json_text(text("use_case").value_or(text("catalog_id").value_or("custom")))},
        {"catalog_id", text_or_null(text("catalog_id").value_or(""))},
        {"modality", json_text(text("modality").value_or("text"))}}; // the standard's default
    for (const auto* key : {"dataset", "load"}) {
        const auto* map = object_at(card.root, key);
        workload[key] = map ? *map : json::object();
    }
    auto& load = workload["load"].get_object();
    for (const auto& member : point) {
        const auto asked = number_at(load, member.key());
        if (asked && asked != as_number(&member.value()))
            doubts.push_back("the card asks for " + std::string(member.key()) + " " + format_double(*asked) +
                             ", the run had " + to_json(member.value()));
        load[member.key()] = member.value();
    }
    json::object api{{"type", "chat"}, {"streaming", true}};
    const auto* declared = object_at(card.root, "api");
    for (const auto* source : {declared, api_of_run})
        if (source)
            for (const auto& member : *source)
                if (!member.value().is_null())
                    api[member.key()] = member.value();
    if (!declared && !api_of_run)
        doubts.emplace_back("workload.api is told neither by the run nor by the card: chat, streamed, is the "
                            "standard's default");
    workload["api"] = std::move(api);
    return workload;
}

} // namespace slo::artifact

#endif
