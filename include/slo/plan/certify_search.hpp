// SPDX-License-Identifier: MIT
// A search that says how sure it is: where the edge is most likely, a rate that passes, and one that fails.

#ifndef SLO_PLAN_CERTIFY_SEARCH_HPP
#define SLO_PLAN_CERTIFY_SEARCH_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/plan/certify_options.hpp>
#include <slo/plan/edge_belief.hpp>
#include <slo/plan/edge_evidence.hpp>
#include <slo/plan/grid.hpp>
#include <slo/plan/search.hpp>
#include <slo/plan/strategy.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace slo::plan {

/// Probes at the median of what is believed until the edge is known well enough, then certifies: a rate so
/// far below the point that a verdict on rounds of its own should pass it, and one so far above that it
/// should fail, each a step further out while its verdict stays open. The data of a certifying probe decide
/// nothing but that probe's rate, so that the answer is not the luckiest of many.
class CertifySearch : public Strategy {
public:
    /// Probes of one end that may stay without the verdict that is wanted, and invalid ones in a row.
    static constexpr std::size_t most_tries = 6;
    static constexpr std::size_t most_invalid = 3;

    /// Probes in all, whatever they say.
    static constexpr std::size_t most_probes = 60;

    /// An end is tried again only where it would come nearer to the point than this share of its distance.
    static constexpr double worth = 0.8;

    /// Throws UsageError unless 0 < low < high ≤ ceiling, and where there is no look.
    CertifySearch(Grid grid, SearchBounds bounds, CertifyOptions options = {})
        : grid_(grid), bounds_(bounds), options_(std::move(options)), belief_(range_of(grid, bounds))
    {
        if (options_.locate_looks.empty() || options_.certify_looks.empty())
            throw UsageError("looks", "there must be one at least");
    }

    std::unique_ptr<Strategy> clone() const override { return std::make_unique<CertifySearch>(*this); }

    const Grid& grid() const noexcept override { return grid_; }
    const SearchBounds& bounds() const noexcept override { return bounds_; }
    std::size_t probes() const noexcept override { return probes_; }

    void add(Rate rate, const Outcome& outcome) override
    {
        const auto expected = next();
        const auto* probe = std::get_if<NextProbe>(&expected);
        ++probes_;
        ++runs_[rate];
        rounds_ += outcome.rounds;
        invalid_in_row_ = outcome.said == Said::invalid ? invalid_in_row_ + 1 : 0;
        if (outcome.said == Said::invalid)
            return;
        // A rate that nobody asked for tells where the edge is, and certifies nothing.
        const auto phase = probe && probe->rate == rate ? probe->phase : Phase::locate;
        if (phase == Phase::locate || belief_.is_news(grid_.qps(rate), outcome))
            belief_.add(grid_.qps(rate), outcome);
        evidence_.add(rate, outcome);
        if (phase == Phase::locate) {
            ++locating_probes_;
            locating_rounds_ += outcome.rounds;
        } else {
            conclude(rate, phase, outcome);
        }
    }

    std::size_t runs(Rate rate) const override
    {
        const auto at = runs_.find(rate);
        return at == runs_.end() ? 0 : at->second;
    }

    std::optional<Rate> first_fail() const override { return rejected_; }
    std::optional<Rate> best() const override
    {
        return rejected_ && certified_ && *certified_ >= *rejected_ ? std::nullopt : certified_;
    }
    std::vector<Rate> unstable() const override { return {}; }

    std::variant<NextProbe, EndReason> decide(double elapsed_s) const override
    {
        auto decision = next();
        auto* probe = std::get_if<NextProbe>(&decision);
        if (!probe)
            return decision;
        // With both ends certified a budget only ends what was to make the interval narrower.
        const auto over = [&](EndReason reason) {
            return certified_ && rejected_ ? EndReason::converged : reason;
        };
        if (bounds_.max_probes && probes_ >= *bounds_.max_probes)
            return over(EndReason::max_probes);
        if (bounds_.max_time_s && elapsed_s >= *bounds_.max_time_s)
            return over(EndReason::max_time);
        if (bounds_.max_rounds) {
            probe->looks = looks_within(std::move(probe->looks), *bounds_.max_rounds - rounds_);
            if (probe->looks.empty())
                return over(EndReason::max_rounds);
        }
        return decision;
    }

    std::size_t probes_left() const override
    {
        if (std::holds_alternative<EndReason>(next()))
            return 0;
        const auto each = static_cast<double>(options_.locate_looks.back());
        const double to_point =
            is_located() ? 0 : std::max(1.0, (options_.locate_rounds - locating_rounds_) / each);
        return static_cast<std::size_t>(to_point) + (options_.certify ? !certified_ + !rejected_ : 0U);
    }

    std::vector<std::string> notes() const override
    {
        std::vector<std::string> notes;
        if (const auto found = evidence_.contradiction())
            notes.push_back(grid_.text(found->passes) + " qps passed although " + grid_.text(found->fails) +
                            " qps failed, both with confidence: no single rate divides them");
        return notes;
    }

    /// Each probe has a seed of its own, so that its data are fresh. Where common random numbers are wanted,
    /// those on the way to the point have the first one, but for a rate that is probed again: the same data
    /// would tell nothing new.
    std::uint64_t seed_offset(const NextProbe& next) const override
    {
        return options_.common_numbers && next.phase == Phase::locate ? runs(next.rate) : probes_;
    }

    std::optional<Certified> certified() const override
    {
        Certified result;
        if (probes_ > 0) {
            result.point_qps = belief_.median();
            // What was certified is surer than what is likely.
            if (certified_)
                result.point_qps = std::max(*result.point_qps, grid_.qps(*certified_));
            if (rejected_)
                result.point_qps = std::min(*result.point_qps, grid_.qps(*rejected_));
            result.likely_low_qps = belief_.quantile(0.05);
            result.likely_high_qps = belief_.quantile(0.95);
        }
        result.certified = certified_;
        result.rejected = rejected_;
        result.non_monotone = evidence_.contradiction().has_value();
        result.rounds = rounds_;
        return result;
    }

private:
    bool is_close() const { return belief_.deviation() < 5 * options_.point_deviation; }

    bool is_located() const
    {
        const double deviation = belief_.deviation();
        const bool at_an_end =
            belief_.median() <= grid_.qps(1) || belief_.median() >= grid_.qps(bounds_.ceiling);
        const bool near = locating_rounds_ > 0 && deviation < options_.point_deviation;
        const bool enough = locating_rounds_ >= options_.locate_rounds && is_close();
        // A probe that ends early, or does not say what it took, must not go on for ever.
        const auto taken = static_cast<double>(locating_probes_ * options_.locate_looks.front());
        return near || enough || at_an_end || std::max(locating_rounds_, taken) >= 4 * options_.locate_rounds;
    }

    Rate nearest(double qps) const
    {
        const double steps = std::round(qps / grid_.qps(1));
        return static_cast<Rate>(std::clamp(steps, 1.0, static_cast<double>(bounds_.ceiling)));
    }

    // How far from the point, in ln(rate), a verdict of so many rounds should decide: by the noise of the
    // rounds, of which the first hardly counts, and by the doubt about the point itself.
    double reach(double rounds) const
    {
        const double noise = belief_.noise_of_round().value_or(0.08);
        const double reach = options_.needed_errors * noise / std::sqrt(std::max(1.0, rounds - 1.5)) +
                             0.7 * belief_.deviation();
        return std::clamp(reach, 0.005, 0.5);
    }

    double reach_up(double rounds) const { return std::min(reach(rounds), options_.farthest_up); }

    std::variant<NextProbe, EndReason> next() const
    {
        if (invalid_in_row_ >= most_invalid)
            return EndReason::invalid;
        if (evidence_.contradiction())
            return EndReason::non_monotone;
        if (probes_ >= most_probes)
            return certified_ && rejected_ ? EndReason::converged : EndReason::not_resolved;
        if (!is_located())
            return NextProbe{nearest(belief_.median()), Phase::locate, options_.locate_looks};
        if (!options_.certify)
            return is_close() ? EndReason::converged : EndReason::not_resolved;
        if (rejected_ == 1)
            return EndReason::below_floor;
        if (certified_ == bounds_.ceiling)
            return EndReason::ceiling;
        const bool give_up = low_.tries >= most_tries || high_.tries >= most_tries;
        if (!certified_ && !give_up)
            return certifying();
        if (!rejected_ && !give_up)
            return rejecting();
        if (!certified_ || !rejected_)
            return EndReason::not_resolved;
        return tightening();
    }

    // What is left of the rounds goes to the end that is farther from the point, where that is worth it, else
    // to the other one.
    std::variant<NextProbe, EndReason> tightening() const
    {
        const auto looks = looks_within(options_.certify_looks, options_.rounds - rounds_);
        if (looks.empty() || low_.tries + high_.tries >= 2 * most_tries)
            return EndReason::converged;
        const double point = belief_.median();
        const double below = std::log(point / grid_.qps(*certified_));
        const double above = std::log(grid_.qps(*rejected_) / point);
        for (const bool is_low : {below > above, below <= above}) {
            const auto rounds = static_cast<double>(looks.back());
            const double nearer =
                is_low ? reach(rounds) * low_.widening() : reach_up(rounds) * high_.widening();
            const auto rate = nearest(point * std::exp(is_low ? -nearer : nearer));
            if (nearer <= worth * (is_low ? below : above) && *certified_ < rate && rate < *rejected_)
                return NextProbe{rate, is_low ? Phase::certify : Phase::reject, looks};
        }
        return EndReason::converged;
    }

    std::variant<NextProbe, EndReason> certifying() const
    {
        const auto lowest =
            std::min(low_.last.value_or(bounds_.ceiling + 1), rejected_.value_or(bounds_.ceiling + 1));
        if (lowest <= 1)
            return EndReason::not_resolved;
        const double target = belief_.median() * std::exp(-reach(options_.certify_rounds) * low_.widening());
        return NextProbe{std::min(nearest(target), lowest - 1), Phase::certify, options_.certify_looks};
    }

    std::variant<NextProbe, EndReason> rejecting() const
    {
        const auto highest = std::max(high_.last.value_or(0), certified_.value_or(0));
        if (highest >= bounds_.ceiling)
            return EndReason::not_resolved;
        const double target =
            belief_.median() * std::exp(reach_up(options_.certify_rounds) * high_.widening());
        return NextProbe{std::max(nearest(target), highest + 1), Phase::reject, options_.certify_looks};
    }

    void conclude(Rate rate, Phase phase, const Outcome& outcome)
    {
        const auto said = outcome.stated ? outcome.said : Said::open;
        if (said == Said::pass)
            certified_ = std::max(certified_.value_or(rate), rate);
        if (said == Said::fail)
            rejected_ = std::min(rejected_.value_or(rate), rate);
        auto& end = phase == Phase::certify ? low_ : high_;
        end.tried(rate, said == (phase == Phase::certify ? Said::pass : Said::fail));
        if (!outcome.stated)
            end.tries = most_tries; // who states no confidence now will state none later
    }

    Grid grid_;
    SearchBounds bounds_;
    CertifyOptions options_;
    EdgeBelief belief_;
    EdgeEvidence evidence_;
    std::map<Rate, std::size_t> runs_;
    std::size_t probes_ = 0;
    std::size_t invalid_in_row_ = 0;
    std::size_t locating_probes_ = 0;
    double rounds_ = 0;
    double locating_rounds_ = 0;
    std::optional<Rate> certified_;
    std::optional<Rate> rejected_;
    IntervalEnd low_;
    IntervalEnd high_;
};

} // namespace slo::plan

#endif
