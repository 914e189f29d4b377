// SPDX-License-Identifier: MIT
// A replay from its options to its exit status.

#ifndef SLO_RUN_REPLAY_HPP
#define SLO_RUN_REPLAY_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/io/jsonl.hpp>
#include <slo/io/priority.hpp>
#include <slo/io/signals.hpp>
#include <slo/net/curl_transport.hpp>
#include <slo/record/route_load.hpp>
#include <slo/run/api_key.hpp>
#include <slo/run/preflight.hpp>
#include <slo/run/recorder.hpp>
#include <slo/run/replay_options.hpp>
#include <slo/run/replay_output.hpp>
#include <slo/run/replay_route.hpp>
#include <slo/run/replayer.hpp>
#include <slo/run/run_record.hpp>

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
        : options_(options), report_(std::move(report)), plan_(make_plan(options)),
          key_(find_api_key(options.api_key, options.api_key_file)),
          seed_(options.seed ? *options.seed : random_seed())
    {
        stop_.emplace();
        route_ = read_route(plan_, options.skip_bad, *stop_);
        // To open a FIFO is to wait for its reader.
        if (!stop_->requested())
            stop_->exposed([&] { output_.emplace(options, out); });
        stopped_ = stop_->requested();
        if (stopped_)
            return;
        loop_.watch(stop_->fd(), EPOLLIN, [this](std::uint32_t) { on_signal(); });
        say_what_was_read(route_, plan_, options.verbose, report_.note);
        if (plan_.mode == ReplayMode::timestamp && options.target_qps)
            report_.note("--target-qps has no effect with --replay-mode timestamp");
        raise_descriptor_limit();
        headers_ = {"Authorization: Bearer " + key_, "Content-Type: application/json"};
    }
    Replay(const Replay&) = delete;
    Replay& operator=(const Replay&) = delete;

    /// Runs it. ok: to its end; negative: to its end without a success; undecided: cut short. Throws Error,
    /// ClosedPipe.
    Exit run()
    {
        if (!stopped_)
            settle_with_server();
        if (stopped_) {
            report_.note("interrupted");
            return Exit::undecided;
        }
        report_.note(record::unit_note(route_));
        net::CurlTransport transport(loop_, {limits(options_.request_timeout_s)});
        Recorder recorder([this](FinishedWindow&& finished) { output_->write(finished); });
        recorder_ = &recorder;
        output_->give_up_when_readable(recorder.give_up_fd());
        loop_.watch(recorder.failure_fd(), EPOLLIN, [&](std::uint32_t) {
            loop_.forget(recorder.failure_fd());
            interrupt();
        });
        watch_stdout();

        const bool realtime = options_.realtime && io::prefer_this_thread();
        if (options_.realtime && !realtime)
            report_.note("--realtime is not permitted here");
        const auto start_ns = monotonic_ns() + lead_ns;
        auto record = run_record(options_, plan_, route_, seed_, wall_clock_s() + to_seconds(lead_ns));
        record["realtime"] = realtime;
        output_->begin(record);
        const FlightPlan flights{plan::endpoint_url(plan_.request.api_base, plan_.request.use_chat), headers_,
                                 start_ns};
        Replayer replayer(plan_, route_.rows, flights, seed_, loop_, transport,
                          [&](FinishedWindow&& finished) { recorder.push(std::move(finished)); });
        const auto failure = send(replayer, start_ns);
        finish_writing(recorder);
        if (failure)
            std::rethrow_exception(failure);
        return conclude(replayer);
    }

private:
    // Between the moment the start is fixed and the start itself, so that the first request is not late.
    static constexpr std::int64_t lead_ns = 5'000'000;
    static constexpr double check_timeout_s = 10;
    static constexpr double probe_timeout_s = 30;

    static std::uint64_t random_seed()
    {
        std::random_device device;
        return std::uint64_t{device()} << 32 | device();
    }

    net::HttpLimits limits(double request_timeout_s) const
    {
        net::HttpLimits limits;
        limits.connect_timeout_s = std::min(options_.connect_timeout_s, request_timeout_s);
        limits.request_timeout_s = request_timeout_s;
        return limits;
    }

    void settle_with_server()
    {
        const auto stopped = [this] { return stopped_; };
        if (!options_.no_connect_check) {
            net::CurlTransport transport(loop_,
                                         {limits(std::min(check_timeout_s, options_.request_timeout_s))});
            check_connection(loop_, transport, plan_.request.api_base, headers_, stopped);
        }
        if (!plan_.probe_min_p || stopped_)
            return;
        net::CurlTransport transport(loop_, {limits(std::min(probe_timeout_s, options_.request_timeout_s))});
        const auto refusal = min_p_refusal(loop_, transport, plan_.request, headers_, stopped);
        if (!refusal || stopped_)
            return;
        report_.note("min_p is not sent, the request that tries it failed: " + *refusal);
        plan_.request.send_min_p = false;
        for (auto& row : route_.rows)
            if (!row.text.empty())
                row.text = without_min_p(plan_.request, row.text);
    }

    // Whatever ends it early, what was measured is handed on.
    std::exception_ptr send(Replayer& replayer, std::int64_t start_ns)
    {
        std::exception_ptr failure;
        net::Timer ticker(loop_, [&] { tick(ticker); });
        ticker.set(start_ns);
        replayer_ = &replayer;
        try {
            replayer.run(start_ns);
        } catch (...) {
            failure = std::current_exception();
            replayer.interrupt();
        }
        replayer_ = nullptr;
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
        recorder.close();
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
        if (!options_.json_output.empty())
            return;
        loop_.watch(STDOUT_FILENO, 0, [this](std::uint32_t) {
            loop_.forget(STDOUT_FILENO);
            closed_ = true;
            interrupt();
        });
    }

    void on_signal()
    {
        stopped_ = stop_->requested();
        if (!stopped_)
            return;
        // From here on a second signal ends the process at once.
        loop_.forget(stop_->fd());
        stop_.reset();
        if (recorder_)
            recorder_->give_up();
        interrupt();
    }

    void interrupt()
    {
        if (replayer_)
            replayer_->interrupt();
    }

    void tick(net::Timer& ticker)
    {
        auto progress = replayer_->progress();
        progress.p50_s = output_->last_p50_s();
        report_.progress(progress);
        ticker.set(monotonic_ns() + 100'000'000);
    }

    Exit conclude(const Replayer& replayer) const
    {
        if (closed_)
            throw ClosedPipe();
        const auto progress = replayer.progress();
        const auto ok = progress.count(record::RequestStatus::ok);
        if (ok < progress.due || options_.verbose || replayer.interrupted() || replayer.exhausted())
            report_.note(progress.summary() +
                         (replayer.first_error().empty() ? "" : "; the first: " + replayer.first_error()));
        if (replayer.exhausted())
            report_.note("the route ended before the rounds that were asked for");
        if (replayer.interrupted())
            report_.note("interrupted");
        if (replayer.interrupted() || replayer.exhausted())
            return Exit::undecided;
        return ok > 0 ? Exit::ok : Exit::negative;
    }

    const ReplayOptions& options_;
    ReplayReport report_;
    ReplayPlan plan_;
    std::string key_;
    record::Route route_;
    std::optional<ReplayOutput> output_;
    std::uint64_t seed_;
    net::EventLoop loop_;
    std::optional<io::StopSignal> stop_;
    std::vector<std::string> headers_;
    Recorder* recorder_ = nullptr;
    Replayer* replayer_ = nullptr;
    bool stopped_ = false;
    bool closed_ = false;
};

} // namespace slo::run

#endif
