// SPDX-License-Identifier: MIT
// The two clocks: monotonic for measuring, wall for naming a moment.

#ifndef SLO_BASE_CLOCK_HPP
#define SLO_BASE_CLOCK_HPP

#include <chrono>
#include <cstdint>
#include <ctime>
#include <string>

namespace slo {

/// Monotonic time in nanoseconds since an arbitrary origin; never goes back, ignores clock steps.
inline std::int64_t monotonic_ns() noexcept
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// CPU time spent by this process so far, user and system, in nanoseconds.
inline std::int64_t process_cpu_ns() noexcept
{
    timespec t{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

/// Wall-clock time in seconds since 1970-01-01T00:00:00Z.
inline double wall_clock_s() noexcept
{
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// A wall-clock moment (seconds since the epoch) as ISO 8601 UTC to whole seconds, "2026-01-31T08:00:00Z".
inline std::string iso8601_utc(double epoch_s)
{
    const auto seconds = static_cast<std::time_t>(epoch_s);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    char text[32];
    const auto length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return {text, length};
}

/// A duration in seconds as nanoseconds, rounded to the nearest.
inline std::int64_t to_ns(double seconds) noexcept
{
    return static_cast<std::int64_t>(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5));
}

/// A duration in nanoseconds as seconds.
inline double to_seconds(std::int64_t ns) noexcept
{
    return static_cast<double>(ns) / 1e9;
}

} // namespace slo

#endif
