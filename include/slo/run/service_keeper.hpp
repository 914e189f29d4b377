// SPDX-License-Identifier: MIT
// Looks after a service while it is probed: tells how it fared under load, and starts it again.

#ifndef SLO_RUN_SERVICE_KEEPER_HPP
#define SLO_RUN_SERVICE_KEEPER_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/io/signals.hpp>
#include <slo/record/service_state.hpp>
#include <slo/record/service_status.hpp>
#include <slo/run/search_options.hpp>
#include <slo/run/search_run.hpp>
#include <slo/run/service_file.hpp>
#include <slo/run/service_life.hpp>
#include <slo/run/service_log.hpp>
#include <slo/run/service_probe.hpp>
#include <slo/run/service_stop.hpp>
#include <slo/run/service_wait.hpp>
#include <slo/run/shell_command.hpp>

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slo::run {

/// How a service came out of a probe.
struct Aftermath {
    enum class State { unharmed, frozen, stopped, died } state = State::unharmed; ///< stopped: on request
    std::string text;                  ///< how it ended, for people
    std::vector<std::string> log_tail; ///< where it ended
    std::optional<record::ServiceExit> exit;
    bool runs_again = false; ///< another has started it meanwhile
};

/// Looks after the service of a state file. Its process or container decides whether it lives, never an
/// answer that is late.
class ServiceKeeper {
public:
    static constexpr std::size_t log_lines = 20;
    static constexpr int most_relaunches_in_a_row = 3;

    struct Told {
        std::function<void(const std::string&)> note;     ///< one line for people
        std::function<void(const std::string&)> progress; ///< what is waited for, often
        std::function<void(const std::string& what, const std::string& text)> event;
    };

    /// Throws what ServiceFile and ServiceClient throw for options that make no sense.
    ServiceKeeper(KeeperOptions options, io::StopSignal& stop, Told told)
        : options_(std::move(options)), file_(options_.state_file), stop_(stop), told_(std::move(told))
    {
        const auto state =
            options_.relaunch.empty() ? file_.read() : file_.read_if_there().value_or(record::ServiceState{});
        if (asks(state))
            ServiceClient(options_.client, state.api_base);
    }

    std::size_t relaunches() const noexcept { return relaunches_; }

    /// True where one that has ended is started again.
    bool starts_again() const noexcept { return !options_.relaunch.empty(); }

    /// Before a probe: waits until the service answers, starting it again where it has died. Nothing: it is
    /// ready. Throws what the parts throw.
    std::optional<SearchStop> make_ready()
    {
        std::string failure;
        for (int relaunched = 0;;) {
            const auto known = file_.read_if_there();
            const auto state = known.value_or(record::ServiceState{});
            const auto life = known ? look() : not_started();
            if (life.alive) {
                auto status = wait_for_answer(state);
                if (stop_.requested())
                    return SearchStop{"interrupted", {}, {}};
                if (status.ready) {
                    start_ = start_of(file_.read());
                    frozen_ = asked_to_end_ = false;
                    return std::nullopt;
                }
                if (status.alive)
                    return SearchStop{"service_not_answering", options_.state_file + ": " + status.detail,
                                      log_tail_lines(file_.read(), log_lines)};
                continue;
            }
            const auto text = end_text(life);
            if (options_.relaunch.empty()) {
                const bool on_request = start_of(state) == start_ && ended_by_request(state, life.exit);
                return SearchStop{on_request ? "service_stopped" : "service_died",
                                  "the service does not run: " + text, log_tail_lines(state, log_lines)};
            }
            if (relaunched == most_relaunches_in_a_row)
                return SearchStop{"relaunch_failed",
                                  "the service did not come up again, the last time: " +
                                      (failure.empty() ? text : failure),
                                  log_tail_lines(state, log_lines)};
            if (relaunched > 0 && !pause(relaunched))
                return SearchStop{"interrupted", {}, {}};
            failure = relaunch(life, text);
            ++relaunched;
            if (stop_.requested())
                return SearchStop{"interrupted", {}, {}};
        }
    }

    /// While a probe runs, about once a second: true when the service that it loads is gone. Freezes are
    /// remembered, and that it was asked to end: another start overwrites it.
    bool gone()
    {
        const auto now_ns = monotonic_ns();
        try {
            const auto state = file_.read();
            if (start_of(state) != start_)
                return true;
            asked_to_end_ = asked_to_end_ || !state.stop_requested_at.empty();
            if (now_ns < next_look_ns_)
                return false;
            next_look_ns_ = now_ns + (state.kind == "docker" ? ask_every_ns : 0);
            const auto life = service_life(state);
            frozen_ = frozen_ || life.frozen;
            return !life.alive;
        } catch (const Error&) {
            return false; // who cannot be asked is asked again afterwards
        }
    }

    /// After a probe; `verdict` is whether there was one. Without one, a service that lives is asked, so that
    /// one that is just dying is not taken for alive.
    Aftermath look_after(bool verdict)
    {
        Aftermath after;
        auto life = look();
        auto state = file_.read();
        if (life.alive && start_of(state) == start_ && !verdict && asks(state)) {
            probe_service(file_, questions(), [&] { return stop_.requested(); });
            life = look();
            state = file_.read();
        }
        // What was killed a moment ago takes a while to be gone.
        const auto settled_ns = monotonic_ns() + to_ns(verdict ? 0.05 : 2);
        while (life.alive && start_of(state) == start_ && monotonic_ns() < settled_ns && pause(0.02)) {
            life = look();
            state = file_.read();
        }
        after.exit = life.exit;
        if (start_of(state) != start_) {
            asked_to_end_ = asked_to_end_ || ended_by_request_before(state, start_);
            after.state = Aftermath::State::died;
            after.text = "it was started anew by another meanwhile";
            after.runs_again = life.alive;
            after.exit.reset();
        } else if (!life.alive) {
            asked_to_end_ = asked_to_end_ || ended_by_request(state, life.exit);
            after.state = Aftermath::State::died;
            after.text = end_text(life);
        } else if (frozen_ || life.frozen) {
            after.state = Aftermath::State::frozen;
            after.text = state.kind == "docker" ? "the container was paused" : "it was stopped by a signal";
        }
        if (after.state == Aftermath::State::died) {
            after.log_tail = log_tail_lines(state, log_lines);
            if (asked_to_end_)
                after.state = Aftermath::State::stopped;
        }
        frozen_ = asked_to_end_ = false;
        return after;
    }

private:
    static constexpr std::int64_t ask_every_ns = 5'000'000'000;

    static ServiceLife not_started()
    {
        ServiceLife life;
        life.why = "it was not started yet";
        return life;
    }

    // Without an address it is only looked at.
    bool asks(const record::ServiceState& state) const
    {
        return !options_.client.api_base.empty() || !state.api_base.empty();
    }

    static std::string end_text(const ServiceLife& life)
    {
        return life.exit ? record::exit_text(*life.exit) : life.why.empty() ? life.state : life.why;
    }

    // An engine of containers that does not answer is asked again for a while.
    ServiceLife look()
    {
        constexpr int most_tries = 10;
        for (int tries = 1;; ++tries) {
            try {
                return service_life(file_);
            } catch (const Error&) {
                if (tries == most_tries || file_.read().kind != "docker" || !pause(2))
                    throw;
            }
        }
    }

    bool pause(double seconds)
    {
        pollfd event{stop_.fd(), POLLIN, 0};
        ::poll(&event, 1, static_cast<int>(seconds * 1000));
        return !stop_.requested();
    }

    ServiceProbeOptions questions() const
    {
        ServiceProbeOptions options;
        options.probes = options_.probes;
        options.probe_timeout_s = options_.timeout_s;
        options.client = options_.client;
        return options;
    }

    // One that was started since may still be loading; one that answered before gets its patience.
    record::ServiceStatus wait_for_answer(const record::ServiceState& state)
    {
        if (!asks(state))
            return wait_until_started();
        const auto stopped = [&] { return stop_.requested(); };
        if (state.state != "starting" && start_of(state) == start_)
            return probe_service(file_, questions(), stopped);
        ServiceWaitOptions options;
        options.timeout_s = relaunch_timeout_s();
        options.client = options_.client;
        return wait_for_service(file_, options, stopped, told_.progress);
    }

    // All that can be waited for where there is no address.
    record::ServiceStatus wait_until_started()
    {
        const auto end_ns = monotonic_ns() + to_ns(relaunch_timeout_s());
        auto life = look();
        while (life.state == "starting" && monotonic_ns() < end_ns && pause(0.1))
            life = look();
        auto status = status_of(file_.read(), life);
        status.ready = life.alive && life.state != "starting";
        return status;
    }

    double relaunch_timeout_s() const
    {
        return options_.relaunch_timeout_s.value_or(options_.offload ? 900 : 600);
    }

    // Says what went wrong. Whether the service lives now is not for the command to say.
    std::string relaunch(const ServiceLife& life, const std::string& text)
    {
        told_.note("the service does not run (" + text + "): it is started");
        if (!life.members.empty())
            stop_service(file_, leftover_grace_s);
        ++relaunches_;
        told_.event("relaunched", text);
        told_.progress("the service is started again");
        auto failure = run_shell_command(options_.relaunch, {{"SLO_SERVICE", file_.path()}},
                                         relaunch_timeout_s(), stop_);
        if (!failure.empty() && !stop_.requested())
            told_.note("--relaunch " + failure);
        return failure.empty() ? failure : "the command " + failure;
    }

    static constexpr double leftover_grace_s = 30;

    KeeperOptions options_;
    ServiceFile file_;
    io::StopSignal& stop_;
    Told told_;
    std::string start_; ///< of which the last make_ready() knew
    bool frozen_ = false;
    bool asked_to_end_ = false;
    std::int64_t next_look_ns_ = 0;
    std::size_t relaunches_ = 0;
};

} // namespace slo::run

#endif
