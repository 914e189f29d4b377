// SPDX-License-Identifier: MIT
// Sums and differences of a route's timestamps without any rounding, in whatever unit the route has.

#ifndef SLO_WORKLOAD_EXACT_TIME_HPP
#define SLO_WORKLOAD_EXACT_TIME_HPP

#include <slo/record/timestamp.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace slo::workload {

/// A time in units of 1e-18 of a route's unit: any timestamp fits, and is exact.
__extension__ using ExactTime = __int128;

inline constexpr std::int64_t exact_units = 1'000'000'000'000'000'000;

/// One above the greatest time that a route can have.
inline constexpr auto end_of_time = (ExactTime{std::numeric_limits<std::int64_t>::max()} + 1) * exact_units;

inline ExactTime exact(const record::Timestamp& ts) noexcept
{
    return ExactTime{ts.whole()} * exact_units + ts.fraction();
}

/// The time as a JSON number: an integer where it is one, else as many decimals as it has. At least 0 and
/// below end_of_time.
inline std::string to_text(ExactTime time)
{
    auto text = std::to_string(static_cast<std::int64_t>(time / exact_units));
    auto fraction = static_cast<std::int64_t>(time % exact_units);
    if (fraction == 0)
        return text;
    const auto decimals = std::to_string(exact_units + fraction).substr(1);
    return text + "." + decimals.substr(0, decimals.find_last_not_of('0') + 1);
}

/// How long one cycle of a route lasts when the route is repeated: from its first time to its last, and one
/// mean gap, so that the mean rate goes on.
class CyclePeriod {
public:
    /// A row's time.
    void see(const record::Timestamp& ts) noexcept
    {
        const auto time = exact(ts);
        least_ = rows_ == 0 ? time : std::min(least_, time);
        greatest_ = rows_ == 0 ? time : std::max(greatest_, time);
        ++rows_;
        while (ts.fraction() % resolution_ != 0)
            resolution_ /= 10;
    }

    /// The gap is rounded to the last decimal that the times have, and no less than one there. Nothing where
    /// all times are the same: they give no rate.
    std::optional<ExactTime> period() const noexcept
    {
        const auto span = greatest_ - least_;
        if (span == 0)
            return std::nullopt;
        const auto steps = span / resolution_;
        const auto gaps = ExactTime{rows_ - 1};
        const auto gap = std::max<ExactTime>((steps + gaps / 2) / gaps, 1);
        return span + gap * resolution_;
    }

private:
    std::int64_t rows_ = 0;
    ExactTime least_ = 0;
    ExactTime greatest_ = 0;
    std::int64_t resolution_ = exact_units;
};

/// `time` and `times` periods later; nothing when that is beyond what a route can say.
inline std::optional<ExactTime> later(ExactTime time, ExactTime period, std::int64_t times) noexcept
{
    if (times > 0 && period > (end_of_time - 1 - time) / times)
        return std::nullopt;
    return time + period * times;
}

} // namespace slo::workload

#endif
