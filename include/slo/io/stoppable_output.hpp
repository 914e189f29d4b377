// SPDX-License-Identifier: MIT
// Output that does not outlive a request to end because its reader has stopped reading.

#ifndef SLO_IO_STOPPABLE_OUTPUT_HPP
#define SLO_IO_STOPPABLE_OUTPUT_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/io/jsonl.hpp>
#include <slo/io/signals.hpp>

#include <limits.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string_view>

namespace slo::io {

/// Writes records while StopSignal holds back the signals that would end a blocked write. Once one came, the
/// reader has `grace_s` seconds to take each record; then the output is given up, and all that follows is
/// dropped.
class StoppableOutput {
public:
    /// Both `out` and `stop` must outlive it.
    StoppableOutput(JsonlWriter& out, const StopSignal& stop, double grace_s = 1)
        : out_(out), stop_(stop), grace_s_(grace_s)
    {
    }

    /// Writes one line. Throws ClosedPipe or IoError.
    void write(const json::object& record)
    {
        const auto line = to_json(record) + '\n';
        deadline_ns_.reset();
        // A pipe that is ready takes so much without blocking.
        for (std::string_view rest = line; !rest.empty() && wait_until_ready();) {
            const auto part = rest.substr(0, PIPE_BUF);
            out_.write_text(part);
            rest.remove_prefix(part.size());
        }
    }

    /// True when the reader took not all that was written for it.
    bool given_up() const noexcept { return given_up_; }

private:
    bool wait_until_ready()
    {
        while (!given_up_) {
            if (stop_.seen() && !deadline_ns_)
                deadline_ns_ = monotonic_ns() + to_ns(grace_s_);
            // The signal itself is left for those who act on it.
            pollfd events[2] = {{out_.fd(), POLLOUT, 0}, {deadline_ns_ ? -1 : stop_.fd(), POLLIN, 0}};
            const auto ready = ::poll(events, 2, left_ms());
            if (ready < 0 && errno != EINTR)
                throw IoError("poll", errno);
            if (ready > 0 && events[0].revents != 0)
                return true;
            if (ready > 0)
                deadline_ns_ = monotonic_ns() + to_ns(grace_s_);
            given_up_ = ready == 0;
        }
        return false;
    }

    int left_ms() const
    {
        if (!deadline_ns_)
            return -1;
        return static_cast<int>(
            std::clamp<std::int64_t>((*deadline_ns_ - monotonic_ns()) / 1'000'000 + 1, 0, 60'000));
    }

    JsonlWriter& out_;
    const StopSignal& stop_;
    double grace_s_;
    std::optional<std::int64_t> deadline_ns_;
    bool given_up_ = false;
};

} // namespace slo::io

#endif
