// SPDX-License-Identifier: MIT
// What an event loop hands on of a run: requests as they end, windows as they are over.

#ifndef SLO_RUN_RUN_SINK_HPP
#define SLO_RUN_RUN_SINK_HPP

#include <slo/record/request.hpp>
#include <slo/record/round_window.hpp>
#include <slo/run/client_monitor.hpp>

#include <vector>

namespace slo::run {

/// A window as one event loop has seen it: all requests that it sent for it have ended and were handed on
/// before.
struct LaneWindow {
    record::RoundWindow window; ///< `wire_dispatched` and `completed` are this loop's
    ClientWindow client;
};

/// Who takes them.
class RunSink {
public:
    virtual ~RunSink() = default;
    /// Requests that have ended; `round` is the window in which each was due.
    virtual void requests(std::vector<record::Request>&& batch) = 0;
    /// A window is over. The windows of one loop come in order.
    virtual void window(LaneWindow&& window) = 0;
    /// Nothing comes any more.
    virtual void end() = 0;
};

} // namespace slo::run

#endif
