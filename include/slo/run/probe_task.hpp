// SPDX-License-Identifier: MIT
// The command of a probe, and what would be probed.

#ifndef SLO_RUN_PROBE_TASK_HPP
#define SLO_RUN_PROBE_TASK_HPP

#include <slo/base/json.hpp>
#include <slo/base/shown_command.hpp>
#include <slo/base/text.hpp>
#include <slo/plan/certain_options.hpp>
#include <slo/plan/search.hpp>
#include <slo/plan/strategy.hpp>
#include <slo/record/search.hpp>

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
    std::vector<std::string> removed = {};  ///< variables that the command does not inherit
    std::uint64_t seed = 0;
    std::vector<std::int64_t> looks = {}; ///< rounds after which its verdict looks
    bool unmeasured_fails = true;         ///< what gives no verdict counts as a fail
};

namespace detail {

inline void replace_all(std::string& text, std::string_view place, const std::string& value)
{
    for (auto at = text.find(place); at != std::string::npos; at = text.find(place, at + value.size()))
        text.replace(at, place.size(), value);
}

// On the way to the edge an early look is worth as much as a late one; a look that certifies pays little for
// having looked before.
inline stats::Spending spending_of(plan::Phase phase)
{
    return phase == plan::Phase::certify || phase == plan::Phase::reject ? stats::Spending::obrien_fleming
                                                                         : stats::Spending::pocock;
}

inline std::string joined(const std::vector<std::int64_t>& numbers)
{
    std::string text;
    for (const auto number : numbers)
        text += (text.empty() ? "" : ",") + std::to_string(number);
    return text;
}

} // namespace detail

/// The command of a probe: {qps}, {seed} and {rounds} replaced in every argument, and the environment that
/// says the same. What only some strategies say is not inherited with the others.
inline ProbeTask make_task(const plan::Strategy& search, const record::SearchSettings& settings,
                           const plan::NextProbe& next)
{
    ProbeTask task;
    task.step = search.probes() + 1;
    task.phase = plan::name_of(next.phase);
    task.qps = search.grid().text(next.rate);
    task.seed = settings.seed + search.seed_offset(next);
    task.looks.assign(next.looks.begin(), next.looks.end());
    task.unmeasured_fails = settings.is_classic();
    const auto rounds = task.looks.empty() ? settings.total_rounds : task.looks.back();
    const auto tail = task.looks.empty() ? settings.tail_window : std::max<std::int64_t>(1, rounds / 2);
    const auto seed = std::to_string(task.seed);
    for (auto word : settings.command) {
        detail::replace_all(word, "{qps}", task.qps);
        detail::replace_all(word, "{seed}", seed);
        detail::replace_all(word, "{rounds}", std::to_string(rounds));
        task.argv.push_back(std::move(word));
    }
    task.environment = {{"SLO_QPS", task.qps},
                        {"SLO_STEP", std::to_string(task.step)},
                        {"SLO_SLO", format_double(settings.slo_s)},
                        {"SLO_TOTAL_ROUNDS", std::to_string(rounds)},
                        {"SLO_TAIL_WINDOW", std::to_string(tail)},
                        {"SLO_SEED", seed}};
    task.removed = {"SLO_LOOKS", "SLO_SPENDING", "SLO_CONFIDENCE"};
    if (!settings.is_classic()) {
        task.environment.emplace_back("SLO_LOOKS", detail::joined(task.looks));
        task.environment.emplace_back("SLO_SPENDING", plan::name_of(detail::spending_of(next.phase)));
        task.environment.emplace_back("SLO_CONFIDENCE", format_double(settings.confidence));
    }
    task.any_pass = search.best().has_value();
    return task;
}

/// A record of what would happen next, and after that, without running anything.
inline json::object make_plan_record(const plan::Strategy& search, const record::SearchSettings& settings,
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
        const auto after = [&](std::optional<double> latency_s, plan::Said said) {
            const auto supposed = search.clone();
            plan::Outcome outcome{said == plan::Said::pass, latency_s, said};
            outcome.rounds = task.looks.empty() ? 0 : static_cast<double>(task.looks.back());
            supposed->add(next->rate, outcome);
            return describe(supposed->decide(elapsed_s));
        };
        record["phase"] = task.phase;
        if (settings.is_classic()) {
            record["after_pass_qps"] = after(0.5 * settings.slo_s, plan::Said::pass);
            record["after_narrow_fail_qps"] = after(settings.slo_s, plan::Said::fail);
            record["after_wide_fail_qps"] = after(2 * settings.slo_s, plan::Said::fail);
        } else {
            record["after_pass_qps"] = after(std::nullopt, plan::Said::pass);
            record["after_open_qps"] = after(std::nullopt, plan::Said::open);
            record["after_fail_qps"] = after(std::nullopt, plan::Said::fail);
        }
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
