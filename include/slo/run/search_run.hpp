// SPDX-License-Identifier: MIT
// The run of a search: one probe after the other, each on record before the next begins.

#ifndef SLO_RUN_SEARCH_RUN_HPP
#define SLO_RUN_SEARCH_RUN_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/plan/search.hpp>
#include <slo/plan/strategy.hpp>
#include <slo/record/probe_output.hpp>
#include <slo/record/search.hpp>
#include <slo/record/search_log.hpp>
#include <slo/record/search_result.hpp>
#include <slo/run/probe_outcome.hpp>
#include <slo/run/probe_task.hpp>
#include <slo/run/search_outcome.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace slo::run {

/// How far a search is, for people.
struct SearchProgress {
    double fraction = -1; ///< of this session's work, negative while nothing is known
    std::string text;
};

/// Why a search cannot go on.
struct SearchStop {
    std::string reason = "interrupted"; ///< as in the result record
    std::string note;                   ///< for people; may be empty
    std::vector<std::string> log_tail;  ///< the last lines of the service's log
};

/// A probe, or why there is none and will be none.
struct ProbeAnswer {
    ProbeAnswer(record::SearchProbe done) : probe(std::move(done)) {}
    ProbeAnswer(SearchStop why) : stop(std::move(why)) {}
    /// Nothing: it was interrupted.
    ProbeAnswer(std::optional<record::SearchProbe> done) : probe(std::move(done)) {}

    std::optional<record::SearchProbe> probe;
    SearchStop stop;
};

/// Drives a search. It knows neither processes nor files: probes are run, records are kept by its callbacks.
class SearchRun {
public:
    using Tick = std::function<void(const record::ProbeOutput&)>;
    /// Runs one probe, calling the tick about once a second.
    using Prober = std::function<ProbeAnswer(const ProbeTask&, const Tick&)>;

    struct Callbacks {
        std::function<void(const json::object&)> on_record;
        std::function<void(const SearchProgress&)> on_progress;
        std::function<void(const record::SearchProbe&)> on_probe;
        std::function<void(record::SearchResult&)> on_result = {}; ///< may add what it knows
    };

    /// Goes on from what `log` knows; a progress record comes every `report_every_s` seconds.
    SearchRun(std::unique_ptr<plan::Strategy> search, record::SearchSettings settings, record::SearchLog log,
              double report_every_s, Callbacks callbacks)
        : search_(std::move(search)), settings_(std::move(settings)), log_(std::move(log)),
          callbacks_(std::move(callbacks)), report_every_ns_(to_ns(report_every_s)),
          known_(log_.probes.size()), start_ns_(monotonic_ns()), report_ns_(start_ns_)
    {
    }

    /// All probes, those of earlier sessions first.
    const std::vector<record::SearchProbe>& probes() const noexcept { return log_.probes; }

    /// Probes until the search ends. What a prober throws passes through; all earlier records are out by
    /// then.
    record::SearchResult run(const Prober& prober)
    {
        for (;;) {
            const auto decision = search_->decide(elapsed_s());
            if (const auto* reason = std::get_if<plan::EndReason>(&decision))
                return finish(plan::name_of(*reason));
            const auto next = std::get<plan::NextProbe>(decision);
            auto task = make_task(*search_, settings_, next);
            task.any_pass = task.any_pass || has_survived();
            if (const auto most_s = search_->bounds().max_time_s)
                task.time_left_s = *most_s - elapsed_s();
            probe_start_ns_ = monotonic_ns();
            auto answer = prober(task, [&](const record::ProbeOutput& output) { tick(task, output); });
            if (!answer.probe) {
                stop_ = std::move(answer.stop);
                return finish(stop_->reason);
            }
            auto& probe = answer.probe;
            probe->step = task.step;
            probe->phase = task.phase;
            probe->qps = search_->grid().qps(next.rate);
            probe->elapsed_s = elapsed_s();
            take_evidence(*probe, task);
            search_->add(next.rate, outcome_of(*probe, settings_));
            callbacks_.on_record(to_record(*probe));
            callbacks_.on_probe(*probe);
            log_.probes.push_back(std::move(*probe));
        }
    }

    /// Why the last run() could not go on; nothing when it came to its end.
    const std::optional<SearchStop>& stop() const noexcept { return stop_; }

private:
    // To the millisecond: more would only be noise in the records.
    double elapsed_s() const
    {
        return std::round(1e3 * (log_.elapsed_s + to_seconds(monotonic_ns() - start_ns_))) / 1e3;
    }

    // A search by likelihood may meet many rates before one has passed with confidence; a service that was
    // there to the end of a probe is one that can be searched.
    bool has_survived() const
    {
        return search_->certified() &&
               std::any_of(log_.probes.begin(), log_.probes.end(), [](const auto& probe) {
                   return probe.status == record::ProbeStatus::pass ||
                          probe.status == record::ProbeStatus::inconclusive;
               });
    }

    void take_evidence(record::SearchProbe& probe, const ProbeTask& task) const
    {
        complete_evidence(probe, settings_);
        check_objectives(probe);
        if (task.looks.empty())
            return;
        probe.evidence.looks = task.looks;
        probe.evidence.seed = task.seed;
        if (!probe.evidence.rounds)
            probe.evidence.rounds = static_cast<double>(task.looks.back());
    }

    // A search has one question. Where COMMAND takes its objectives from its surroundings, the journal's
    // settings do not show that they changed.
    void check_objectives(const record::SearchProbe& probe) const
    {
        const auto before = objectives_in(log_.probes);
        const auto now = record::named_objectives(probe.evidence);
        // A verdict may lack one of which it has no margin.
        if (std::includes(before.begin(), before.end(), now.begin(), now.end()) ||
            std::includes(now.begin(), now.end(), before.begin(), before.end()))
            return;
        const auto listed = [](const std::set<std::string>& names) {
            std::string list;
            for (const auto& name : names)
                list += (list.empty() ? "" : ", ") + name;
            return printable(list, 200);
        };
        throw InputError("COMMAND", "judges by " + listed(now) + " now, and by " + listed(before) +
                                        " in the probes before: that is another search");
    }

    record::SearchResult finish(std::string_view reason)
    {
        auto result = make_result(*search_, log_.probes, reason, elapsed_s());
        if (stop_ && !stop_->note.empty())
            result.notes.push_back(printable(stop_->note));
        if (callbacks_.on_result)
            callbacks_.on_result(result);
        callbacks_.on_record(to_record(result, settings_));
        return result;
    }

    void tick(const ProbeTask& task, const record::ProbeOutput& output)
    {
        callbacks_.on_progress(progress(task, output));
        const auto now_ns = monotonic_ns();
        if (now_ns - report_ns_ < report_every_ns_)
            return;
        report_ns_ = now_ns;
        callbacks_.on_record(progress_record(task, output));
    }

    // From the mean duration of this session's probes; nothing while the first of them runs.
    std::optional<double> mean_probe_s() const
    {
        const auto done = log_.probes.size() - known_;
        if (done == 0)
            return std::nullopt;
        return to_seconds(probe_start_ns_ - start_ns_) / static_cast<double>(done);
    }

    double running_s() const { return std::round(1e3 * to_seconds(monotonic_ns() - probe_start_ns_)) / 1e3; }

    std::optional<double> eta_s() const
    {
        const auto mean_s = mean_probe_s();
        if (!mean_s)
            return std::nullopt;
        return std::max(0.0, *mean_s * static_cast<double>(search_->probes_left()) - running_s());
    }

    std::string bracket_text() const
    {
        const auto text = [&](std::optional<plan::Rate> rate) {
            return rate ? search_->grid().text(*rate) : "?";
        };
        if (const auto found = search_->certified())
            return "point " + (found->point_qps ? format_fixed(*found->point_qps, 2) : "?") + ", " +
                   text(found->certified) + " certified, " + text(found->rejected) + " rejected, " +
                   format_fixed(found->rounds, 0) + " rounds spent";
        return text(search_->best()) + " passed, " + text(search_->first_fail()) + " failed";
    }

    SearchProgress progress(const ProbeTask& task, const record::ProbeOutput& output) const
    {
        SearchProgress progress;
        progress.text =
            "probe " + std::to_string(task.step) + " at " + task.qps + " qps (" + task.phase + ")";
        if (output.rounds() > 0)
            progress.text += ", round " + std::to_string(output.rounds());
        if (const auto p50_s = output.last_p50_s())
            progress.text += " p50 " + format_fixed(*p50_s, 2) + " s";
        progress.text +=
            "; " + bracket_text() + "; " + std::to_string(search_->probes_left()) + " probes left";
        if (const auto left_s = eta_s()) {
            const double spent_s = to_seconds(monotonic_ns() - start_ns_);
            progress.fraction = spent_s / (spent_s + *left_s);
        }
        return progress;
    }

    json::object progress_record(const ProbeTask& task, const record::ProbeOutput& output) const
    {
        const auto qps = [&](std::optional<plan::Rate> rate) -> json::value {
            return rate ? json::value(search_->grid().qps(*rate)) : json::value(nullptr);
        };
        json::array last;
        const auto shown = std::min<std::size_t>(5, log_.probes.size());
        for (auto at = log_.probes.end() - static_cast<std::ptrdiff_t>(shown); at != log_.probes.end(); ++at)
            last.push_back(json::object{{"step", at->step},
                                        {"qps", at->qps},
                                        {"status", std::string(name_of(at->status))},
                                        {"avg_p50_latency_s", or_null(at->avg_p50_latency_s)}});
        auto record = record::search_event("progress");
        record["elapsed_s"] = elapsed_s();
        record["probes"] = search_->probes();
        record["best_qps"] = qps(search_->best());
        record["first_fail_qps"] = qps(search_->first_fail());
        if (const auto found = search_->certified()) {
            record["point_qps"] = or_null(found->point_qps);
            record["rounds_spent"] = found->rounds;
        }
        record["current"] = json::object{{"step", task.step},
                                         {"phase", task.phase},
                                         {"qps", parse_double(task.qps).value_or(0)},
                                         {"running_s", running_s()},
                                         {"rounds_seen", output.rounds()},
                                         {"last_p50_s", or_null(output.last_p50_s())}};
        record["probes_left"] = search_->probes_left();
        record["eta_s"] = or_null(eta_s());
        record["last"] = std::move(last);
        return record;
    }

    std::unique_ptr<plan::Strategy> search_;
    record::SearchSettings settings_;
    record::SearchLog log_;
    Callbacks callbacks_;
    std::int64_t report_every_ns_;
    std::size_t known_;
    std::int64_t start_ns_;
    std::int64_t report_ns_;
    std::int64_t probe_start_ns_ = 0;
    std::optional<SearchStop> stop_;
};

} // namespace slo::run

#endif
