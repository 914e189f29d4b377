// SPDX-License-Identifier: MIT
// The strategies that the study compares: each one function from a bracket to an answer.

#ifndef SLO_TESTS_STUDY_STRATEGY_HPP
#define SLO_TESTS_STUDY_STRATEGY_HPP

#include "cell.hpp"
#include "certain_rule.hpp"
#include "rule.hpp"

#include <slo/base/error.hpp>
#include <slo/engine/tokenizer.hpp>
#include <slo/plan/certify_search.hpp>
#include <slo/plan/confirmed_search.hpp>
#include <slo/plan/grid.hpp>
#include <slo/plan/search.hpp>
#include <slo/plan/strategy.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace study {

/// What a search comes to. Rates in requests per second; absent where the search makes no such claim.
struct Answer {
    std::optional<double> point;     ///< the best guess
    std::optional<double> claimed;   ///< the highest rate that it says passes
    std::optional<double> certified; ///< the true limit is said to lie above this
    std::optional<double> rejected;  ///< and below this
    std::string reason;              ///< why the search ended
};

/// Probes rates of one cell for one search, each with arrivals and answers of its own, and counts the cost.
class Prober {
public:
    Prober(const Cell& cell, std::uint64_t seed) : cell_(cell), seed_(seed) {}

    const Cell& cell() const noexcept { return cell_; }
    std::size_t probes() const noexcept { return probes_; }
    std::size_t rounds() const noexcept { return rounds_; }

    plan::Outcome probe(double qps, const Rule& rule)
    {
        const auto outcome = judge_rate(cell_, qps, engine::mix64(seed_ + ++probes_), rule);
        rounds_ += static_cast<std::size_t>(outcome.rounds);
        return outcome;
    }

private:
    const Cell& cell_;
    std::uint64_t seed_;
    std::size_t probes_ = 0;
    std::size_t rounds_ = 0;
};

/// Where a search begins, in requests per second, on a grid of a tenth.
struct Bracket {
    double low_qps = 0;
    double high_qps = 0;
};

/// A way of searching.
struct Strategy {
    std::string name;
    std::function<Answer(const Bracket&, Prober&)> search;
};

namespace detail {

inline plan::SearchBounds bounds_of(const plan::Grid& grid, const Bracket& bracket, const Cell& cell)
{
    plan::SearchBounds bounds;
    bounds.low = grid.steps(bracket.low_qps, "low");
    bounds.high = grid.steps(bracket.high_qps, "high");
    bounds.ceiling = 64 * bounds.high;
    bounds.slo_s = cell.objective.limits.front().seconds;
    return bounds;
}

// Runs a search to its end; `rule_of` says how a probe is judged. The name of the reason for the end.
template <class RuleOf>
std::string run_to_end(plan::Strategy& search, Prober& prober, RuleOf rule_of)
{
    for (;;) {
        const auto decision = search.decide(0);
        if (const auto* end = std::get_if<plan::EndReason>(&decision))
            return std::string(plan::name_of(*end));
        const auto& next = std::get<plan::NextProbe>(decision);
        search.add(next.rate, prober.probe(search.grid().qps(next.rate), rule_of(next)));
    }
}

} // namespace detail

/// bisect with 8 rounds, the last 4 of which decide, on a grid of 0.1; then the answer and its neighbour are
/// run once more with 16 rounds, the last 8 of which decide. It claims that the limit lies between the two.
inline Answer search_classic(const Bracket& bracket, Prober& prober)
{
    static const auto quick = classic_rule(8, 4);
    static const auto careful = classic_rule(16, 8);
    const plan::Grid grid(0.1);
    auto bounds = detail::bounds_of(grid, bracket, prober.cell());
    bounds.confirm = 1;
    plan::ConfirmedSearch search(grid, bounds);
    Answer answer;
    answer.reason = detail::run_to_end(search, prober, [](const plan::NextProbe& next) -> const Rule& {
        return next.phase == plan::Phase::confirm ? careful : quick;
    });
    using plan::EndReason;
    if (answer.reason == plan::name_of(EndReason::converged) ||
        answer.reason == plan::name_of(EndReason::unstable_edge)) {
        answer.claimed = answer.point = answer.certified = grid.qps(*search.best());
        answer.rejected = grid.qps(*search.first_fail());
    }
    return answer;
}

/// The search by likelihood on a grid of a hundredth, with verdicts of 95 % confidence; where it does not
/// certify it claims its point.
inline Answer search_by_likelihood(const Bracket& bracket, Prober& prober, bool certify)
{
    const plan::Grid grid(0.01);
    plan::CertifyOptions options;
    options.certify = certify;
    plan::CertifySearch search(grid, detail::bounds_of(grid, bracket, prober.cell()), options);
    Answer answer;
    answer.reason = detail::run_to_end(search, prober, [&](const plan::NextProbe& next) {
        // As bisect tells the tools below it.
        const bool locates = next.phase == plan::Phase::locate;
        return certain_rule(prober.cell(), next.looks, 0.95,
                            locates ? stats::Spending::pocock : stats::Spending::obrien_fleming);
    });
    const auto found = search.certified();
    answer.point = found->point_qps;
    if (!certify) {
        answer.claimed = answer.point;
        return answer;
    }
    if (const auto best = search.best())
        answer.claimed = answer.certified = grid.qps(*best);
    if (found->rejected)
        answer.rejected = grid.qps(*found->rejected);
    return answer;
}

/// The strategies named, in the order of this list; all where `names` is empty. Throws UsageError.
inline std::vector<Strategy> strategies_named(const std::vector<std::string>& names)
{
    std::vector<Strategy> all{
        {"classic", search_classic},
        {"probabilistic",
         [](const Bracket& bracket, Prober& prober) { return search_by_likelihood(bracket, prober, false); }},
        {"certify",
         [](const Bracket& bracket, Prober& prober) { return search_by_likelihood(bracket, prober, true); }}};
    for (const auto& name : names)
        if (std::none_of(all.begin(), all.end(), [&](const auto& each) { return each.name == name; }))
            throw UsageError("--strategies", "no strategy '" + printable(name, 40) + "'");
    if (!names.empty())
        std::erase_if(all, [&](const auto& each) {
            return std::find(names.begin(), names.end(), each.name) == names.end();
        });
    return all;
}

} // namespace study

#endif
