// SPDX-License-Identifier: MIT
// The small process that stays with a service, waits for its end and writes down how it came.

#ifndef SLO_RUN_SERVICE_SUPERVISOR_HPP
#define SLO_RUN_SERVICE_SUPERVISOR_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/record/service_state.hpp>
#include <slo/run/container.hpp>
#include <slo/run/service_file.hpp>
#include <slo/run/service_life.hpp>
#include <slo/run/service_log.hpp>
#include <slo/sys/capture.hpp>
#include <slo/sys/memory_kills.hpp>
#include <slo/sys/process_id.hpp>
#include <slo/sys/spawn.hpp>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace slo::run {

/// What is to be started and watched.
struct SupervisedService {
    ServiceFile file;
    sys::Command command;
    std::string folder; ///< absolute
    bool container = false;
    std::optional<record::ServiceContainer> leftover; ///< of the start before; to be removed
};

/// Starts a service, keeps with it and ends when nothing of it is left. It leads a session of its own, apart
/// from that of the service, so that nothing that is sent to either reaches it; orphans of the service become
/// its children, so that none gets out of sight.
class ServiceSupervisor {
public:
    /// `log` is where the service writes.
    ServiceSupervisor(SupervisedService service, int log) : service_(std::move(service)), log_(log)
    {
        ::prctl(PR_SET_CHILD_SUBREAPER, 1);
        kills_before_ = sys::memory_kills();
    }

    /// Calls `answer` with what went wrong, or with an empty text once the service is started, and returns at
    /// the end of the service. Throws IoError where the state cannot be written, and Error.
    void run(const std::function<void(const std::string&)>& answer)
    {
        try {
            const auto state = service_.file.read();
            id_ = state.id;
            service_.command.environment.emplace_back(service_variable, state.id);
            service_.container ? start_container(*state.container) : start_process();
        } catch (const Error& error) {
            service_.file.update([&](record::ServiceState& state) {
                state.state = "failed";
                state.exit = record::ServiceExit{{}, {}, false, iso8601_utc(wall_clock_s()), error.what()};
            });
            return answer(error.what());
        }
        answer("");
        service_.container ? watch_container() : watch_process();
    }

private:
    static constexpr double forever_s = 1e8;

    void start_process()
    {
        const auto pid = sys::spawn(service_.command, {service_.folder, log_, log_, true});
        // Until we wait for it, its entry stays, even when it has ended already.
        const auto found = sys::find_process(pid);
        if (!found)
            throw Error("/proc", "does not show the service");
        process_ = found->id;
        try {
            service_.file.update([&](record::ServiceState& state) {
                state.process = record::ServiceProcess{pid, process_.start_ticks, pid};
                state.state = "running";
            });
        } catch (const Error&) {
            ::kill(-pid, SIGKILL); // nobody would know of it
            throw;
        }
    }

    void watch_process()
    {
        for (;;) {
            int status = 0;
            const auto pid = ::waitpid(-1, &status, 0);
            if (pid < 0 && errno != EINTR)
                return; // no children any more
            if (pid == process_.pid)
                record_end(end_of_process(status));
        }
    }

    record::ServiceExit end_of_process(int status) const
    {
        record::ServiceExit end;
        end.at = iso8601_utc(wall_clock_s());
        if (!WIFSIGNALED(status)) {
            end.status = WEXITSTATUS(status);
            return end;
        }
        end.signal = WTERMSIG(status);
        if (*end.signal == SIGKILL) {
            const auto kills = sys::memory_kills();
            const bool counted = kills && kills_before_ && *kills > *kills_before_;
            end.out_of_memory = counted || sys::kernel_log_tells_of_memory_kill(process_);
        }
        return end;
    }

    void start_container(const record::ServiceContainer& container)
    {
        if (service_.leftover) {
            try {
                remove_container(*service_.leftover);
            } catch (const Error& error) {
                say(error.what());
            }
        }
        const auto captured = sys::capture(service_.command, forever_s, log_);
        const auto id = std::string(detail::last_line(captured.output));
        const auto name = printable(service_.command.argv.front()) + " run";
        const bool is_id = id.size() >= 12 && id.find_first_not_of("0123456789abcdef") == std::string::npos &&
                           id.size() <= 64;
        if (captured.status != 0) {
            const auto words = words_of_engine("ended with status " + std::to_string(captured.status));
            if (is_id)
                remove_unstarted({container.engine, container.name, id, false});
            throw Error(name, words + advice(container, words));
        }
        if (!is_id)
            throw Error(name, "did not say the id of the container");
        container_ = container;
        container_.id = id;
        try {
            service_.file.update([&](record::ServiceState& now) {
                now.container->id = id;
                now.state = "running";
            });
        } catch (const Error&) {
            stop_container(container_, 0);
            throw;
        }
    }

    // One that was made and could not be started has the name, which the next start wants.
    void remove_unstarted(const record::ServiceContainer& container) const
    {
        try {
            remove_container(container);
        } catch (const Error& error) {
            say(error.what());
        }
    }

    // What to do about a container of that name that was not started here.
    static std::string advice(const record::ServiceContainer& container, const std::string& words)
    {
        const auto lower = lower_case(words);
        const bool taken = lower.find("container name") != std::string::npos &&
                           lower.find("already in use") != std::string::npos;
        return taken ? " (it was not started with this state file, so it stays: take another --name, or, if "
                       "nobody needs it, '" +
                           printable(container.engine.front()) + " rm " + printable(container.name) + "')"
                     : "";
    }

    // The line in the log that tells why, not the hint that engines put behind it.
    std::string words_of_engine(const std::string& otherwise) const
    {
        const auto lines = log_tail_lines(service_.file.read(), 20);
        for (auto line = lines.rbegin(); line != lines.rend(); ++line)
            if (line->starts_with("docker: ") || line->starts_with("Error") || line->starts_with("unknown"))
                return *line;
        return lines.empty() || lines.back().empty() ? otherwise : lines.back();
    }

    // The engine's follower of the log ends when the container does, or the engine.
    void watch_container()
    {
        std::string since;
        for (;;) {
            follow_log(since);
            since = iso8601_utc(wall_clock_s());
            try {
                const auto container = find_container(container_);
                if (!container || !container->running)
                    return record_end(end_of_container(container));
            } catch (const Error& error) {
                say(error.what()); // the engine is being started anew
            }
            ::poll(nullptr, 0, 1000);
        }
    }

    void follow_log(const std::string& since) const
    {
        auto argv = engine_command(container_, {"logs", "-f"});
        if (!since.empty())
            argv.insert(argv.end(), {"--since", since});
        argv.push_back(container_.id);
        const auto pid = sys::spawn({argv, {}}, {{}, log_, log_, true});
        while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
        }
    }

    static record::ServiceExit end_of_container(const std::optional<wire::ContainerState>& container)
    {
        record::ServiceExit end;
        end.at = iso8601_utc(wall_clock_s());
        if (container) {
            end.status = container->exit_code;
            end.out_of_memory = container->out_of_memory;
            end.note = container->error;
        } else {
            end.note = "the container is gone";
        }
        return end;
    }

    // A disk may be full for a while, and nobody else knows how it ended.
    void record_end(const record::ServiceExit& end) const
    {
        constexpr int tries = 60;
        for (int i = 0; i < tries; ++i) {
            try {
                service_.file.update([&](record::ServiceState& state) {
                    if (state.id != id_)
                        return; // another start has taken its place by now
                    state.exit = end;
                    state.state = state.stop_requested_at.empty() ? "exited" : "stopped";
                });
                return;
            } catch (const IoError& error) {
                if (error.error_number() == ENOENT)
                    return; // nobody wants to know any more
                say(error.what());
            }
            ::poll(nullptr, 0, 5000);
        }
    }

    void say(const std::string& text) const { ::dprintf(log_, "serve-ctl: %s\n", text.c_str()); }

    SupervisedService service_;
    int log_;
    std::string id_; ///< of the start
    sys::ProcessId process_;
    record::ServiceContainer container_;
    std::optional<std::uint64_t> kills_before_;
};

} // namespace slo::run

#endif
