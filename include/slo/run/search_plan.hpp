// SPDX-License-Identifier: MIT
// From options and an earlier record to a search that can go on.

#ifndef SLO_RUN_SEARCH_PLAN_HPP
#define SLO_RUN_SEARCH_PLAN_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/shown_command.hpp>
#include <slo/base/text.hpp>
#include <slo/plan/certify_search.hpp>
#include <slo/plan/confirmed_search.hpp>
#include <slo/plan/grid.hpp>
#include <slo/plan/search.hpp>
#include <slo/plan/strategy.hpp>
#include <slo/record/search.hpp>
#include <slo/record/search_log.hpp>
#include <slo/run/probe_outcome.hpp>
#include <slo/run/search_options.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace slo::run {

namespace detail {

/// Throws UsageError where an option is of another strategy than the one that is searched by.
inline void check_strategy(const SearchOptions& options, const record::SearchSettings& settings)
{
    const auto kind = plan::strategy_named(settings.strategy);
    if (!kind)
        throw UsageError("--strategy", "'" + printable(settings.strategy, 40) +
                                           "' is none of classic, probabilistic, certify");
    const auto only = [](bool given, const char* option, const char* strategies) {
        if (given)
            throw UsageError(option, "is only for --strategy " + std::string(strategies));
    };
    if (*kind == plan::StrategyKind::classic) {
        only(options.confidence.has_value(), "--confidence", "probabilistic and certify");
        only(options.max_rounds.has_value(), "--max-rounds", "probabilistic and certify");
        only(options.common_numbers, "--common-random-numbers", "probabilistic and certify");
    } else {
        only(options.confirm.has_value(), "--confirm", "classic");
        only(options.total_rounds.has_value(), "--total-rounds", "classic");
        only(options.tail_window.has_value(), "--tail-window", "classic");
    }
    if (*kind != plan::StrategyKind::certify)
        only(options.rounds.has_value(), "--rounds", "certify");
    if (!(settings.confidence >= 0.5 && settings.confidence <= 0.999999))
        throw UsageError("--confidence", "must be between 0.5 and 0.999999");
    if (!(settings.rounds >= 1 && settings.rounds <= 1'000'000))
        throw UsageError("--rounds", "must be between 1 and 1000000");
    if (options.max_rounds && *options.max_rounds < 1)
        throw UsageError("--max-rounds", "must be at least 1");
}

inline double default_ceiling_qps(const record::SearchSettings& settings)
{
    const plan::Grid grid(settings.precision_qps);
    const auto high = grid.steps(settings.high_qps, "--high");
    const auto highest = static_cast<plan::Rate>(plan::Grid::max_qps / settings.precision_qps);
    return grid.qps(std::max(high, std::min(64 * high, highest)));
}

inline std::unique_ptr<plan::Strategy> empty_search(const record::SearchSettings& settings,
                                                    const plan::Grid& grid, const plan::SearchBounds& bounds)
{
    if (settings.is_classic())
        return std::make_unique<plan::ConfirmedSearch>(grid, bounds);
    plan::CertifyOptions options;
    options.certify = settings.strategy == plan::name_of(plan::StrategyKind::certify);
    options.rounds = static_cast<double>(settings.rounds);
    options.common_numbers = settings.common_numbers;
    return std::make_unique<plan::CertifySearch>(grid, bounds, options);
}

} // namespace detail

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
    choose(settings.strategy, options.strategy, std::string(plan::name_of(plan::StrategyKind::classic)));
    const auto refuse_another = [&] {
        const auto differs = known ? record::difference(*known, settings) : std::string();
        if (!differs.empty())
            throw Error("the records are of another search: " + differs);
    };
    if (known && known->strategy != settings.strategy)
        refuse_another();
    choose(settings.precision_qps, options.precision, settings.is_classic() ? 0.1 : 0.01);
    if (settings.is_classic()) {
        choose(settings.total_rounds, options.total_rounds, settings.offload ? 16 : 8);
        choose(settings.tail_window, options.tail_window, settings.offload ? 8 : 4);
    } else {
        choose(settings.confidence, options.confidence, 0.95);
        choose(settings.rounds, options.rounds, std::size_t{100});
        choose(settings.ceiling_qps, options.ceiling, detail::default_ceiling_qps(settings));
        settings.common_numbers = settings.common_numbers || options.common_numbers;
    }
    choose(settings.seed, options.seed, std::uint64_t{1});
    if (!options.command.empty()) {
        settings.command = options.command;
        settings.command_digest.clear();
    }
    for (const auto& word : settings.command)
        if (!is_utf8(word))
            throw UsageError("COMMAND", "'" + printable(word, 80) + "' is not UTF-8, and records are");
    detail::check_strategy(options, settings);
    if (settings.is_classic() && settings.total_rounds < 1)
        throw UsageError("--total-rounds", "must be at least 1");
    if (settings.is_classic() && (settings.tail_window < 1 || settings.tail_window > settings.total_rounds))
        throw UsageError("--tail-window", "must be at least 1 and at most the total rounds");
    refuse_another();
    return settings;
}

/// The search with every known probe taken in. Throws UsageError for bounds or budgets that make no sense,
/// and Error for a known probe off the grid.
inline std::unique_ptr<plan::Strategy> make_search(const record::SearchSettings& settings,
                                                   const SearchOptions& options, const record::SearchLog& log)
{
    const plan::Grid grid(settings.precision_qps);
    plan::SearchBounds bounds;
    bounds.low = grid.steps(settings.low_qps, "--low");
    bounds.high = grid.steps(settings.high_qps, "--high");
    bounds.ceiling = grid.steps(options.ceiling         ? *options.ceiling
                                : settings.is_classic() ? detail::default_ceiling_qps(settings)
                                                        : settings.ceiling_qps,
                                "--ceiling");
    bounds.slo_s = settings.slo_s;
    bounds.max_probes = options.max_probes;
    bounds.max_time_s = options.max_time;
    if (options.max_rounds)
        bounds.max_rounds = static_cast<double>(*options.max_rounds);
    if (options.max_probes && *options.max_probes < 1)
        throw UsageError("--max-probes", "must be at least 1");
    if (options.max_time && !(*options.max_time > 0))
        throw UsageError("--max-time", "must be above 0");
    bounds.confirm = settings.is_classic() ? options.confirm.value_or(log.confirm) : 0;
    auto search = detail::empty_search(settings, grid, bounds);
    for (auto probe : log.probes) {
        const auto rate = grid.find(probe.qps);
        if (!rate)
            throw Error("a probe at " + format_double(probe.qps) + " qps is off the grid of " + grid.text(1));
        complete_evidence(probe, settings);
        search->add(*rate, outcome_of(probe, settings));
    }
    return search;
}

} // namespace slo::run

#endif
