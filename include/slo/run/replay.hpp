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
#include <slo/run/replay_schedule.hpp>
#include <slo/run/replayer.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

/// Reads the route: rows in the order of sending, each with the body that will be sent. Throws IoError,
/// InputError, UsageError.
inline record::Route read_route(const ReplayPlan& plan, bool skip_bad)
{
    record::RouteReader reader(plan.input, skip_bad);
    auto route =
        record::load_route(reader, plan.ts_unit, [&](record::RouteRow& row) -> std::optional<std::string> {
            if (!plan.sample.keeps(row.conv_id))
                return std::nullopt;
            return plan::request_body(plan.request, row);
        });
    const auto name = io::display_name(plan.input);
    if (route.rows.empty())
        throw Error(name, route.left_out > 0 ? "no row is in the --sample-range" : "holds no row to replay");
    if (plan.mode == ReplayMode::timestamp && route.unit_source == record::UnitSource::unknown &&
        route.rows.front().ts_ns != route.rows.back().ts_ns)
        throw UsageError("--ts-unit",
                         "is needed: nothing tells in what unit the timestamps of " + name + " count");
    return route;
}

/// One replay of a route.
class Replay {
public:
    /// Checks everything that can be checked before the clock starts. Throws Error.
    Replay(const ReplayOptions& options, io::JsonlWriter& out, ReplayReport report)
        : options_(options), report_(std::move(report)), plan_(make_plan(options)),
          key_(find_api_key(options.api_key, options.api_key_file)),
          route_(read_route(plan_, options.skip_bad)), output_(options, out),
          seed_(options.seed ? *options.seed : random_seed())
    {
        stop_.emplace();
        loop_.watch(stop_->fd(), EPOLLIN, [this](std::uint32_t) { on_signal(); });
        say_what_was_read();
        raise_descriptor_limit();
        headers_ = {"Authorization: Bearer " + key_, "Content-Type: application/json"};
    }
    Replay(const Replay&) = delete;
    Replay& operator=(const Replay&) = delete;

    /// Runs it. ok: to its end; negative: to its end without a success; undecided: cut short. Throws Error,
    /// ClosedPipe.
    Exit run()
    {
        settle_with_server();
        if (stopped_)
            return Exit::undecided;
        net::CurlTransport transport(loop_, limits(options_.request_timeout_s));
        Recorder recorder([this](FinishedWindow&& finished) { output_.write(finished); });
        loop_.watch(recorder.failure_fd(), EPOLLIN, [&](std::uint32_t) {
            loop_.forget(recorder.failure_fd());
            interrupt();
        });
        watch_stdout();

        const bool realtime = !options_.no_realtime && io::prefer_this_thread();
        const auto start_ns = monotonic_ns() + lead_ns;
        auto record =
            run_record(options_, plan_, seed_, route_.rows.size(), wall_clock_s() + to_seconds(lead_ns));
        record["realtime"] = realtime;
        output_.begin(record);
        const FlightPlan flights{plan::endpoint_url(plan_.request.api_base, plan_.request.use_chat), headers_,
                                 start_ns};
        Replayer replayer(plan_, route_.rows, flights, seed_, loop_, transport,
                          [&](FinishedWindow&& finished) { recorder.push(std::move(finished)); });
        replayer_ = &replayer;
        net::Timer ticker(loop_, [&] { tick(ticker); });
        ticker.set(start_ns);
        replayer.run(start_ns);
        replayer_ = nullptr;
        loop_.forget(recorder.failure_fd());
        recorder.finish();
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

    void say_what_was_read() const
    {
        const auto rows = route_.rows.size();
        if (route_.bad_rows > 0)
            report_.note("malformed rows skipped: " + std::to_string(route_.bad_rows) +
                         ", the first: " + route_.first_bad);
        if (options_.verbose) {
            report_.note(std::to_string(rows) + " rows, " + std::to_string(route_.left_out) +
                         " outside the sample range, " + std::to_string(route_.other_log_lines) +
                         " log lines without a request");
        }
        if (options_.verbose || plan_.mode == ReplayMode::timestamp)
            report_.note(record::unit_note(route_));
        if (plan_.mode == ReplayMode::timestamp && options_.target_qps)
            report_.note("--target-qps has no effect with --replay-mode timestamp");
        const auto needed = rows_needed(plan_);
        if (needed && rows < *needed) {
            report_.note("the route has " + std::to_string(rows) + " rows, the run needs " +
                         std::to_string(*needed) + ": it will end early, with status 2");
        }
    }

    void settle_with_server()
    {
        const auto stopped = [this] { return stopped_; };
        if (!options_.no_connect_check) {
            net::CurlTransport transport(loop_,
                                         limits(std::min(check_timeout_s, options_.request_timeout_s)));
            check_connection(loop_, transport, plan_.request.api_base, headers_, stopped);
        }
        if (!plan_.probe_min_p || stopped_)
            return;
        net::CurlTransport transport(loop_, limits(std::min(probe_timeout_s, options_.request_timeout_s)));
        const auto refusal = min_p_refusal(loop_, transport, plan_.request, headers_, stopped);
        if (!refusal || stopped_)
            return;
        report_.note("min_p is not sent, the request that tries it failed: " + *refusal);
        plan_.request.send_min_p = false;
        for (auto& row : route_.rows)
            row.text = without_min_p(plan_.request, row.text);
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
        progress.p50_s = output_.last_p50_s();
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
    ReplayOutput output_;
    std::uint64_t seed_;
    net::EventLoop loop_;
    std::optional<io::StopSignal> stop_;
    std::vector<std::string> headers_;
    Replayer* replayer_ = nullptr;
    bool stopped_ = false;
    bool closed_ = false;
};

} // namespace slo::run

#endif
