// SPDX-License-Identifier: MIT
// By which law requests arrive: the processes a load can follow, and the random ones of them drawn.

#ifndef SLO_STATS_ARRIVAL_HPP
#define SLO_STATS_ARRIVAL_HPP

#include <slo/base/error.hpp>
#include <slo/base/random.hpp>
#include <slo/base/text.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slo::stats {

/// The arrival processes.
enum class Process {
    constant, ///< equal gaps
    poisson,  ///< independent exponential gaps
    gamma,    ///< independent gamma gaps, burstier or smoother than Poisson
    ramp,     ///< a rate that changes linearly over the whole run, without randomness
    trace     ///< the recorded times
};

inline constexpr std::array<std::string_view, 5> process_names{"constant", "poisson", "gamma", "ramp",
                                                               "trace"};

/// The name a process has in options and records.
constexpr std::string_view name_of(Process process) noexcept
{
    return process_names[static_cast<std::size_t>(process)];
}

/// The process of that name, or nothing.
constexpr std::optional<Process> process_of(std::string_view name) noexcept
{
    for (std::size_t i = 0; i < process_names.size(); ++i) {
        if (process_names[i] == name)
            return static_cast<Process>(i);
    }
    return std::nullopt;
}

/// True for a process whose times are drawn from a seed.
constexpr bool is_random(Process process) noexcept
{
    return process == Process::poisson || process == Process::gamma;
}

/// A process and its parameters; each process reads only its own.
struct Arrival {
    Process process = Process::constant;
    double qps = 1;         ///< mean rate; of a ramp: at the start
    double end_qps = 1;     ///< of a ramp: at the end of the last window
    double burstiness = 1;  ///< of gamma: the shape; 1 is Poisson, below 1 burstier, above 1 smoother
    std::uint64_t seed = 0; ///< of poisson and gamma
    double speed = 1;       ///< of a trace: how many times as fast as recorded
};

/// Checks the parameters that the process reads. Throws UsageError naming the option.
inline void check_arrival(const Arrival& arrival)
{
    const auto require = [](bool condition, const char* option, const char* reason) {
        if (!condition)
            throw UsageError(option, reason);
    };
    const auto is_rate = [](double qps) { return qps >= 0 && qps < 1e9; };
    if (arrival.process == Process::trace) {
        require(arrival.speed >= 1e-6 && arrival.speed <= 1e6, "--speed", "must be from 0.000001 to 1000000");
        return;
    }
    require(is_rate(arrival.qps) && (arrival.qps > 0 || arrival.process == Process::ramp), "--target-qps",
            "must be above 0 and below 10^9");
    if (arrival.process == Process::ramp) {
        require(is_rate(arrival.end_qps), "--ramp-to", "must be at least 0 and below 10^9");
        require(arrival.qps > 0 || arrival.end_qps > 0, "--ramp-to", "must be above 0 for a ramp from 0");
    }
    if (arrival.process == Process::gamma)
        require(arrival.burstiness >= 0.001 && arrival.burstiness <= 1e6, "--burstiness",
                "must be from 0.001 to 1000000");
}

/// The process in words, for people.
inline std::string describe(const Arrival& arrival)
{
    const auto rate = format_double(arrival.qps);
    const auto seed = ", seed " + std::to_string(arrival.seed);
    switch (arrival.process) {
    case Process::constant:
        return "a constant " + rate + " requests a second";
    case Process::poisson:
        return "Poisson arrivals, " + rate + " requests a second" + seed;
    case Process::gamma:
        return "gamma arrivals, " + rate + " requests a second, burstiness " +
               format_double(arrival.burstiness) + seed;
    case Process::ramp:
        return "a ramp from " + rate + " to " + format_double(arrival.end_qps) + " requests a second";
    case Process::trace:
        break;
    }
    return arrival.speed == 1 ? "the recorded times"
                              : "the recorded times, " + format_double(arrival.speed) + " times as fast";
}

/// The moments of a random process, one after the other, without end: independent gaps of mean 1 / qps, the
/// first of them from the start to the first request. Poisson: exponential gaps. Gamma: shape `burstiness`,
/// scale 1 / (qps · burstiness), so that the coefficient of variation is 1 / √burstiness. Nothing is rescaled
/// so that the last request falls on the end of the run, as vLLM's client does: that would make the gaps
/// depend on each other and on the length of the run, and take out the very variation of the load that was
/// asked for. The same seed at another rate gives the same pattern, stretched.
class ArrivalStream {
public:
    /// A process that is_random().
    explicit ArrivalStream(const Arrival& arrival)
        : random_(arrival.seed ^ salt), is_gamma_(arrival.process == Process::gamma),
          shape_(arrival.burstiness), mean_ns_(1e9 / arrival.qps)
    {
    }

    /// The next moment in nanoseconds since the start; never before the one given last.
    std::int64_t next_ns()
    {
        const double gap_ns =
            is_gamma_ ? random_.gamma(shape_, mean_ns_ / shape_) : random_.exponential(mean_ns_);
        // Integers add up to the same sum everywhere.
        at_ns_ = gap_ns < static_cast<double>(latest_ns - at_ns_)
                     ? std::min(latest_ns, at_ns_ + std::int64_t{std::llround(gap_ns)})
                     : latest_ns;
        return at_ns_;
    }

private:
    // The seed also makes the ids of the requests; their bits are not to be those of the gaps.
    static constexpr std::uint64_t salt = 0x6172'7269'7661'6c73;
    static constexpr std::int64_t latest_ns = 4'000'000'000'000'000'000; // in 126 years

    Random random_;
    bool is_gamma_;
    double shape_;
    double mean_ns_;
    std::int64_t at_ns_ = 0;
};

} // namespace slo::stats

#endif
