// SPDX-License-Identifier: MIT
// Reads the result file of another client, whichever it is.

#ifndef SLO_ARTIFACT_FOREIGN_HPP
#define SLO_ARTIFACT_FOREIGN_HPP

#include <slo/artifact/envelope_distribution.hpp>
#include <slo/artifact/foreign_aiperf.hpp>
#include <slo/artifact/foreign_result.hpp>
#include <slo/artifact/foreign_serving.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/io/fd.hpp>
#include <slo/record/round.hpp> // without_nan_tokens()

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::artifact {

/// No result file is larger; with the texts of single requests they grow long.
inline constexpr std::size_t max_foreign_bytes = std::size_t{512} << 20;

/// Whose result it is, told by the keys that only one of the clients writes; nothing for none of them.
inline std::optional<ForeignTool> detect_foreign(const json::object& raw)
{
    const auto has_any = [&raw](std::initializer_list<std::string_view> keys) {
        return std::any_of(keys.begin(), keys.end(),
                           [&raw](std::string_view key) { return find(raw, key) != nullptr; });
    };
    for (const char* key : {"request_latency", "time_to_first_token", "request_count", "records"}) {
        if (object_at(raw, key))
            return ForeignTool::aiperf;
    }
    if (has_any({"aiperf_version"}))
        return ForeignTool::aiperf;
    if (has_any({"mean_e2e_latency_ms", "median_e2e_latency_ms", "input_throughput", "accept_length",
                 "total_output_tokens_retokenized"}))
        return ForeignTool::sglang;
    if (has_any({"total_token_throughput", "mean_e2el_ms", "tokenizer_id"}) ||
        (has_any({"completed"}) && has_any({"duration", "mean_ttft_ms"})))
        return ForeignTool::vllm;
    return std::nullopt;
}

namespace detail {

// How long the single requests were, where they are known.
inline void add_lengths(ForeignResult& result)
{
    json::object distribution;
    const auto add = [&](const std::string& name, const std::vector<double>& tokens) {
        if (tokens.empty())
            return;
        stats::Sample sample;
        LengthHistogram bins;
        for (const double count : tokens) {
            sample.add(count);
            bins.add(static_cast<std::int64_t>(std::min(count, 1e15)));
        }
        distribution[name] = length_figures(sample);
        distribution[name + "_histogram"] = bins.to_json_value();
    };
    add("input_tokens", result.requests.input_tokens);
    add("output_tokens", result.requests.output_tokens);
    for (const auto& member : distribution)
        result.origin["extensions.distribution." + std::string(member.key())] = "client";
    if (!distribution.empty())
        result.extensions["distribution"] = std::move(distribution);
}

} // namespace detail

/// One result as the envelope's client side. Throws InputError for one that measured nothing or holds
/// figures that cannot be.
inline ForeignResult foreign_result(const json::object& raw, ForeignTool tool, std::string_view name)
{
    const auto seen = detect_foreign(raw);
    auto result = tool == ForeignTool::vllm     ? vllm_result(raw, name)
                  : tool == ForeignTool::sglang ? sglang_result(raw, name)
                                                : aiperf_result(raw, name);
    detail::add_lengths(result);
    result.settings["latency_basis"] = "send"; // none of the three counts from when a request was due
    if (seen && *seen != tool)
        result.notes.push_back("taken as a result of " + std::string(name_of(tool)) +
                               "; its keys are those of " + std::string(name_of(*seen)));
    return result;
}

/// The JSON objects of a text: the whole of it is one, or each line. Clients in Python write the bare tokens
/// NaN and Infinity, which are read as null and told by `had_nan`. Throws InputError.
inline std::vector<json::object> objects_of(std::string_view text, const std::string& name, bool& had_nan)
{
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    const auto strict = record::without_nan_tokens(text);
    had_nan = strict.has_value();
    if (strict)
        text = *strict;
    std::vector<json::object> objects;
    const auto take = [&](std::string_view part) {
        auto value = parse_json(part);
        if (!value.is_object())
            throw JsonError("not a JSON object");
        objects.push_back(std::move(value.get_object()));
    };
    try {
        if (!trim(text).empty())
            take(text);
        return objects;
    } catch (const JsonError& error) {
        // Where the first line is an object by itself, so are the others to be.
        const auto first = trim(text.substr(0, text.find('\n')));
        if (!first.starts_with('{') || !first.ends_with('}'))
            throw InputError(name, error.what());
    }
    for (std::size_t line = 1; !text.empty(); ++line) {
        const auto end = std::min(text.find('\n'), text.size());
        try {
            if (const auto part = text.substr(0, end); !trim(part).empty())
                take(part);
        } catch (const JsonError& error) {
            throw InputError(name, line, error.what());
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return objects;
}

/// The one result in a text; its tool is told by its keys unless `tool` is given. `name` is the file's, for
/// messages. Throws InputError.
inline ForeignResult parse_foreign(std::string_view text, const std::string& name,
                                   std::optional<ForeignTool> tool = {})
{
    bool had_nan = false;
    const auto objects = objects_of(text, name, had_nan);
    if (objects.empty())
        throw InputError(name, "is empty: no result was written");
    if (objects.size() > 1)
        throw InputError(name, "holds " + std::to_string(objects.size()) +
                                   " results, one a run; take one of them, with sed -n " +
                                   std::to_string(objects.size()) + "p FILE");
    const auto& raw = objects.front();
    if (!tool && string_at(raw, "artifact_id"))
        throw InputError(name, "is an envelope already, no result of a client");
    if (!tool)
        tool = detect_foreign(raw);
    if (!tool)
        throw InputError(name, "no key tells whose result it is: not of vllm, sglang or aiperf");
    auto result = foreign_result(raw, *tool, name);
    if (had_nan)
        result.notes.push_back("bare NaN or Infinity in the file are read as null");
    return result;
}

/// The same of the file `path` ("-" is stdin). Throws IoError, InputError.
inline ForeignResult read_foreign(const std::string& path, std::optional<ForeignTool> tool = {})
{
    return parse_foreign(io::read_all(path, max_foreign_bytes), io::display_name(path), tool);
}

} // namespace slo::artifact

#endif
