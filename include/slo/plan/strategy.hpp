// SPDX-License-Identifier: MIT
// What every way of searching for a rate can do.

#ifndef SLO_PLAN_STRATEGY_HPP
#define SLO_PLAN_STRATEGY_HPP

#include <slo/plan/grid.hpp>
#include <slo/plan/search.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace slo::plan {

/// The strategies.
enum class StrategyKind {
    classic,       ///< to a bracket, then bisection: a rate passes or fails for good
    probabilistic, ///< to where the edge is most likely
    certify        ///< that, then a rate below that surely passes and one above that surely fails
};

/// The name a strategy has in options and records.
constexpr std::string_view name_of(StrategyKind kind) noexcept
{
    constexpr std::string_view names[]{"classic", "probabilistic", "certify"};
    return names[static_cast<std::size_t>(kind)];
}

/// The strategy of that name, or nothing.
constexpr std::optional<StrategyKind> strategy_named(std::string_view name) noexcept
{
    for (const auto kind : {StrategyKind::classic, StrategyKind::probabilistic, StrategyKind::certify})
        if (name == name_of(kind))
            return kind;
    return std::nullopt;
}

/// What a search by likelihood has come to. Rates are in steps of the grid.
struct Certified {
    std::optional<double> point_qps;      ///< where the edge is most likely
    std::optional<double> likely_low_qps; ///< it lies between these with nine in ten, if margins are linear
    std::optional<double> likely_high_qps;
    std::optional<Rate> certified; ///< the highest rate that passed with confidence, on data of its own
    std::optional<Rate> rejected;  ///< the lowest that failed with confidence
    bool non_monotone = false;     ///< a higher rate passed than one that failed
    double rounds = 0;             ///< of all probes
};

/// A search: told what probes said, it decides which comes next. The decision depends on the sequence of what
/// was told alone, so that a search can be taken up again from any record. Pure: no clock, no I/O.
class Strategy {
public:
    virtual ~Strategy() = default;
    virtual std::unique_ptr<Strategy> clone() const = 0;

    virtual const Grid& grid() const noexcept = 0;
    virtual const SearchBounds& bounds() const noexcept = 0;
    virtual std::size_t probes() const noexcept = 0;

    /// Takes in what a probe of `rate` said.
    virtual void add(Rate rate, const Outcome& outcome) = 0;

    /// How often a rate was probed.
    virtual std::size_t runs(Rate rate) const = 0;

    /// The lowest rate that failed, and the highest that passed below it.
    virtual std::optional<Rate> first_fail() const = 0;
    virtual std::optional<Rate> best() const = 0;

    /// The rates that both passed and failed, in ascending order.
    virtual std::vector<Rate> unstable() const = 0;

    /// The next probe, or why there is none; `elapsed_s` is the time spent on the search so far.
    virtual std::variant<NextProbe, EndReason> decide(double elapsed_s) const = 0;

    /// How many probes are still to come, if all goes as it has so far.
    virtual std::size_t probes_left() const = 0;

    /// What does not fit one threshold, in words.
    virtual std::vector<std::string> notes() const = 0;

    /// What the seed of the next probe of `rate` is above that of the search. Equal seeds mean equal requests
    /// at equal shares of the run: common random numbers.
    virtual std::uint64_t seed_offset(const NextProbe& next) const { return runs(next.rate); }

    /// Nothing for the classic strategy.
    virtual std::optional<Certified> certified() const { return std::nullopt; }
};

} // namespace slo::plan

#endif
