// SPDX-License-Identifier: MIT
// Faults on demand, so that clients can be tested against them.

#ifndef SLO_SIM_FAULTS_HPP
#define SLO_SIM_FAULTS_HPP

#include <slo/base/error.hpp>
#include <slo/base/random.hpp>

#include <cstdint>

namespace slo::sim {

/// What shares of the completion requests, drawn by the seed, get which fault.
struct FaultRates {
    double fail = 0; ///< an HTTP error at once
    int fail_status = 500;
    double stall = 0;    ///< no answer, ever
    double truncate = 0; ///< the connection ends in the middle of the answer
    double empty = 0;    ///< an answer without a token
};

/// What befalls one request.
enum class Fault { none, fail, stall, truncate, empty };

/// Draws the fault of each request; one random number a request.
class FaultInjector {
public:
    /// Throws UsageError for rates outside 0…1 or above 1 together, or a status that is not 4xx or 5xx.
    FaultInjector(const FaultRates& rates, std::uint64_t seed) : rates_(rates), random_(seed)
    {
        for (const auto rate : {rates.fail, rates.stall, rates.truncate, rates.empty})
            if (!(rate >= 0 && rate <= 1))
                throw UsageError("fault rates", "each must be from 0 to 1");
        if (rates.fail + rates.stall + rates.truncate + rates.empty > 1)
            throw UsageError("fault rates", "must not be above 1 together");
        if (rates.fail_status < 400 || rates.fail_status > 599)
            throw UsageError("--fail-status", "must be from 400 to 599");
    }

    Fault draw()
    {
        auto drawn = random_.uniform();
        if ((drawn -= rates_.fail) < 0)
            return Fault::fail;
        if ((drawn -= rates_.stall) < 0)
            return Fault::stall;
        if ((drawn -= rates_.truncate) < 0)
            return Fault::truncate;
        if ((drawn -= rates_.empty) < 0)
            return Fault::empty;
        return Fault::none;
    }

    int fail_status() const noexcept { return rates_.fail_status; }

private:
    FaultRates rates_;
    Random random_;
};

} // namespace slo::sim

#endif
