// SPDX-License-Identifier: MIT
// How far a lane of a replay is, for whoever watches it from another thread.

#ifndef SLO_RUN_LANE_COUNTS_HPP
#define SLO_RUN_LANE_COUNTS_HPP

#include <slo/record/request.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace slo::run {

/// Written by one thread, read by any; each figure for itself is right at some moment.
class LaneCounts {
public:
    void set_round(int number) noexcept { round_.store(number, std::memory_order_relaxed); }
    void set_rounds(int count) noexcept { rounds_.store(count, std::memory_order_relaxed); }
    void set_on_wire(std::size_t count) noexcept { on_wire_.store(count, std::memory_order_relaxed); }
    void add_due() noexcept { add_one(due_); }
    void add_ended(record::RequestStatus status) noexcept
    {
        add_one(ended_[static_cast<std::size_t>(status)]);
    }

    int round() const noexcept { return round_.load(std::memory_order_relaxed); }
    /// How many rounds there will be; 0: not known.
    int rounds() const noexcept { return rounds_.load(std::memory_order_relaxed); }
    std::size_t on_wire() const noexcept { return on_wire_.load(std::memory_order_relaxed); }
    std::int64_t due() const noexcept { return due_.load(std::memory_order_relaxed); }
    std::int64_t ended(std::size_t status) const noexcept
    {
        return ended_[status].load(std::memory_order_relaxed);
    }

private:
    // One thread writes: no read-modify-write needs to be atomic.
    static void add_one(std::atomic<std::int64_t>& count) noexcept
    {
        count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    std::atomic<int> round_ = 1;
    std::atomic<int> rounds_ = 0;
    std::atomic<std::size_t> on_wire_ = 0;
    std::atomic<std::int64_t> due_ = 0;
    std::array<std::atomic<std::int64_t>, record::request_status_names.size()> ended_{};
};

} // namespace slo::run

#endif
