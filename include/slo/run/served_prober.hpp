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
#include <slo/run/search_plan.hpp>
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
/// under load fails the rate; one that died before, or was frozen, is probed again.
class ServedProber {
public:
    /// Times that a probe is run again because the service was frozen.
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
        for (int frozen = 0;;) {
            if (auto stop = prepare(task))
                return std::move(*stop);
            std::string failure;
            auto probe = attempt(task, tick, failure);
            if (!probe && failure.empty())
                return SearchStop{"interrupted", {}, {}};
            const auto after = keeper_ ? keeper_->look_after(failure.empty()) : Aftermath{};
            if (stop_.requested() && after.state == Aftermath::State::unharmed && !failure.empty())
                return SearchStop{"interrupted", {}, {}};
            switch (after.state) {
            case Aftermath::State::unharmed:
                if (!failure.empty())
                    throw Error(failure);
                return finished(std::move(*probe));
            case Aftermath::State::frozen:
                if (!failure.empty() ||
                    (probe->status != record::ProbeStatus::pass && !probe->service_died)) {
                    event_("frozen", task.qps, after.text);
                    if (++frozen < most_frozen_probes)
                        continue;
                    if (!failure.empty())
                        throw Error(failure);
                    probe->measured = false;
                }
                probe->notes.push_back("while it was probed the service froze: " + after.text);
                return finished(std::move(*probe));
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

    static record::SearchProbe failed_by_death(record::SearchProbe probe, const Aftermath& after)
    {
        // Figures of a run that was cut short would be those of its better part.
        probe.avg_p50_latency_s.reset();
        probe.tail_avg_p50_latency_s.reset();
        probe.primary_metric.clear();
        probe.window.clear();
        probe.status = record::ProbeStatus::fail;
        probe.measured = true;
        probe.service_died = true;
        probe.notes.insert(probe.notes.begin(), "the service died under this load: " + after.text);
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
