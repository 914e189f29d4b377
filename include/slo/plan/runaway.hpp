// SPDX-License-Identifier: MIT
// When a run has gone so far astray that its remaining rounds cannot change the verdict.

#ifndef SLO_PLAN_RUNAWAY_HPP
#define SLO_PLAN_RUNAWAY_HPP

#include <slo/base/text.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace slo::plan {

/// What a finished round, all its requests ended, says to a RunawayDetector.
struct RoundOutcome {
    std::int64_t due = 0;
    std::int64_t ok = 0;
    std::optional<double> p50_s; ///< median latency of the successes
};

/// Looks for the signs by which a search may break a probe off: a median that grows by `growth` from round to
/// round over `rising_rounds` rounds and ends above `over_slo` times the SLO; `silent_rounds` rounds in a row
/// without a success; `most_timeouts` timeouts while there are fewer than `early_rounds` rounds. Rounds in
/// which nothing was due are passed over.
///
/// Of a queue that grows evenly the medians of rounds stand as 1, 3, 5, 7, 9: only the first three steps are
/// of 1.3 or more. More than three rounds in a row would therefore hardly ever be seen, fewer would not be a
/// trend; a warm-up falls, and noise of 25 % stays far below ten times the SLO.
class RunawayDetector {
public:
    static constexpr double growth = 1.3;
    static constexpr int rising_rounds = 3;
    static constexpr double over_slo = 10;
    static constexpr int silent_rounds = 2;
    static constexpr std::int64_t most_timeouts = 50;
    static constexpr int early_rounds = 3;

    /// Without an SLO of the latency its growth is not judged.
    explicit RunawayDetector(std::optional<double> e2e_slo_s = std::nullopt) : e2e_slo_s_(e2e_slo_s) {}

    /// So many requests ran into their timeout; as it happens, whatever round they were due in.
    void timed_out(std::int64_t count = 1)
    {
        timeouts_ += count;
        if (timeouts_ >= most_timeouts && rounds_ < early_rounds)
            say(std::to_string(timeouts_) + " requests timed out before " + std::to_string(early_rounds) +
                " rounds had ended");
    }

    /// The next round, in order, came to its end.
    void finished(const RoundOutcome& round)
    {
        if (round.due == 0)
            return;
        ++rounds_;
        silent_ = round.ok == 0 ? silent_ + 1 : 0;
        if (silent_ >= silent_rounds)
            say("no request of the last " + std::to_string(silent_) + " rounds succeeded");
        judge_growth(round);
    }

    /// Why the run is to end, one line for people, the first reason there was; nothing while there is none.
    const std::optional<std::string>& reason() const noexcept { return reason_; }

private:
    void judge_growth(const RoundOutcome& round)
    {
        const double p50_s = round.ok > 0 ? round.p50_s.value_or(0) : 0;
        if (!(std::isfinite(p50_s) && p50_s > 0)) {
            rising_ = 0;
            return;
        }
        // A step of exactly 1.3 is one, whatever the last digit of the product.
        constexpr double rounding = 1e-12;
        rising_ = rising_ > 0 && p50_s >= growth * last_p50_s_ * (1 - rounding) ? rising_ + 1 : 1;
        last_p50_s_ = p50_s;
        if (e2e_slo_s_ && rising_ >= rising_rounds && p50_s > over_slo * *e2e_slo_s_)
            say("over " + std::to_string(rising_) +
                " rounds the median latency grew from each to the next by " + format_double(growth) +
                " times or more, to " + format_fixed(p50_s, 3) + " s: above " + format_fixed(over_slo, 0) +
                " times the SLO");
    }

    void say(std::string reason)
    {
        if (!reason_)
            reason_ = std::move(reason);
    }

    std::optional<double> e2e_slo_s_;
    std::int64_t timeouts_ = 0;
    int rounds_ = 0; // with anything due
    int silent_ = 0; // of them, the last in a row without a success
    int rising_ = 0; // of them, the last in a row that rise, with the one they rise from
    double last_p50_s_ = 0;
    std::optional<std::string> reason_;
};

} // namespace slo::plan

#endif
