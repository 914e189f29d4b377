// SPDX-License-Identifier: MIT
// What a lane of a run is given: its event loop, its part of the whole, and a line to the other lanes.

#ifndef SLO_RUN_LANE_HPP
#define SLO_RUN_LANE_HPP

#include <slo/net/event_loop.hpp>
#include <slo/net/http.hpp>

#include <cstddef>
#include <cstdint>

namespace slo::run {

/// What the lanes of a run have to agree on. Each lane calls it on its own thread.
class LanePeers {
public:
    virtual ~LanePeers() = default;
    /// The lane has drained a round; the next one is due to begin once all have.
    virtual void round_drained() = 0;
    /// The lane wants a row and there is none: every lane is to stop sending.
    virtual void route_ended() = 0;
};

/// One lane of a run: a part of the conversations, on one thread.
struct LaneContext {
    net::EventLoop& loop;
    net::HttpTransport& transport;
    LanePeers& peers;
    std::uint32_t index = 0; ///< from 0
    std::uint32_t lanes = 1;

    /// Of something that all lanes have together, this lane's part.
    std::size_t share_of(std::size_t whole) const noexcept
    {
        return whole / lanes + (index < whole % lanes ? 1 : 0);
    }
};

} // namespace slo::run

#endif
