// SPDX-License-Identifier: MIT
// When the rows of an imported trace are due.

#ifndef SLO_WORKLOAD_IMPORT_CLOCK_HPP
#define SLO_WORKLOAD_IMPORT_CLOCK_HPP

#include <slo/record/route.hpp>
#include <slo/record/timestamp.hpp>
#include <slo/trace/request.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>

namespace slo::workload {

/// Where a trace without moments begins: replay tells the unit of times after it by their magnitude.
inline constexpr std::int64_t default_start_ns = 1'760'000'000'000'000'000;

/// Gives each request its time in nanoseconds since 1970: its own, counted from the start of the route; else
/// its delay after the request of its conversation before it; else a fixed time after the row before it.
class ImportClock {
public:
    /// `since_1970`: the trace's times are moments; they are moved only where a start is given. `has_delays`:
    /// requests may say how long after another one they come, so that each conversation's last is remembered.
    ImportClock(bool since_1970, bool has_delays, std::optional<std::int64_t> start_ns,
                std::int64_t spacing_ns)
        : since_1970_(since_1970), has_delays_(has_delays), start_ns_(start_ns), spacing_ns_(spacing_ns)
    {
    }

    /// Throws RowError for a time beyond int64 nanoseconds.
    std::int64_t time_of(const trace::TraceRequest& request)
    {
        const auto time_ns = request.time_ns ? own_time(*request.time_ns) : next_time(request);
        latest_ns_ = std::max(latest_ns_.value_or(time_ns), time_ns);
        if (request.ends_conversation)
            conversations_.erase(request.conversation);
        else if (has_delays_ && !request.conversation.empty())
            conversations_[request.conversation] = time_ns;
        return time_ns;
    }

private:
    std::int64_t own_time(std::int64_t time_ns)
    {
        if (!since_1970_)
            return sum(start_ns_.value_or(default_start_ns), time_ns);
        if (!start_ns_)
            return time_ns;
        if (!first_ns_)
            first_ns_ = time_ns;
        return sum(*start_ns_, time_ns - *first_ns_);
    }

    std::int64_t next_time(const trace::TraceRequest& request) const
    {
        const auto known = conversations_.find(request.conversation);
        const auto before = known != conversations_.end() ? std::optional(known->second) : latest_ns_;
        const auto step_ns = request.delay_ns.value_or(spacing_ns_);
        return before ? sum(*before, step_ns) : start_ns_.value_or(default_start_ns);
    }

    static std::int64_t sum(std::int64_t a, std::int64_t b)
    {
        if ((b > 0 && a > std::numeric_limits<std::int64_t>::max() - b) || a + b < 0)
            throw record::RowError("a time out of range");
        return a + b;
    }

    bool since_1970_;
    bool has_delays_;
    std::optional<std::int64_t> start_ns_;
    std::int64_t spacing_ns_;
    std::optional<std::int64_t> first_ns_;
    std::optional<std::int64_t> latest_ns_;
    std::unordered_map<std::string, std::int64_t> conversations_; // the last time of each
};

/// Nanoseconds as a JSON number of `unit`, exactly: "1760000000.25".
inline std::string ts_text(std::int64_t time_ns, record::TsUnit unit)
{
    constexpr std::array<std::int64_t, 4> ns_per_unit{1'000'000'000, 1'000'000, 1'000, 1};
    const auto scale = ns_per_unit[static_cast<std::size_t>(unit)];
    auto text = std::to_string(time_ns / scale);
    if (time_ns % scale == 0)
        return text;
    const auto digits = std::to_string(scale + time_ns % scale); // "1" and the fraction with its zeros
    text += '.' + digits.substr(1, digits.find_last_not_of('0'));
    return text;
}

} // namespace slo::workload

#endif
