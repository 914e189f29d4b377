// SPDX-License-Identifier: MIT
// A workload card: what is to be sent, how, and what it must hold; and what a sidecar changes in it.

#ifndef SLO_CARD_CARD_HPP
#define SLO_CARD_CARD_HPP

#include <slo/base/json.hpp>
#include <slo/card/card_keys.hpp>
#include <slo/config/document.hpp>
#include <slo/io/fd.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::card {

/// A card whose keys and types are checked; null counts as absent.
struct Card {
    json::object root;
    std::string name; ///< for messages
};

/// A card out of a value. Throws InputError, which names the key and the nearest known one.
inline Card make_card(json::object root, std::string name)
{
    card_keys::check_card(root, name);
    return {std::move(root), std::move(name)};
}

/// A card out of YAML or JSON. Throws InputError.
inline Card parse_card(std::string_view text, const std::string& name)
{
    return make_card(config::parse_document(text, name), name);
}

/// A card out of a file; "-" is stdin. Throws IoError, InputError.
inline Card load_card(const std::string& path)
{
    return make_card(config::load_document(path), io::display_name(path));
}

/// `over` laid over `base`: mappings member by member, all else (null too) replaces what was there.
inline void merge_into(json::object& base, const json::object& over)
{
    for (const auto& member : over) {
        auto* there = base.if_contains(member.key());
        const auto* inner = member.value().if_object();
        if (there && there->is_object() && inner)
            merge_into(there->get_object(), *inner);
        else
            base[member.key()] = member.value();
    }
}

/// A card with the changes that a sidecar makes.
struct MergedCard {
    json::object root;
    std::vector<std::string> notes; ///< what people should know of the merge
};

namespace detail {

// A mapping of the sidecar; nothing where it is missing or null.
inline const json::object* mapping(const json::object& in, std::string_view key)
{
    return object_at(in, key);
}

// The entry of workloads for this card; the first counts.
inline const json::object* entry_for(const json::object& sidecar, std::string_view catalog_id)
{
    const auto* workloads = array_at(sidecar, "workloads");
    if (!workloads)
        return nullptr;
    for (const auto& workload : *workloads) {
        const auto* entry = workload.if_object();
        if (entry && string_at(*entry, "catalog_id") == catalog_id)
            return entry;
    }
    return nullptr;
}

// The rate of a sidecar goes where the load has its own.
inline void apply_target_qps(json::object& root, const json::value& rate, std::vector<std::string>& notes)
{
    auto* load = root.if_contains("load");
    auto* keys = load ? load->if_object() : nullptr;
    const std::string type(keys ? string_at(*keys, "type").value_or("") : "");
    auto* modes = keys ? keys->if_contains("modes") : nullptr;
    if (type == "constant" || type == "poisson") {
        (*keys)["request_rate"] = rate;
    } else if (type == "qps-constrained") {
        (*keys)["target_qps"] = rate;
    } else if (type.empty() && modes && modes->is_array()) {
        for (auto& mode : modes->get_array())
            if (mode.is_object() && string_at(mode.get_object(), "type") == "qps-constrained")
                mode.get_object()["target_qps"] = rate;
    } else {
        notes.push_back("the sidecar's target_qps has no place in a load of type '" + type + "'");
        return;
    }
    root.erase("target_qps");
}

} // namespace detail

/// The card with its entry in the sidecar's `workloads` (`override`, else `workload_overrides`) laid over it;
/// where there is no entry, with the sidecar's `workload_overrides`. A trace that the sidecar names becomes
/// the data set of a card that replays one. Throws InputError for a key that no card has.
inline MergedCard merge_card(const Card& card, const json::object& sidecar)
{
    static const json::object none;
    MergedCard merged{card.root, {}};
    const auto catalog_id = string_at(card.root, "catalog_id").value_or("");
    const auto* top = detail::mapping(sidecar, "workload_overrides");
    const auto* entry = detail::entry_for(sidecar, catalog_id);
    const auto* changes = entry ? detail::mapping(*entry, "override") : top;
    if (entry && !changes)
        changes = detail::mapping(*entry, "workload_overrides");
    if (entry && !changes && top)
        merged.notes.emplace_back("the sidecar lists this card without an override, so that its "
                                  "workload_overrides are not applied to it");
    changes = changes ? changes : &none;
    merge_into(merged.root, *changes);

    const auto* changed = detail::mapping(*changes, "dataset");
    auto* dataset = merged.root.if_contains("dataset");
    if (changed && changed->contains("input_tokens") && !changed->contains("context_lengths") && dataset &&
        dataset->is_object() && dataset->get_object().erase("context_lengths") > 0)
        merged.notes.emplace_back("the sidecar's input_tokens replace the card's context_lengths");

    const auto* trace = detail::mapping(*changes, "trace");
    trace = trace || !top ? trace : detail::mapping(*top, "trace");
    merged.root.erase("trace");
    if (trace && dataset && dataset->is_object()) {
        const auto type = string_at(dataset->get_object(), "type");
        if (type == "real" || type == "trace-replay")
            for (const auto& member : *trace)
                dataset->get_object()[member.key()] = member.value();
    }
    if (const auto* rate = find(merged.root, "target_qps"); rate && !rate->is_null())
        detail::apply_target_qps(merged.root, json::value(*rate), merged.notes);
    card_keys::check_card(merged.root, card.name + " with the sidecar's changes");
    return merged;
}

} // namespace slo::card

#endif
