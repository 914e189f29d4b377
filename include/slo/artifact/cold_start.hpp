// SPDX-License-Identifier: MIT
// How long a service took from nothing to its first answers, as a block of an envelope.

#ifndef SLO_ARTIFACT_COLD_START_HPP
#define SLO_ARTIFACT_COLD_START_HPP

#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/config/document.hpp>
#include <slo/config/section.hpp>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

namespace slo::artifact {

/// The block `cold_start` of a file that tells of one start (YAML or JSON; the envelope's own names): where
/// the weights came from, in which format, with a cold or a warm page cache, and its stages in seconds. Where
/// only stages are told their sum is the total. Throws InputError for an unknown key, a word that the
/// envelope does not have, a time below 0, and for a start without any time; `where` names the file.
inline json::object cold_start_block(const json::object& file, const std::string& where)
{
    constexpr double day_s = 86400;
    config::Section section(file, where);
    json::object block;
    const auto word = [&](const char* key, std::initializer_list<std::string_view> words) {
        if (!section.has(key))
            return;
        const auto given = section.text(key);
        if (std::find(words.begin(), words.end(), given) == words.end())
            throw section.error(key, "is none of the envelope's: " + printable(given, 60));
        block[key] = given;
    };
    word("source", {"nvme", "nas", "object-store", "hub"});
    word("format", {"safetensors", "gguf", "trt-engine", "rocm-cache"});
    word("cache_state", {"cold", "warm"});
    double stages_s = 0;
    if (section.has("total_seconds"))
        block["total_seconds"] = section.number("total_seconds", 0, day_s);
    for (const char* key :
         {"weights_load_s", "allocator_warmup_s", "kernel_compile_s", "cuda_graph_capture_s"}) {
        if (!section.has(key))
            continue;
        block[key] = section.number(key, 0, day_s);
        stages_s += block[key].as_double();
    }
    if (!block.contains("total_seconds") && stages_s > 0)
        block["total_seconds"] = stages_s;
    if (!block.contains("total_seconds"))
        throw section.error("total_seconds", "is missing, and no stage has its time");
    if (block["total_seconds"].as_double() < stages_s)
        throw section.error("total_seconds", "is less than its stages together");
    if (const auto* latencies = section.value("first_100_latencies_ms")) {
        const auto* list = latencies->if_array();
        const auto is_time = [](const json::value& value) { return as_number(&value).value_or(-1) >= 0; };
        if (!list || list->size() > 100 || !std::all_of(list->begin(), list->end(), is_time))
            throw section.error("first_100_latencies_ms", "is no list of at most 100 times");
        block["first_100_latencies_ms"] = *list;
    }
    section.finish();
    return block;
}

/// The same of a file ("-" is stdin). Throws IoError, InputError.
inline json::object read_cold_start(const std::string& path)
{
    return cold_start_block(config::load_document(path), io::display_name(path));
}

} // namespace slo::artifact

#endif
