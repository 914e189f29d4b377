// SPDX-License-Identifier: MIT
// Waits until a service is ready, or until it is clear that it will not be.

#ifndef SLO_RUN_SERVICE_WAIT_HPP
#define SLO_RUN_SERVICE_WAIT_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/record/service_state.hpp>
#include <slo/record/service_status.hpp>
#include <slo/run/service_client.hpp>
#include <slo/run/service_file.hpp>
#include <slo/run/service_life.hpp>
#include <slo/run/service_log.hpp>

#include <poll.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace slo::run {

/// How long to wait, and for what.
struct ServiceWaitOptions {
    std::string state_file;
    std::optional<double> timeout_s; ///< default 600, with offload 900
    bool offload = false;
    std::size_t tail = 20; ///< lines of the log to show when the service dies
    std::string progress = "auto";
    bool quiet = false;
    ServiceClientOptions client;

    /// Adds the options to a table of the cli layer, which this layer does not know.
    template <class Table>
    void describe(Table& table)
    {
        table.section("Waiting");
        table.add("state", state_file, "FILE", "the state file of the service");
        table.add("timeout", timeout_s, "SECONDS", "give up after this time (600)");
        table.flag("offload", offload, "KV cache offload is on, which takes long to allocate: 900 seconds");
        table.add("model", client.model, "NAME", "the model to ask (the first it names)");
        table.add("tail", tail, "COUNT", "lines of the log to show when it dies");
        client.describe(table);
        table.section("Output");
        table.add("progress", progress, "HOW", "auto, bar, plain or none");
        table.flag("quiet,q", quiet, "no progress and no log on stderr");
    }
};

/// Says now and then whether a service has ended. The supervisor writes that into the file; a container
/// engine, which takes a while to answer, is asked seldom.
class ServiceEndWatch {
public:
    explicit ServiceEndWatch(const ServiceFile& file) : file_(file) {}

    /// True once it has ended, and ever after.
    bool ended()
    {
        const auto now_ns = monotonic_ns();
        if (ended_ || now_ns < next_look_ns_)
            return ended_;
        next_look_ns_ = now_ns + look_every_ns;
        const auto state = file_.read();
        ended_ = state.exit.has_value();
        if (!ended_ && (state.kind != "docker" || now_ns >= next_question_ns_)) {
            ended_ = !lives(state);
            next_question_ns_ = now_ns + ask_every_ns;
        }
        return ended_;
    }

private:
    static constexpr std::int64_t look_every_ns = 200'000'000;
    static constexpr std::int64_t ask_every_ns = 5'000'000'000;

    static bool lives(const record::ServiceState& state)
    {
        try {
            return service_life(state).alive;
        } catch (const Error&) {
            // An engine that does not answer says nothing about the container.
            if (state.kind != "docker")
                throw;
            return true;
        }
    }

    const ServiceFile& file_;
    std::int64_t next_look_ns_ = 0;
    std::int64_t next_question_ns_ = 0;
    bool ended_ = false;
};

/// The part of a status that needs no request.
inline record::ServiceStatus status_of(const record::ServiceState& state, const ServiceLife& life)
{
    record::ServiceStatus status;
    status.name = state.name;
    status.alive = life.alive;
    status.state = life.alive ? "slow" : life.state == "failed" ? "dead" : life.state;
    status.exit = life.exit;
    status.processes = static_cast<int>(life.members.size());
    status.api_base = state.api_base;
    status.detail = life.why;
    if (!life.alive && life.exit && life.state != "failed")
        status.detail = record::exit_text(*life.exit);
    if (life.state == "failed")
        status.detail = "could not be started" + (life.exit ? ": " + life.exit->note : "");
    if (!life.unsure.empty())
        status.detail += ", processes in a session of its number: " + std::to_string(life.unsure.size());
    if (life.frozen)
        status.detail = state.kind == "docker" ? "the container is paused" : "stopped by a signal";
    return status;
}

/// Waits until the service answers /models and gives one token. The status has state ready; or exited,
/// stopped or dead; or slow, when the time was up or `stopped` became true. Throws Error where waiting is no
/// use: another key is wanted, no API base is known. `progress` is told where things stand, often.
inline record::ServiceStatus wait_for_service(const ServiceFile& file, const ServiceWaitOptions& options,
                                              const std::function<bool()>& stopped,
                                              const std::function<void(const std::string&)>& progress)
{
    const double timeout_s = options.timeout_s.value_or(options.offload ? 900 : 600);
    if (!(timeout_s > 0 && timeout_s <= 1e7))
        throw UsageError("--timeout", "must be above 0");
    if (const auto life = service_life(file); !life.alive)
        return status_of(file.read(), life);
    constexpr double models_timeout_s = 30;
    constexpr double longest_pause_s = 2;
    ServiceClient client(options.client, file.read().api_base);
    ServiceEndWatch end(file);
    const auto start_ns = monotonic_ns();
    std::string last = "no answer yet";
    int probes = 0;
    const auto elapsed_s = [&] { return to_seconds(monotonic_ns() - start_ns); };
    const auto given_up = [&] {
        progress(format_fixed(elapsed_s(), 0) + " of " + format_fixed(timeout_s, timeout_s < 10 ? 1 : 0) +
                 " s: " + last);
        return stopped() || end.ended();
    };
    const auto status = [&] {
        const auto state = file.read();
        auto now = status_of(state, service_life(file));
        now.elapsed_s = elapsed_s();
        now.probes = probes;
        now.api_base = client.shown();
        now.model = client.model();
        return now;
    };
    for (double pause_s = 0.1; elapsed_s() < timeout_s && !given_up();
         pause_s = std::min(pause_s * 1.5, longest_pause_s)) {
        ++probes;
        auto answer = client.ask_models(std::min(models_timeout_s, timeout_s - elapsed_s()), given_up);
        // The first answer may wait for kernels to be compiled: it has all the time there is.
        if (answer.ok && !given_up()) {
            last = "lists its models, first answer awaited";
            ++probes;
            answer = client.ask_token(std::max(0.001, timeout_s - elapsed_s()), given_up);
            if (answer.ok) {
                auto ready = status();
                ready.ready = ready.alive;
                ready.state = ready.alive ? "ready" : ready.state;
                return ready;
            }
        }
        last = answer.text;
        const auto until_s = std::min(elapsed_s() + pause_s, timeout_s);
        while (elapsed_s() < until_s && !given_up())
            ::poll(nullptr, 0, 20);
    }
    auto now = status();
    if (now.alive)
        now.detail = (now.detail.empty() ? "" : now.detail + "; ") + "last answer: " + last;
    return now;
}

/// The end of a wait for people, too.
struct ServiceWaitEnd {
    record::ServiceStatus status;
    std::vector<std::string> log_tail; ///< printable; empty where the service lives or none is wanted

    /// Tells people the last lines of its log.
    void show_log_tail(const std::function<void(const std::string&)>& note) const
    {
        for (const auto& line : log_tail)
            note("| " + line);
    }
};

/// What serve-ctl wait does. Throws what wait_for_service() throws.
inline ServiceWaitEnd wait_for_service(const ServiceWaitOptions& options,
                                       const std::function<bool()>& stopped,
                                       const std::function<void(const std::string&)>& progress)
{
    const ServiceFile file(options.state_file);
    ServiceWaitEnd end{wait_for_service(file, options, stopped, progress), {}};
    if (!end.status.alive && !options.quiet)
        end.log_tail = log_tail_lines(file.read(), options.tail);
    return end;
}

} // namespace slo::run

#endif
