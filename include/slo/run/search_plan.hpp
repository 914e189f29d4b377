// SPDX-License-Identifier: MIT
// From options and an earlier record to a search that can go on, and to the command of its next probe.

#ifndef SLO_RUN_SEARCH_PLAN_HPP
#define SLO_RUN_SEARCH_PLAN_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/plan/grid.hpp>
#include <slo/plan/search.hpp>
#include <slo/record/search.hpp>
#include <slo/record/search_log.hpp>

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

/// What the user asks of a search. What is absent comes from an earlier start record, else is the default.
struct SearchOptions {
    std::optional<double> low;
    std::optional<double> high;
    std::optional<double> slo;         ///< seconds, default 6.5
    std::optional<double> precision;   ///< default 0.1
    std::optional<double> ceiling;     ///< default 64 times high
    std::optional<int> total_rounds;   ///< default 8, with offload 16
    std::optional<int> tail_window;    ///< default 4, with offload 8
    std::optional<std::uint64_t> seed; ///< default 1
    bool offload = false;
    std::optional<std::size_t> max_probes;
    std::optional<double> max_time; ///< seconds
    std::vector<std::string> command;
};

/// Everything a probe command is given.
struct ProbeTask {
    std::size_t step = 0;
    std::string phase;
    std::string qps; ///< decimal text on the grid
    std::vector<std::string> argv;
    std::vector<std::pair<std::string, std::string>> environment;
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
    if (!options.command.empty())
        settings.command = options.command;
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
inline plan::Search make_search(const record::SearchSettings& settings, const SearchOptions& options,
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
    plan::Search search(grid, bounds);
    for (const auto& probe : log.probes) {
        const auto rate = grid.find(probe.qps);
        if (!rate)
            throw Error("a probe at " + format_double(probe.qps) + " qps is off the grid of " + grid.text(1));
        search.add(*rate, {probe.status == record::ProbeStatus::pass, probe.avg_p50_latency_s});
    }
    return search;
}

/// The command of a probe: {qps} replaced in every argument, and the environment that says the same.
inline ProbeTask make_task(const plan::Search& search, const record::SearchSettings& settings,
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
                        {"SLO_SEED", std::to_string(settings.seed)}};
    return task;
}

/// The prefix cache's hit rate in the last probe of that rate.
inline std::optional<double> hit_rate_at(const std::vector<record::SearchProbe>& probes,
                                         std::optional<double> qps)
{
    std::optional<double> hit_rate;
    for (const auto& probe : probes)
        if (qps && probe.qps == *qps)
            hit_rate = probe.hit_rate;
    return hit_rate;
}

/// True where client and server counted the same in every probe, false where they did not in one.
inline std::optional<bool> reconciled_in(const std::vector<record::SearchProbe>& probes)
{
    std::size_t agreed = 0;
    for (const auto& probe : probes) {
        if (probe.reconciled == false)
            return false;
        agreed += probe.reconciled == true;
    }
    return !probes.empty() && agreed == probes.size() ? std::optional(true) : std::nullopt;
}

/// The reason of a result whose first fail was not measured.
inline constexpr std::string_view not_measured = "not_measured";

/// What a search has come to for `reason`, the name of an EndReason or "interrupted" or "unfinished". A limit
/// that rests on a first fail which nobody measured is none: it may be that of the client, not of the
/// service.
inline record::SearchResult make_result(const plan::Search& search,
                                        const std::vector<record::SearchProbe>& probes,
                                        std::string_view reason, double elapsed_s)
{
    const auto qps = [&](std::optional<plan::Rate> rate) {
        return rate ? std::optional(search.grid().qps(*rate)) : std::nullopt;
    };
    record::SearchResult result;
    result.max_qps = qps(search.best());
    result.first_fail_qps = qps(search.first_fail());
    result.reason = reason;
    result.probes = search.probes();
    result.elapsed_s = elapsed_s;
    result.notes = search.notes();
    result.hit_rate = hit_rate_at(probes, result.max_qps);
    result.reconciled = reconciled_in(probes);
    for (const auto& probe : probes) {
        if (probe.qps != result.first_fail_qps || probe.measured)
            continue;
        result.first_fail_measured = false;
        result.notes.push_back("the first fail, " + search.grid().text(*search.first_fail()) +
                               " qps, is no measured one: see its notes");
    }
    const bool at_its_end = reason == plan::name_of(plan::EndReason::converged) ||
                            reason == plan::name_of(plan::EndReason::below_floor);
    if (at_its_end && !result.first_fail_measured)
        result.reason = not_measured;
    result.converged = result.reason == plan::name_of(plan::EndReason::converged);
    return result;
}

/// The result of a search as its records stand: its own reason where it has ended, else "unfinished".
inline record::SearchResult make_result(const plan::Search& search, const record::SearchLog& log)
{
    const auto decision = search.decide(log.elapsed_s);
    if (const auto* reason = std::get_if<plan::EndReason>(&decision))
        return make_result(search, log.probes, plan::name_of(*reason), log.elapsed_s);
    const auto said = log.result ? string_at(*log.result, "reason").value_or("") : "";
    for (const std::string_view reason : {"interrupted", "max_probes", "max_time", "ceiling"})
        if (said == reason)
            return make_result(search, log.probes, reason, log.elapsed_s);
    return make_result(search, log.probes, "unfinished", log.elapsed_s);
}

/// The exit status that a result stands for.
inline Exit exit_of(const record::SearchResult& result)
{
    if (result.converged)
        return Exit::ok;
    return result.reason == plan::name_of(plan::EndReason::below_floor) ? Exit::negative : Exit::undecided;
}

/// A record of what would happen next, and after that, without running anything.
inline json::object make_plan_record(const plan::Search& search, const record::SearchSettings& settings,
                                     double elapsed_s)
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
        record["argv"] = record::to_array(task.argv);
        json::object environment;
        for (const auto& [name, value] : task.environment)
            environment[name] = value;
        record["environment"] = std::move(environment);
    }
    return record;
}

} // namespace slo::run

#endif
