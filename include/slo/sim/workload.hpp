// SPDX-License-Identifier: MIT
// From a route to a workload for virtual time.

#ifndef SLO_SIM_WORKLOAD_HPP
#define SLO_SIM_WORKLOAD_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/engine/profile.hpp>
#include <slo/engine/prompt.hpp>
#include <slo/engine/simulate.hpp>
#include <slo/record/route.hpp>
#include <slo/record/route_load.hpp>
#include <slo/sim/prompt_reader.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace slo::sim {

/// What is asked for where a row does not say it.
struct WorkloadOptions {
    std::string route = "-";
    std::int64_t max_tokens = 200;        ///< for rows without one, as replay has it
    int choices = 1;                      ///< answers to each request
    bool use_chat = false;                ///< wrap a text as one user message
    bool ignore_eos = false;              ///< answers always run to max_tokens
    bool serialize_conversations = false; ///< requests of a conversation wait for each other
};

namespace detail {

inline Tokens route_tokens(json::object& body, bool use_chat)
{
    auto prompt = record::prompt_of(body);
    if (prompt.is_string() && use_chat)
        prompt = json::array{json::object{{"role", "user"}, {"content", std::move(prompt)}}};
    try {
        if (prompt.is_string())
            return engine::tokenize(view(prompt.get_string()));
        return tokens_of_messages(prompt.get_array());
    } catch (const ApiError& error) {
        throw record::RowError(error.what());
    }
}

// As replay sends it: of a row's fields only max_tokens counts, and a null leaves the length to the engine.
inline engine::OutputLimits route_limits(const json::object& body, const WorkloadOptions& options)
{
    engine::OutputLimits limits;
    limits.max_tokens = options.max_tokens;
    limits.ignore_eos = options.ignore_eos;
    if (const auto* own = find(body, "max_tokens")) {
        limits.max_tokens = integer_at(body, "max_tokens");
        if (!own->is_null() && limits.max_tokens.value_or(0) < 1)
            throw record::RowError("max_tokens is no integer above 0");
    }
    return limits;
}

} // namespace detail

/// Reads a route, stably sorted by time. Throws IoError, and InputError for a malformed row, for one that
/// does not fit the engine, and for a route without rows.
inline std::vector<engine::WorkRequest> load_workload(const WorkloadOptions& options,
                                                      const engine::Profile& profile)
{
    if (options.choices < 1 || options.choices > 128)
        throw UsageError("--choices", "must be from 1 to 128");
    if (options.max_tokens < 1)
        throw UsageError("--max-tokens", "must be above 0");
    record::RouteReader reader(options.route);
    std::unordered_map<std::size_t, engine::WorkRequest> by_line;
    const auto route = record::load_route(reader, std::nullopt, [&](record::RouteRow& row) {
        engine::WorkRequest request;
        request.limits = detail::route_limits(row.body, options);
        request.prompt = std::make_shared<engine::Prompt>(detail::route_tokens(row.body, options.use_chat));
        request.choices = options.choices;
        if (options.serialize_conversations)
            request.conversation = row.conv_id;
        const auto tokens = request.prompt->tokens() + request.limits.max_tokens.value_or(1);
        if (tokens > profile.limits.max_model_len)
            throw record::RowError("prompt and answer need " + std::to_string(tokens) +
                                   " tokens, the engine's context holds " +
                                   std::to_string(profile.limits.max_model_len));
        by_line.emplace(row.line, std::move(request));
        return std::optional(std::string());
    });
    if (route.rows.empty())
        throw InputError(reader.name(), "holds no requests");
    std::vector<engine::WorkRequest> workload;
    workload.reserve(route.rows.size());
    for (const auto& row : route.rows)
        workload.push_back(std::move(by_line.at(row.line)));
    return workload;
}

} // namespace slo::sim

#endif
