// SPDX-License-Identifier: MIT
// What the hosts did between two scrapes of a node exporter: processors and memory.

#ifndef SLO_PLAN_HOST_ACTIVITY_HPP
#define SLO_PLAN_HOST_ACTIVITY_HPP

#include <slo/base/json.hpp>
#include <slo/record/snapshot.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace slo::plan {

/// The `host` member of a record, by the label `instance` ("" where there is none): the busy and the waiting
/// share of the processors over the window in percent (all time but idle and iowait, and iowait; null when a
/// counter fell or none moved), the least available memory and the largest load of the two scrapes. Empty
/// when neither scrape is of a node exporter. Names as node_exporter has them.
class HostActivity {
public:
    static constexpr std::size_t max_hosts = 1024;

    HostActivity(const record::Snapshot& before, const record::Snapshot& after)
    {
        take(before, -1);
        take(after, 1);
    }

    json::object to_json_object() const
    {
        json::object record;
        for (const auto& [name, host] : hosts_)
            record[name] = figures_of(host);
        return record;
    }

private:
    struct Host {
        std::map<std::string, double> cpu_s; ///< processor and mode → seconds in the window
        std::optional<double> available_bytes, total_bytes, load;
    };

    // A host of which nothing else is known has no entry.
    static bool is_read(std::string_view name)
    {
        return name == "node_cpu_seconds_total" || name == "node_memory_MemAvailable_bytes" ||
               name == "node_memory_MemTotal_bytes" || name == "node_load1";
    }

    void take(const record::Snapshot& snapshot, double sign)
    {
        for (const auto& series : snapshot.series) {
            if (!is_read(series.name) || !std::isfinite(series.value))
                continue;
            const auto instance = series.label_text("instance");
            if (hosts_.size() >= max_hosts && !hosts_.contains(instance))
                continue;
            auto& host = hosts_[instance];
            const double value = series.value;
            if (series.name == "node_cpu_seconds_total")
                host.cpu_s[series.label_text("cpu") + " " + series.label_text("mode")] += sign * value;
            else if (series.name == "node_memory_MemAvailable_bytes")
                host.available_bytes = std::min(host.available_bytes.value_or(value), value);
            else if (series.name == "node_memory_MemTotal_bytes")
                host.total_bytes = std::max(host.total_bytes.value_or(value), value);
            else if (series.name == "node_load1")
                host.load = std::max(host.load.value_or(value), value);
        }
    }

    static json::object figures_of(const Host& host)
    {
        double idle_s = 0, waiting_s = 0, all_s = 0;
        bool fell = false;
        for (const auto& [cpu_and_mode, seconds] : host.cpu_s) {
            fell = fell || seconds < 0;
            all_s += seconds;
            if (cpu_and_mode.ends_with(" idle"))
                idle_s += seconds;
            else if (cpu_and_mode.ends_with(" iowait"))
                waiting_s += seconds;
        }
        const bool known = !fell && all_s > 0;
        const auto percent = [&](double seconds) {
            return known ? json::value(100 * seconds / all_s) : json::value(nullptr);
        };
        const auto mebibytes = [](std::optional<double> bytes) {
            return bytes ? json::value(*bytes / (1 << 20)) : json::value(nullptr);
        };
        return {{"cpu_busy_pct", percent(all_s - idle_s - waiting_s)},
                {"cpu_iowait_pct", percent(waiting_s)},
                {"memory_available_min_mib", mebibytes(host.available_bytes)},
                {"memory_total_mib", mebibytes(host.total_bytes)},
                {"load1_max", or_null(host.load)}};
    }

    std::map<std::string, Host> hosts_;
};

} // namespace slo::plan

#endif
