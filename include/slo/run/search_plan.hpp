// SPDX-License-Identifier: MIT
// From options and an earlier record to a search that can go on, and to the command of its next probe.

#ifndef SLO_RUN_SEARCH_PLAN_HPP
#define SLO_RUN_SEARCH_PLAN_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/shown_command.hpp>
#include <slo/base/text.hpp>
#include <slo/plan/confirmed_search.hpp>
#include <slo/plan/grid.hpp>
#include <slo/plan/search.hpp>
#include <slo/record/search.hpp>
#include <slo/record/search_log.hpp>
#include <slo/run/search_options.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace slo::run {

/// Everything a probe command is given.
struct ProbeTask {
    std::size_t step = 0;
    std::string phase;
    std::string qps; ///< decimal text on the grid
    std::vector<std::string> argv;
    std::vector<std::pair<std::string, std::string>> environment;
    bool any_pass = false;                  ///< a lower rate is known to pass
    std::optional<double> time_left_s = {}; ///< of the search, when the probe begins; nothing: no end is set
};

/// The settings that `options` ask for; `known` is what an earlier start record says. Throws UsageError for
/// an option that is missing or makes no sense, and Error where the two are different searches.
inline record::SearchSettings make_settings(const SearchOptions& options,
                                            const std::optional<record::SearchSettings>& known)
{
    record::SearchSettings settings = known.value_or(record::SearchSettings{});
    if (!known && !options.low)
        throw UsageError("--low is missing");
    if (!known && !options.high)
        throw UsageError("--high is missing");
    if (!known || options.offload)
        settings.offload = options.offload;
    const auto choose = [&](auto& setting, const auto& option, auto fallback) {
        if (option)
            setting = *option;
        else if (!known)
            setting = fallback;
    };
    choose(settings.low_qps, options.low, 0.0);
    choose(settings.high_qps, options.high, 0.0);
    choose(settings.slo_s, options.slo, 6.5);
    choose(settings.precision_qps, options.precision, 0.1);
    choose(settings.total_rounds, options.total_rounds, settings.offload ? 16 : 8);
    choose(settings.tail_window, options.tail_window, settings.offload ? 8 : 4);
    choose(settings.seed, options.seed, std::uint64_t{1});
    if (!options.command.empty()) {
        settings.command = options.command;
        settings.command_digest.clear();
    }
    for (const auto& word : settings.command)
        if (!is_utf8(word))
            throw UsageError("COMMAND", "'" + printable(word, 80) + "' is not UTF-8, and records are");
    if (settings.total_rounds < 1)
        throw UsageError("--total-rounds", "must be at least 1");
    if (settings.tail_window < 1 || settings.tail_window > settings.total_rounds)
        throw UsageError("--tail-window", "must be at least 1 and at most the total rounds");
    if (known) {
        const auto differs = record::difference(*known, settings);
        if (!differs.empty())
            throw Error("the records are of another search: " + differs);
    }
    return settings;
}

/// The search with every known probe taken in. Throws UsageError for bounds or budgets that make no sense,
/// and Error for a known probe off the grid.
inline plan::ConfirmedSearch make_search(const record::SearchSettings& settings, const SearchOptions& options,
                                         const record::SearchLog& log)
{
    const plan::Grid grid(settings.precision_qps);
    plan::SearchBounds bounds;
    bounds.low = grid.steps(settings.low_qps, "--low");
    bounds.high = grid.steps(settings.high_qps, "--high");
    const auto highest = static_cast<plan::Rate>(plan::Grid::max_qps / settings.precision_qps);
    bounds.ceiling = options.ceiling ? grid.steps(*options.ceiling, "--ceiling")
                                     : std::max(bounds.high, std::min(64 * bounds.high, highest));
    bounds.slo_s = settings.slo_s;
    bounds.max_probes = options.max_probes;
    bounds.max_time_s = options.max_time;
    if (options.max_probes && *options.max_probes < 1)
        throw UsageError("--max-probes", "must be at least 1");
    if (options.max_time && !(*options.max_time > 0))
        throw UsageError("--max-time", "must be above 0");
    bounds.confirm = options.confirm.value_or(log.confirm);
    plan::ConfirmedSearch search(grid, bounds);
    for (const auto& probe : log.probes) {
        const auto rate = grid.find(probe.qps);
        if (!rate)
            throw Error("a probe at " + format_double(probe.qps) + " qps is off the grid of " + grid.text(1));
        search.add(*rate, {probe.status == record::ProbeStatus::pass, probe.avg_p50_latency_s});
    }
    return search;
}

/// The command of a probe: {qps} replaced in every argument, and the environment that says the same. Each run
/// of a rate has a seed of its own.
inline ProbeTask make_task(const plan::ConfirmedSearch& search, const record::SearchSettings& settings,
                           const plan::NextProbe& next)
{
    ProbeTask task;
    task.step = search.probes() + 1;
    task.phase = plan::name_of(next.phase);
    task.qps = search.grid().text(next.rate);
    constexpr std::string_view place = "{qps}";
    for (auto word : settings.command) {
        for (auto at = word.find(place); at != std::string::npos; at = word.find(place, at + task.qps.size()))
            word.replace(at, place.size(), task.qps);
        task.argv.push_back(std::move(word));
    }
    task.environment = {{"SLO_QPS", task.qps},
                        {"SLO_STEP", std::to_string(task.step)},
                        {"SLO_SLO", format_double(settings.slo_s)},
                        {"SLO_TOTAL_ROUNDS", std::to_string(settings.total_rounds)},
                        {"SLO_TAIL_WINDOW", std::to_string(settings.tail_window)},
                        {"SLO_SEED", std::to_string(settings.seed + search.runs(next.rate))}};
    task.any_pass = search.best().has_value();
    return task;
}

/// A record of what would happen next, and after that, without running anything.
inline json::object make_plan_record(const plan::ConfirmedSearch& search,
                                     const record::SearchSettings& settings, double elapsed_s)
{
    auto record = record::search_event("plan");
    const auto describe = [&](const auto& decision) -> json::value {
        if (const auto* reason = std::get_if<plan::EndReason>(&decision))
            return json::value(std::string(plan::name_of(*reason)));
        return search.grid().qps(std::get<plan::NextProbe>(decision).rate);
    };
    const auto decision = search.decide(elapsed_s);
    record["next_qps"] = describe(decision);
    if (const auto* next = std::get_if<plan::NextProbe>(&decision)) {
        const auto task = make_task(search, settings, *next);
        const auto after = [&](bool pass, double latency_s) {
            auto supposed = search;
            supposed.add(next->rate, {pass, latency_s});
            return describe(supposed.decide(elapsed_s));
        };
        record["phase"] = task.phase;
        record["after_pass_qps"] = after(true, 0.5 * settings.slo_s);
        record["after_narrow_fail_qps"] = after(false, settings.slo_s);
        record["after_wide_fail_qps"] = after(false, 2 * settings.slo_s);
        record["probes_left"] = search.probes_left();
        record["argv"] = record::to_array(shown_command(task.argv));
        json::object environment;
        for (const auto& [name, value] : task.environment)
            environment[name] = value;
        record["environment"] = std::move(environment);
    }
    return record;
}

} // namespace slo::run

#endif
