// SPDX-License-Identifier: MIT
// Stop strings in a text that comes piece by piece.

#ifndef SLO_SIM_STOP_FILTER_HPP
#define SLO_SIM_STOP_FILTER_HPP

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace slo::sim {

/// Lets text through up to the first stop string, and keeps back what may be the beginning of one.
class StopFilter {
public:
    /// The stop strings must outlive the filter.
    explicit StopFilter(std::span<const std::string> stop) : stop_(stop) {}

    /// Takes one piece of text in and appends to `out` what can no longer belong to a stop string; true when
    /// one was found: it, and all after it, is dropped.
    bool push(std::string_view piece, std::string& out)
    {
        if (stop_.empty()) {
            out += piece;
            return false;
        }
        held_ += piece;
        auto found = std::string::npos;
        for (const auto& stop : stop_)
            found = std::min(found, held_.find(stop));
        if (found != std::string::npos) {
            out.append(held_, 0, found);
            held_.clear();
            return true;
        }
        const auto safe = held_.size() - beginning_of_stop();
        out.append(held_, 0, safe);
        held_.erase(0, safe);
        return false;
    }

    /// Appends what was kept back: no more text comes.
    void finish(std::string& out)
    {
        out += held_;
        held_.clear();
    }

private:
    // Length of the longest end of held_ that some stop string begins with.
    std::size_t beginning_of_stop() const
    {
        std::size_t longest = 0;
        for (const auto& stop : stop_) {
            for (auto length = std::min(held_.size(), stop.size() - 1); length > longest; --length) {
                if (std::string_view(held_).ends_with(std::string_view(stop).substr(0, length)))
                    longest = length;
            }
        }
        return longest;
    }

    std::span<const std::string> stop_;
    std::string held_;
};

} // namespace slo::sim

#endif
