// SPDX-License-Identifier: MIT
// A replay from its options to its exit status.

#ifndef SLO_RUN_REPLAY_HPP
#define SLO_RUN_REPLAY_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/io/jsonl.hpp>
#include <slo/io/priority.hpp>
#include <slo/io/signals.hpp>
#include <slo/net/event_loop.hpp>
#include <slo/net/mailbox.hpp>
#include <slo/record/route_load.hpp>
#include <slo/record/run_summary.hpp>
#include <slo/run/lanes.hpp>
#include <slo/run/preflight.hpp>
#include <slo/run/recorder.hpp>
#include <slo/run/replay_end.hpp>
#include <slo/run/replay_options.hpp>
#include <slo/run/replay_output.hpp>
#include <slo/run/replay_plan.hpp>
#include <slo/run/replay_progress.hpp>
#include <slo/run/replay_route.hpp>
#include <slo/run/replay_start.hpp>
#include <slo/run/run_record.hpp>
#include <slo/run/runaway_watch.hpp>
#include <slo/run/schedule_file.hpp>
#include <slo/run/service_access.hpp>
#include <slo/run/system_check.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace slo::run {

/// Where a replay says what people should know.
struct ReplayReport {
    std::function<void(const std::string&)> note;
    std::function<void(const ReplayProgress&)> progress; ///< called ten times a second
};

/// One replay of a route.
class Replay {
public:
    /// Checks everything that can be checked before the clock starts. A signal on the way ends it; run() then
    /// does nothing. Throws Error.
    Replay(const ReplayOptions& options, io::JsonlWriter& out, ReplayReport report)
        : options_(options), out_(out), report_(std::move(report)), plan_(make_plan(options)),
          service_(options, plan_), seed_(options.seed ? *options.seed : random_seed())
    {
        if (options.until_decided)
            detail::check_has_reader(out.fd());
        stop_.emplace();
        plan_.arrival.seed = seed_;
        route_ = read_route(plan_, options.skip_bad, *stop_);
        // To open a FIFO is to wait for its reader.
        if (!stop_->requested())
            stop_->exposed([&] { output_.emplace(options, terms_of(plan_), plan_.threads, out); });
        stopped_ = stop_->requested();
        if (stopped_)
            return;
        loop_.watch(stop_->fd(), EPOLLIN, [this](std::uint32_t) { on_signal(); });
        say_what_was_read(route_, plan_, options.verbose, report_.note);
        say_what_was_asked(options, plan_, report_.note);
        if (!options.schedule_out.empty())
            write_schedule(options.schedule_out, plan_, route_.rows, seed_);
        if (options.start_at)
            start_moment(options.start_at); // one that has passed is no reason to trouble the service
        check_system_limits(plan_, route_, options.expected_latency_s, report_.note);
    }
    Replay(const Replay&) = delete;
    Replay& operator=(const Replay&) = delete;

    /// Runs it. ok: to its end, or as far as --until-decided wants; negative: to its end without a success;
    /// undecided: cut short. Throws Error, ClosedPipe.
    Exit run()
    {
        if (!stopped_)
            settle_with_server();
        if (stopped_) {
            report_.note("interrupted");
            return Exit::undecided;
        }
        report_.note(record::unit_note(route_));
        Recorder recorder(*output_);
        recorder_ = &recorder;
        output_->give_up_when_readable(recorder.give_up_fd());
        loop_.watch(recorder.failure_fd(), EPOLLIN, [&](std::uint32_t) {
            loop_.forget(recorder.failure_fd());
            interrupt("interrupted");
        });
        watch_stdout();
        watch_for_runaway();

        const bool realtime = options_.realtime && io::prefer_this_thread();
        if (options_.realtime && !realtime)
            report_.note("--realtime is not permitted here");
        const FlightPlan flights{plan::endpoint_url(plan_.request.api_base, plan_.request.endpoint),
                                 service_.headers(), 0, plan_.trace_context};
        Lanes lanes({plan_, route_.rows, flights, seed_, realtime,
                     [this](net::EventLoop& loop) { return service_.transport(loop); }, recorder},
                    loop_);
        start_ = start_moment(options_.start_at);
        auto record = run_record(options_, plan_, route_, seed_, start_.epoch_s);
        record["transport"] = json_text(lanes.transport_name());
        record["realtime"] = realtime;
        output_->begin(record);
        const auto failure = send(lanes);
        finish_writing(recorder);
        if (failure)
            std::rethrow_exception(failure);
        if (plan_.summary && !closed_)
            out_.write(record::render_summary(*plan_.summary, run_info(plan_, start_.epoch_s),
                                              output_->run_totals()));
        return conclude(lanes);
    }

private:
    static std::uint64_t random_seed()
    {
        std::random_device device;
        return std::uint64_t{device()} << 32 | device();
    }

    void settle_with_server()
    {
        const auto stopped = [this] { return stopped_; };
        const int http_version = service_.check(loop_, stopped);
        if (options_.http2 && (http_version == 10 || http_version == 11))
            report_.note("the service does not speak HTTP/2: the run is HTTP/1.1");
        if (!plan_.probe_min_p || stopped_)
            return;
        const auto refusal = service_.refusal_of_min_p(loop_, plan_.request, stopped);
        if (!refusal || stopped_)
            return;
        report_.note("min_p is not sent, the request that tries it failed: " + *refusal);
        plan_.request.send_min_p = false;
        for (auto& row : route_.rows)
            if (!row.text.empty())
                row.text = without_min_p(plan_.request, row.text);
    }

    // Whatever ends it early, what was measured is handed on.
    std::exception_ptr send(Lanes& lanes)
    {
        std::exception_ptr failure;
        net::Timer ticker(loop_, [&] { tick(ticker); });
        ticker.set(monotonic_ns());
        lanes_ = &lanes;
        try {
            lanes.run(start_.monotonic_ns);
        } catch (...) {
            failure = std::current_exception();
        }
        lanes_ = nullptr;
        return failure;
    }

    // Signals are heard meanwhile: a reader that has stopped reading would hold us here.
    void finish_writing(Recorder& recorder)
    {
        loop_.forget(recorder.failure_fd());
        bool finished = false;
        loop_.watch(recorder.finished_fd(), EPOLLIN, [&](std::uint32_t) {
            loop_.forget(recorder.finished_fd());
            finished = true;
        });
        recorder.end();
        while (!finished)
            loop_.run_once();
        recorder_ = nullptr;
        try {
            recorder.finish();
        } catch (const ClosedPipe&) {
            if (stopped_)
                report_.note("interrupted; records that nobody reads are lost");
            throw;
        }
    }

    // A pipe whose reader went away is noticed at once, not at the end of the window.
    void watch_stdout()
    {
        if (!options_.json_output.empty() && !options_.until_decided)
            return;
        loop_.watch(STDOUT_FILENO, 0, [this](std::uint32_t) {
            loop_.forget(STDOUT_FILENO);
            on_reader_gone();
        });
    }

    void on_reader_gone()
    {
        if (options_.until_decided) {
            on_signal(); // the one that ended our reader is for us, too, and came before
            if (stopped_)
                return;
            if (output_->has_told_decider())
                return interrupt("decided");
        }
        closed_ = true; // one that has had no round has decided nothing
        interrupt("interrupted");
    }

    void watch_for_runaway()
    {
        if (!plan_.abort_on_runaway)
            return;
        runaway_.emplace(plan_.e2e_slo_s, [this](const std::string& reason) {
            mailbox_.post([this, reason] {
                if (!lanes_)
                    return;
                report_.note("given up: " + reason);
                interrupt("runaway");
            });
        });
        output_->show_to(*runaway_);
    }

    void on_signal()
    {
        if (!stop_ || !stop_->requested())
            return;
        stopped_ = true;
        // From here on a second signal ends the process at once.
        loop_.forget(stop_->fd());
        stop_.reset();
        if (recorder_)
            recorder_->give_up();
        interrupt("interrupted");
    }

    void interrupt(const std::string& flag)
    {
        if (!lanes_)
            return;
        if (end_.cut_short_by.empty()) {
            end_.cut_short_by = flag;
            end_.cut_short_at_s = to_seconds(std::max<std::int64_t>(0, monotonic_ns() - start_.monotonic_ns));
        }
        lanes_->interrupt(flag);
    }

    ReplayProgress progress(const Lanes& lanes) const
    {
        auto now = lanes_progress(lanes, plan_);
        const double since_start_s = to_seconds(monotonic_ns() - start_.monotonic_ns);
        now.elapsed_s = std::max(0.0, since_start_s);
        now.starts_in_s = std::max(0.0, -since_start_s);
        now.p50_s = output_->last_p50_s();
        return now;
    }

    void tick(net::Timer& ticker)
    {
        report_.progress(progress(*lanes_));
        ticker.set(monotonic_ns() + 100'000'000);
    }

    Exit conclude(const Lanes& lanes)
    {
        if (closed_)
            throw ClosedPipe();
        auto end = end_;
        end.exhausted = lanes.exhausted();
        end.first_error = lanes.first_error();
        end.textfile_fault = output_->textfile_fault();
        const auto now = progress(lanes);
        for (const auto& note : notes_of(end, now, output_->run_totals(), options_.verbose))
            report_.note(note);
        if (const auto by = end.stopped_by(); !by.empty())
            output_->stopped(by, end.cut_short_at_s);
        return status_of(end, now);
    }

    const ReplayOptions& options_;
    io::JsonlWriter& out_;
    ReplayReport report_;
    ReplayPlan plan_;
    ServiceAccess service_;
    record::Route route_;
    std::optional<ReplayOutput> output_;
    std::uint64_t seed_;
    net::EventLoop loop_;
    net::Mailbox mailbox_{loop_};
    std::optional<io::StopSignal> stop_;
    std::optional<RunawayWatch> runaway_;
    Recorder* recorder_ = nullptr;
    Lanes* lanes_ = nullptr;
    StartMoment start_;
    bool stopped_ = false;
    ReplayEnd end_;
    bool closed_ = false;
};

} // namespace slo::run

#endif
