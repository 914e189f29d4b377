// SPDX-License-Identifier: MIT
// Shows the log of a service, and goes on showing it while the service lives.

#ifndef SLO_RUN_SERVICE_LOGS_HPP
#define SLO_RUN_SERVICE_LOGS_HPP

#include <slo/base/error.hpp>
#include <slo/run/service_file.hpp>
#include <slo/run/service_log.hpp>
#include <slo/run/service_wait.hpp>

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace slo::run {

/// What of a log is shown.
struct ServiceLogsOptions {
    std::string state_file;
    bool follow = false;
    std::size_t tail = 20;

    /// Adds the options to a table of the cli layer, which this layer does not know.
    template <class Table>
    void describe(Table& table)
    {
        table.section("Log");
        table.add("state", state_file, "FILE", "the state file of the service");
        table.flag("follow,f", follow, "go on until the service ends");
        table.add("tail", tail, "COUNT", "begin with so many of the last lines");
    }
};

/// Hands the last lines of the log to `write`, as they are, and with `follow` all that is added until the
/// service has ended or `stop_fd` is readable. Throws IoError.
inline void show_log(const ServiceLogsOptions& options, int stop_fd,
                     const std::function<void(std::string_view)>& write)
{
    constexpr std::size_t block = 65536;
    const ServiceFile file(options.state_file);
    const LogReader log(file.read().log);
    auto offset = log.tail_offset(options.tail, 0);
    ServiceEndWatch end(file);
    for (bool last = !options.follow;;) {
        for (auto text = log.read(offset, block); !text.empty(); text = log.read(offset, block)) {
            write(text);
            offset += text.size();
        }
        if (last)
            return;
        if (log.size() < offset)
            offset = 0; // emptied, as rotation of logs does
        // What it wrote last may come between our reading and its end.
        last = end.ended();
        pollfd stop{stop_fd, POLLIN, 0};
        if (!last && ::poll(&stop, 1, 100) > 0)
            return;
    }
}

} // namespace slo::run

#endif
