// SPDX-License-Identifier: MIT
// Watches the rounds of a run as they are written, and says when it has gone astray.

#ifndef SLO_RUN_RUNAWAY_WATCH_HPP
#define SLO_RUN_RUNAWAY_WATCH_HPP

#include <slo/plan/runaway.hpp>
#include <slo/record/request.hpp>
#include <slo/record/window_totals.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slo::run {

/// Used on the recorder's thread.
class RunawayWatch {
public:
    /// `alarm` is called once, with the reason.
    RunawayWatch(std::optional<double> e2e_slo_s, std::function<void(const std::string&)> alarm)
        : detector_(e2e_slo_s), alarm_(std::move(alarm))
    {
    }

    void ended(const std::vector<record::Request>& batch)
    {
        const auto timeouts = std::count_if(batch.begin(), batch.end(), [](const record::Request& request) {
            return request.error_kind == record::ErrorKind::timeout;
        });
        if (timeouts > 0)
            detector_.timed_out(timeouts);
        tell();
    }

    void finished(const record::WindowTotals& totals)
    {
        const auto latency = totals.latency_s.summary();
        detector_.finished({totals.due, totals.count(record::RequestStatus::ok),
                            latency ? std::optional(latency->p50) : std::nullopt});
        tell();
    }

private:
    void tell()
    {
        if (detector_.reason() && !std::exchange(told_, true))
            alarm_(*detector_.reason());
    }

    plan::RunawayDetector detector_;
    std::function<void(const std::string&)> alarm_;
    bool told_ = false;
};

} // namespace slo::run

#endif
