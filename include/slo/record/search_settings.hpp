// SPDX-License-Identifier: MIT
// The start record of a search (sloutils.search/1): what it is about, written and read.

#ifndef SLO_RECORD_SEARCH_SETTINGS_HPP
#define SLO_RECORD_SEARCH_SETTINGS_HPP

#include <slo/base/digest.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/shown_command.hpp>
#include <slo/base/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slo::record {

inline constexpr std::string_view search_schema = "sloutils.search/1";

/// What a search is about. Two searches with equal settings are the same one, and may share a journal.
struct SearchSettings {
    double low_qps = 0;
    double high_qps = 0;
    double precision_qps = 0;
    double slo_s = 0;
    bool offload = false;
    int total_rounds = 0;
    int tail_window = 0;
    std::uint64_t seed = 0;
    std::vector<std::string> command; ///< as given, {qps} unreplaced; empty in a search without COMMAND
    std::string command_digest{}; ///< of that, where `command` was read from a record and lacks its secrets

    std::string strategy = "classic"; ///< or "probabilistic" or "certify": then what follows counts
    double confidence = 0.95;         ///< of a verdict
    std::size_t rounds = 100;         ///< while fewer are spent, the interval is made narrower
    bool common_numbers = false;      ///< the same seed for all probes that locate the edge
    double ceiling_qps = 0;           ///< no rate above this one is probed

    bool is_classic() const { return strategy == "classic"; }
};

/// The beginning of every search record.
inline json::object search_event(std::string_view event)
{
    return {{"schema", json_text(search_schema)}, {"event", json_text(event)}};
}

/// Texts as a JSON array.
inline json::array to_array(const std::vector<std::string>& texts)
{
    return json::array(texts.begin(), texts.end());
}

namespace detail {

inline std::vector<std::string> texts_at(const json::object& object, std::string_view key)
{
    std::vector<std::string> texts;
    if (const auto* array = array_at(object, key)) {
        for (const auto& element : *array)
            if (const auto* text = element.if_string())
                texts.emplace_back(text->data(), text->size());
    } else if (const auto text = string_at(object, key)) {
        texts.emplace_back(*text);
    }
    return texts;
}

inline void add_settings(json::object& record, const SearchSettings& settings)
{
    record["slo_s"] = settings.slo_s;
    record["precision"] = settings.precision_qps;
    record["offload"] = settings.offload;
    if (settings.is_classic()) {
        record["total_rounds"] = settings.total_rounds;
        record["tail_window"] = settings.tail_window;
        return;
    }
    record["strategy"] = json_text(settings.strategy);
    record["confidence"] = settings.confidence;
    record["rounds"] = settings.rounds;
    record["common_random_numbers"] = settings.common_numbers;
    record["ceiling_qps"] = settings.ceiling_qps;
}

} // namespace detail

/// What tells the command of one search from that of another, secrets and all.
inline std::string command_digest(const SearchSettings& settings)
{
    if (!settings.command_digest.empty())
        return settings.command_digest;
    return sha256(to_json(to_array(settings.command)));
}

/// The start record: the first line of a search and of its journal. The command's secrets are left out.
inline json::object to_record(const SearchSettings& settings)
{
    auto record = search_event("start");
    record["low_qps"] = settings.low_qps;
    record["high_qps"] = settings.high_qps;
    detail::add_settings(record, settings);
    record["seed"] = settings.seed;
    const auto shown = shown_command(settings.command);
    record["command"] = to_array(shown);
    if (shown != settings.command || !settings.command_digest.empty())
        record["command_sha256"] = command_digest(settings);
    return record;
}

/// The settings in a start record. Throws Error naming the field that is missing or of the wrong kind.
inline SearchSettings read_settings(const json::object& record)
{
    const auto number = [&](std::string_view key) {
        if (const auto value = number_at(record, key))
            return *value;
        throw Error(std::string(key) + " is no number in the start record");
    };
    SearchSettings settings;
    settings.low_qps = number("low_qps");
    settings.high_qps = number("high_qps");
    settings.precision_qps = number("precision");
    settings.slo_s = number("slo_s");
    settings.strategy = printable(string_at(record, "strategy").value_or("classic"), 40);
    if (settings.is_classic()) {
        settings.total_rounds = static_cast<int>(std::clamp(number("total_rounds"), 0.0, 1e9));
        settings.tail_window = static_cast<int>(std::clamp(number("tail_window"), 0.0, 1e9));
    } else {
        settings.confidence = number("confidence");
        settings.rounds = static_cast<std::size_t>(std::clamp(number("rounds"), 0.0, 1e9));
        settings.ceiling_qps = number("ceiling_qps");
        const auto* common = find(record, "common_random_numbers");
        settings.common_numbers = common && *common == true;
    }
    const auto* offload = find(record, "offload");
    settings.offload = offload && offload->is_bool() && offload->get_bool();
    if (const auto* seed = find(record, "seed"))
        settings.seed = seed->is_uint64()
                            ? seed->get_uint64()
                            : static_cast<std::uint64_t>(integer_at(record, "seed").value_or(0));
    settings.command = detail::texts_at(record, "command");
    settings.command_digest = string_at(record, "command_sha256").value_or("");
    return settings;
}

/// The first thing in which `journal` is another search than `wanted`, "low is 8.0 there, 8.5 here"; empty:
/// none.
inline std::string difference(const SearchSettings& journal, const SearchSettings& wanted)
{
    const auto differ = [](std::string_view name, const std::string& there, const std::string& here) {
        return there == here ? std::string()
                             : std::string(name) + " is " + there + " there, " + here + " here";
    };
    const auto joined = [](const std::vector<std::string>& words) {
        return to_json(to_array(shown_command(words)));
    };
    for (auto text :
         {differ("the strategy", journal.strategy, wanted.strategy),
          differ("low", format_double(journal.low_qps), format_double(wanted.low_qps)),
          differ("high", format_double(journal.high_qps), format_double(wanted.high_qps)),
          differ("precision", format_double(journal.precision_qps), format_double(wanted.precision_qps)),
          differ("the SLO", format_double(journal.slo_s), format_double(wanted.slo_s)),
          differ("offload", journal.offload ? "on" : "off", wanted.offload ? "on" : "off"),
          differ("total-rounds", std::to_string(journal.total_rounds), std::to_string(wanted.total_rounds)),
          differ("tail-window", std::to_string(journal.tail_window), std::to_string(wanted.tail_window)),
          differ("confidence", format_double(journal.confidence), format_double(wanted.confidence)),
          differ("rounds", std::to_string(journal.rounds), std::to_string(wanted.rounds)),
          differ("common-random-numbers", journal.common_numbers ? "on" : "off",
                 wanted.common_numbers ? "on" : "off"),
          differ("ceiling", format_double(journal.ceiling_qps), format_double(wanted.ceiling_qps)),
          differ("the seed", std::to_string(journal.seed), std::to_string(wanted.seed)),
          command_digest(journal) == command_digest(wanted)
              ? std::string()
              : "the command is " + joined(journal.command) + " there, " + joined(wanted.command) + " here"})
        if (!text.empty())
            return printable(text);
    return {};
}

} // namespace slo::record

#endif
