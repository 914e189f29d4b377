// SPDX-License-Identifier: MIT
// Which load the deciding rounds of a run really had.

#ifndef SLO_PLAN_OFFERED_LOAD_HPP
#define SLO_PLAN_OFFERED_LOAD_HPP

#include <slo/base/text.hpp>
#include <slo/plan/shards.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace slo::plan {

/// Sums up what windows say of their load.
class OfferedLoad {
public:
    explicit OfferedLoad(std::span<const Window* const> windows)
    {
        double sum = 0;
        std::size_t known = 0;
        for (const auto* window : windows) {
            sum += window->offered.value_or(0);
            known += window->offered.has_value();
            due_ += static_cast<double>(window->due);
            from_send_ |= window->from_send;
            closed_loop_ |= window->closed_loop;
            if (!window->target_qps)
                continue;
            least_qps_ = std::min(least_qps_.value_or(*window->target_qps), *window->target_qps);
            most_qps_ = std::max(most_qps_, *window->target_qps);
        }
        if (known > 0)
            share_ = sum / static_cast<double>(known);
    }

    /// What a reader of the verdict should know.
    std::vector<std::string> notes() const
    {
        std::vector<std::string> notes;
        if (share_ < enough)
            notes.push_back("only " + format_fixed(100 * share_, 1) + " % of the target rate was offered");
        if (from_send_)
            notes.emplace_back("latencies count from sending, not from when requests were due");
        if (closed_loop_)
            notes.emplace_back(
                "a closed loop: this says what its users get, not what rate the service holds");
        return notes;
    }

    /// True when the service was spared: less was offered than the target, by more than the four standard
    /// deviations that the number of Poisson arrivals has.
    bool is_too_little() const
    {
        return share_ < enough && share_ < 1 - 4 / std::sqrt(std::max(due_ / std::max(share_, 1e-9), 1.0));
    }

    /// True when so much more was offered than the target that the same load must be there twice.
    bool is_too_much() const
    {
        return share_ > 1.5 && share_ > 1 + 4 / std::sqrt(std::max(due_ / std::max(share_, 1e-9), 1.0));
    }

    /// True when the windows had different targets.
    bool is_uneven() const { return least_qps_ && *least_qps_ < 0.99 * most_qps_; }

private:
    static constexpr double enough = 0.95;

    double share_ = 1; // of the target
    double due_ = 0;
    std::optional<double> least_qps_;
    double most_qps_ = 0;
    bool from_send_ = false;
    bool closed_loop_ = false;
};

} // namespace slo::plan

#endif
