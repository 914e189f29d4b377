// SPDX-License-Identifier: MIT
// Tells a dead service from a slow one: processes and container first, then patient questions.

#ifndef SLO_RUN_SERVICE_PROBE_HPP
#define SLO_RUN_SERVICE_PROBE_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/record/service_status.hpp>
#include <slo/run/service_client.hpp>
#include <slo/run/service_file.hpp>
#include <slo/run/service_life.hpp>
#include <slo/run/service_wait.hpp>

#include <poll.h>

#include <algorithm>
#include <functional>
#include <string>

namespace slo::run {

/// How patiently a service is asked.
struct ServiceProbeOptions {
    std::string state_file;
    int probes = 3;
    double probe_timeout_s = 20;
    ServiceClientOptions client;

    /// Adds the options to a table of the cli layer, which this layer does not know.
    template <class Table>
    void describe(Table& table)
    {
        table.section("Status");
        table.add("state", state_file, "FILE", "the state file of the service");
        table.add("probes", probes, "COUNT", "requests before it counts as slow");
        table.add("probe-timeout", probe_timeout_s, "SECONDS", "for each of them");
        client.describe(table);
    }
};

/// How the service is: ready when it answers one of the requests, slow when it lives and answers none, else
/// how it ended. A service that has died is never asked, nor one whose API base nobody knows. Throws Error
/// where that cannot be told.
inline record::ServiceStatus probe_service(const ServiceFile& file, const ServiceProbeOptions& options,
                                           const std::function<bool()>& stopped)
{
    if (options.probes < 1 || options.probes > 1000)
        throw UsageError("--probes", "must be between 1 and 1000");
    if (!(options.probe_timeout_s > 0 && options.probe_timeout_s <= 86400))
        throw UsageError("--probe-timeout", "must be above 0 and at most 86400 s");
    auto state = file.read();
    auto life = service_life(file);
    if (!life.alive || life.state == "starting")
        return status_of(file.read(), life);
    if (options.client.api_base.empty() && state.api_base.empty()) {
        auto status = status_of(state, life);
        status.asked = life.frozen; // what is frozen does not answer, wherever that would be
        if (!status.asked)
            status.state = "running";
        return status;
    }
    const auto start_ns = monotonic_ns();
    ServiceClient client(options.client, state.api_base);
    ServiceEndWatch end(file);
    const auto given_up = [&] { return stopped() || end.ended(); };
    ServiceAnswer answer;
    int probes = 0;
    while (probes < options.probes && !answer.ok && !given_up()) {
        // One that is refused at once gets its moment, too.
        const auto until_ns = monotonic_ns() + to_ns(std::min(1.0, options.probe_timeout_s));
        answer = client.ask_models(options.probe_timeout_s, given_up);
        ++probes;
        while (probes < options.probes && !answer.ok && monotonic_ns() < until_ns && !given_up())
            ::poll(nullptr, 0, 20);
    }
    life = service_life(file);
    auto status = status_of(file.read(), life);
    status.probes = probes;
    status.elapsed_s = to_seconds(monotonic_ns() - start_ns);
    status.api_base = client.shown();
    status.model = client.model();
    if (status.alive && answer.ok) {
        status.state = "ready";
        status.ready = true;
    } else if (status.alive) {
        status.detail = status.detail.empty() ? answer.text : status.detail + "; " + answer.text;
    }
    return status;
}

/// What serve-ctl status does; `note` is told where the service runs and nobody knows where to ask it. Throws
/// what the other one throws.
inline record::ServiceStatus probe_service(const ServiceProbeOptions& options,
                                           const std::function<bool()>& stopped,
                                           const std::function<void(const std::string&)>& note)
{
    const auto status = probe_service(ServiceFile(options.state_file), options, stopped);
    if (!status.asked)
        note(
            "it runs; whether it answers is not known: --api-base is missing, and the state file names none");
    return status;
}

} // namespace slo::run

#endif
