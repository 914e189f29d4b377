// SPDX-License-Identifier: MIT
// One probe of a search with all that stands around it: cooldown, cache reset, and the service's health.

#ifndef SLO_RUN_SERVED_PROBER_HPP
#define SLO_RUN_SERVED_PROBER_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/io/signals.hpp>
#include <slo/record/search.hpp>
#include <slo/run/cache_reset.hpp>
#include <slo/run/probe_command.hpp>
#include <slo/run/probe_task.hpp>
#include <slo/run/search_run.hpp>
#include <slo/run/service_keeper.hpp>

#include <poll.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slo::run {

/// Runs probes so that what happened to the service is told apart from what it can do. A service that died
/// under load fails the rate; one that died before, was frozen, or was stopped by somebody, is probed again.
class ServedProber {
public:
    /// Times that a rate is probed while the service is frozen or stopped, before that counts as a fail.
    static constexpr int most_frozen_probes = 3;

    struct Settings {
        ProbeLimits limits;
        double cooldown_s = 0;
        std::optional<CacheReset> reset;
        std::size_t retries = 0; ///< of a rate at which the service died
        std::size_t deaths = 0;  ///< at the first rate, in an earlier session
    };
    using Event =
        std::function<void(const std::string& what, const std::string& qps, const std::string& text)>;

    /// `keeper` may be null: there is nothing to look after.
    ServedProber(Settings settings, io::StopSignal& stop, ServiceKeeper* keeper, Event event,
                 std::function<void(const std::string&)> progress)
        : settings_(std::move(settings)), stop_(stop), keeper_(keeper), event_(std::move(event)),
          progress_(std::move(progress))
    {
    }

    /// One probe, as SearchRun wants it. Throws as probe_by_command() does while the service is well.
    ProbeAnswer operator()(const ProbeTask& task, const SearchRun::Tick& tick)
    {
        const auto end_ns = monotonic_ns() + to_ns(std::min(task.time_left_s.value_or(1e9), 1e9));
        std::string repeated; // why
        for (int spoilt = 0;;) {
            if (!repeated.empty() && monotonic_ns() >= end_ns)
                return SearchStop{"max_time", task.qps + " qps was to be probed again: " + repeated, {}};
            if (auto stop = prepare(task))
                return std::move(*stop);
            std::string failure;
            auto probe = attempt(task, tick, failure);
            if (!probe && failure.empty())
                return SearchStop{"interrupted", {}, {}};
            const auto after = keeper_ ? keeper_->look_after(failure.empty()) : Aftermath{};
            if (stop_.requested() && after.state != Aftermath::State::died && !failure.empty())
                return SearchStop{"interrupted", {}, {}};
            repeated = after.text;
            switch (after.state) {
            case Aftermath::State::unharmed:
                if (!failure.empty())
                    throw Error(failure);
                return finished(std::move(*probe));
            case Aftermath::State::frozen:
                if (!failure.empty() ||
                    (probe->status != record::ProbeStatus::pass && !probe->service_died)) {
                    event_("frozen", task.qps, after.text);
                    if (++spoilt < most_frozen_probes)
                        continue;
                    if (!failure.empty())
                        throw Error(failure);
                    probe->measured = false;
                }
                probe->notes.push_back("while it was probed the service froze: " + after.text);
                return finished(std::move(*probe));
            case Aftermath::State::stopped:
                event_("stopped", task.qps, after.text);
                if (!keeper_->starts_again() && !after.runs_again)
                    return SearchStop{"service_stopped",
                                      "the service was stopped at " + task.qps + " qps: " + after.text,
                                      after.log_tail};
                if (++spoilt < most_frozen_probes)
                    continue;
                return finished(spoilt_by_stop(probe ? std::move(*probe) : record::SearchProbe{}, after));
            case Aftermath::State::died:
                break;
            }
            event_("died", task.qps, after.text);
            if (++deaths_here() <= settings_.retries)
                continue;
            if (!task.any_pass)
                return SearchStop{"service_died_before_any_pass",
                                  "the service died at " + task.qps + " qps: " + after.text, after.log_tail};
            return finished(failed_by_death(probe ? std::move(*probe) : record::SearchProbe{}, after));
        }
    }

private:
    std::size_t& deaths_here() { return settings_.deaths; }

    // Everything that comes before a probe.
    std::optional<SearchStop> prepare(const ProbeTask& task)
    {
        if (std::exchange(probed_, true) && settings_.cooldown_s > 0) {
            progress_("cooling down before " + task.qps + " qps");
            pollfd event{stop_.fd(), POLLIN, 0};
            const auto end_ns = monotonic_ns() + to_ns(settings_.cooldown_s);
            for (auto now_ns = monotonic_ns(); now_ns < end_ns && !stop_.requested(); now_ns = monotonic_ns())
                ::poll(&event, 1,
                       static_cast<int>(std::min<std::int64_t>((end_ns - now_ns) / 1'000'000 + 1, 1000)));
        }
        if (!stop_.requested() && keeper_) {
            if (auto stop = keeper_->make_ready()) {
                if (stop->reason == "service_died" && !task.any_pass)
                    stop->reason = "service_died_before_any_pass";
                return stop;
            }
        }
        reset_failure_.reset();
        if (!stop_.requested() && settings_.reset)
            reset_failure_ = (*settings_.reset)(stop_);
        return stop_.requested() ? std::optional(SearchStop{"interrupted", {}, {}}) : std::nullopt;
    }

    // Why there is no verdict goes to `failure`; neither probe nor failure: it was interrupted.
    std::optional<record::SearchProbe> attempt(const ProbeTask& task, const SearchRun::Tick& tick,
                                               std::string& failure)
    {
        auto limits = settings_.limits;
        if (!keeper_)
            return probe_by_command(task, tick, limits, stop_);
        limits.no_use = [&] { return keeper_->gone(); };
        try {
            return probe_by_command(task, tick, limits, stop_);
        } catch (const Error& error) {
            failure = error.what();
            return std::nullopt;
        }
    }

    // Figures of a run that was cut short would be those of its better part.
    static void fail_without_figures(record::SearchProbe& probe, const std::string& note)
    {
        probe.avg_p50_latency_s.reset();
        probe.tail_avg_p50_latency_s.reset();
        probe.primary_metric.clear();
        probe.window.clear();
        probe.evidence = {};
        probe.status = record::ProbeStatus::fail;
        probe.notes.insert(probe.notes.begin(), note);
    }

    static record::SearchProbe spoilt_by_stop(record::SearchProbe probe, const Aftermath& after)
    {
        fail_without_figures(probe,
                             "the service was stopped again and again while it was probed: " + after.text);
        probe.measured = false;
        return probe;
    }

    static record::SearchProbe failed_by_death(record::SearchProbe probe, const Aftermath& after)
    {
        fail_without_figures(probe, "the service died under this load: " + after.text);
        probe.measured = true;
        probe.service_died = true;
        json::object death{{"reason", json_text(after.text)},
                           {"exit_status", nullptr},
                           {"signal", nullptr},
                           {"out_of_memory", nullptr}};
        if (after.exit) {
            death["exit_status"] = or_null(after.exit->status);
            death["signal"] = or_null(after.exit->signal);
            death["out_of_memory"] = after.exit->out_of_memory;
        }
        json::array tail;
        for (const auto& line : after.log_tail)
            tail.push_back(json_text(line));
        death["log_tail"] = std::move(tail);
        probe.attachments.push_back(json::object{{"service_death", std::move(death)}});
        return probe;
    }

    record::SearchProbe finished(record::SearchProbe probe)
    {
        settings_.deaths = 0;
        if (reset_failure_) {
            probe.cache_reset = reset_failure_->empty();
            if (!reset_failure_->empty())
                probe.notes.push_back("cache not reset: " + printable(*reset_failure_, 200));
        }
        return probe;
    }

    Settings settings_;
    io::StopSignal& stop_;
    ServiceKeeper* keeper_;
    Event event_;
    std::function<void(const std::string&)> progress_;
    bool probed_ = false;
    std::optional<std::string> reset_failure_; ///< empty: it was done
};

} // namespace slo::run

#endif
