// SPDX-License-Identifier: MIT
// The options of a server, and running it.

#ifndef SLO_SIM_SERVE_OPTIONS_HPP
#define SLO_SIM_SERVE_OPTIONS_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/io/jsonl.hpp>
#include <slo/io/signals.hpp>
#include <slo/sim/engine_options.hpp>
#include <slo/sim/server.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slo::sim {

/// The keys in a file, one a line. Throws IoError, InputError.
inline std::vector<std::string> read_api_keys(const std::string& path)
{
    std::vector<std::string> keys;
    io::LineReader lines(path);
    while (const auto line = lines.next())
        if (!trim(*line).empty())
            keys.emplace_back(trim(*line));
    if (keys.empty())
        throw InputError(lines.name(), "holds no key");
    return keys;
}

/// What engine-sim serve is told.
struct ServeOptions {
    EngineOptions engine;
    Listen listen;
    FaultRates faults;
    MetricsOptions metrics;
    double ready_after_s = 0;
    std::optional<std::string> port_file;
    std::optional<std::string> api_key_file;

    /// Adds the options to a table of the cli layer, which this layer does not know.
    template <class Table>
    void describe(Table& table)
    {
        table.section("Server");
        table.add("host", listen.host, "HOST", "address to listen on");
        table.add("port", listen.port, "PORT", "port to listen on; 0: one that is free");
        table.add("port-file", port_file, "FILE", "write the port there once listening");
        table.add("ready-after", ready_after_s, "SECONDS", "answer 503 until then");
        table.add("api-key-file", api_key_file, "FILE", "keys that clients must send, one a line");
        engine.describe(table);
        metrics.describe(table);
        table.section("Faults");
        table.add("fail-rate", faults.fail, "SHARE", "requests that get an HTTP error, 0 to 1");
        table.add("fail-status", faults.fail_status, "STATUS", "which error");
        table.add("stall-rate", faults.stall, "SHARE", "requests that never get an answer");
        table.add("truncate-rate", faults.truncate, "SHARE", "answers cut in the middle");
        table.add("empty-rate", faults.empty, "SHARE", "answers without a token");
    }

    /// Listens, tells `announce` one line about it, and serves until SIGINT or SIGTERM. Throws Error.
    template <class Announce>
    void serve(Announce&& announce) const
    {
        if (!(ready_after_s >= 0))
            throw UsageError("--ready-after", "must not be negative");
        ServiceOptions service{engine.resolve(), ready_after_s, engine.seed, faults, {}, metrics};
        if (api_key_file)
            service.api_keys = read_api_keys(*api_key_file);
        const auto name = service.profile.name;
        io::StopSignal signal;
        Server server(listen, std::move(service));
        announce("listening on " + server.url() + " (profile " + printable(name, 64) + ")");
        if (port_file)
            write_port_file(*port_file, server.port());
        server.run(signal);
    }
};

} // namespace slo::sim

#endif
