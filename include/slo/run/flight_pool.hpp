// SPDX-License-Identifier: MIT
// Flights that are used again, so that a request costs no allocation of its own.

#ifndef SLO_RUN_FLIGHT_POOL_HPP
#define SLO_RUN_FLIGHT_POOL_HPP

#include <slo/run/flight.hpp>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace slo::run {

/// Owns flights. One that was given back stays where it is in memory until it is taken again.
class FlightPool {
public:
    /// Both must outlive it.
    FlightPool(FlightOwner& owner, const FlightPlan& plan) : owner_(owner), plan_(plan) {}
    FlightPool(const FlightPool&) = delete;
    FlightPool& operator=(const FlightPool&) = delete;

    /// A flight that nobody uses. begin() makes it that of a request.
    Flight& take()
    {
        if (idle_.empty()) {
            all_.push_back(std::make_unique<Flight>(owner_, plan_));
            idle_.push_back(all_.back().get());
        }
        auto& flight = *idle_.back();
        idle_.pop_back();
        flight.place = used_.size();
        used_.push_back(&flight);
        return flight;
    }

    /// The flight has ended and handed its record on.
    void give_back(Flight& flight)
    {
        used_.back()->place = flight.place;
        used_[flight.place] = used_.back();
        used_.pop_back();
        idle_.push_back(&flight);
    }

    /// All that were taken and not given back, in no particular order; they count as given back, but stay as
    /// they are until the next take().
    std::vector<Flight*> take_back_all()
    {
        idle_.insert(idle_.end(), used_.begin(), used_.end());
        return std::exchange(used_, {});
    }

    std::size_t in_use() const noexcept { return used_.size(); }

private:
    FlightOwner& owner_;
    const FlightPlan& plan_;
    std::vector<std::unique_ptr<Flight>> all_;
    std::vector<Flight*> idle_;
    std::vector<Flight*> used_;
};

} // namespace slo::run

#endif
