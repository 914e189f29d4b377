// SPDX-License-Identifier: MIT
// sloutils.service_status/1: how a service is, at one moment.

#ifndef SLO_RECORD_SERVICE_STATUS_HPP
#define SLO_RECORD_SERVICE_STATUS_HPP

#include <slo/base/json.hpp>
#include <slo/record/service_state.hpp>

#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace slo::record {

/// What wait, status and stop print.
struct ServiceStatus {
    std::string name;
    std::string state; ///< ready, slow, running, dead (how it ended is not known), exited or stopped
    bool alive = false;
    bool ready = false;
    bool asked = true; ///< false: it runs, and there is no API base to ask it at
    std::string api_base;
    std::string model;               ///< as the service names it
    std::optional<double> elapsed_s; ///< how long was waited, or what stopping took
    std::optional<int> probes;       ///< requests that were sent to see whether it answers
    std::optional<ServiceExit> exit;
    int processes = 0;  ///< alive now, also those that a dead service left behind
    std::string detail; ///< the last answer, or what else explains the state

    /// True where nothing is known to be wrong.
    bool well() const noexcept { return alive && (ready || !asked); }
};

/// "exit status 1", "killed by signal 9 (Killed), out of memory": how a service ended, for people.
inline std::string exit_text(const ServiceExit& exit)
{
    std::string text = exit.signal ? "killed by signal " + std::to_string(*exit.signal) + " (" +
                                         ::strsignal(*exit.signal) + ")"
                       : exit.status ? "exit status " + std::to_string(*exit.status)
                                     : std::string("exit status not known");
    if (exit.out_of_memory)
        text += ", out of memory";
    if (!exit.note.empty())
        text += ", " + exit.note;
    return text;
}

inline json::object to_record(const ServiceStatus& s)
{
    json::object record{{"schema", "sloutils.service_status/1"},
                        {"name", json_text(s.name)},
                        {"state", json_text(s.state)},
                        {"alive", s.alive},
                        {"ready", s.asked ? json::value(s.ready) : json::value(nullptr)},
                        {"api_base", text_or_null(s.api_base)},
                        {"model", text_or_null(s.model)},
                        {"elapsed_s", or_null(s.elapsed_s)},
                        {"probes", or_null(s.probes)},
                        {"processes", s.processes},
                        {"exit_status", nullptr},
                        {"signal", nullptr},
                        {"out_of_memory", nullptr},
                        {"detail", text_or_null(s.detail)}};
    if (s.exit) {
        record["exit_status"] = or_null(s.exit->status);
        record["signal"] = or_null(s.exit->signal);
        record["out_of_memory"] = s.exit->out_of_memory;
    }
    return record;
}

} // namespace slo::record

#endif
