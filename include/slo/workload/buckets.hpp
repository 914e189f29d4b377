// SPDX-License-Identifier: MIT
// Classes of prompt lengths, and an order of rows in which none of them clusters.

#ifndef SLO_WORKLOAD_BUCKETS_HPP
#define SLO_WORKLOAD_BUCKETS_HPP

#include <slo/base/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace slo::workload {

/// Prompts of `from` to `below` - 1 tokens, and how many of them a route has.
struct Bucket {
    std::string name;
    std::int64_t from = 0;
    std::int64_t below = 0;
    std::int64_t rows = 0;
    std::int64_t target = 0; ///< tokens to which its prompts are padded

    bool holds(std::int64_t tokens) const noexcept { return tokens >= from && tokens < below; }
};

/// The bucket of a prompt of `tokens`, or nullptr.
inline const Bucket* find_bucket(std::span<const Bucket> buckets, std::int64_t tokens) noexcept
{
    const auto found = std::find_if(buckets.begin(), buckets.end(),
                                    [tokens](const Bucket& bucket) { return bucket.holds(tokens); });
    return found == buckets.end() ? nullptr : &*found;
}

/// The longest run of equal neighbours.
inline std::size_t longest_run(std::span<const std::size_t> kinds) noexcept
{
    std::size_t longest = 0;
    std::size_t run = 0;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        run = i > 0 && kinds[i] == kinds[i - 1] ? run + 1 : 1;
        longest = std::max(longest, run);
    }
    return longest;
}

/// Puts rows in an order in which no kind stands more than `limit` times in a row, as near to the given one
/// as going forward allows: an order that is good already stays as it is.
class RunLimiter {
public:
    /// `kinds` are the rows' kinds in the order wanted, below `kind_count`. Throws Error when no order will
    /// do.
    RunLimiter(std::span<const std::size_t> kinds, std::size_t kind_count, std::size_t limit)
        : kinds_(kinds), limit_(limit), left_(kind_count)
    {
        for (const auto kind : kinds)
            ++left_[kind];
        if (!can_end())
            throw Error("no order keeps runs of one bucket at " + std::to_string(limit) + " or less");
    }

    /// The indices of the rows in the order found.
    std::vector<std::size_t> order()
    {
        std::vector<std::size_t> taken;
        std::vector<std::size_t> waiting; // rows passed over, in the order wanted
        taken.reserve(kinds_.size());
        for (std::size_t next = 0; taken.size() < kinds_.size();) {
            auto row = waiting.begin();
            while (row != waiting.end() && !try_take(kinds_[*row]))
                ++row;
            if (row != waiting.end()) {
                taken.push_back(*row);
                waiting.erase(row);
                continue;
            }
            while (!try_take(kinds_[next]))
                waiting.push_back(next++);
            taken.push_back(next++);
        }
        return taken;
    }

private:
    // True when all that is left can follow: the commonest kind needs others between its runs.
    bool can_end() const noexcept
    {
        std::size_t all = 0;
        for (const auto count : left_)
            all += count;
        for (std::size_t kind = 0; kind < left_.size(); ++kind) {
            const auto others = all - left_[kind];
            const auto room = limit_ - (kind == last_ ? run_ : 0) + others * limit_;
            if (left_[kind] > room)
                return false;
        }
        return true;
    }

    bool try_take(std::size_t kind) noexcept
    {
        const auto last = last_;
        const auto run = run_;
        if (kind == last_ && run_ == limit_)
            return false;
        run_ = kind == last_ ? run_ + 1 : 1;
        last_ = kind;
        --left_[kind];
        if (can_end())
            return true;
        ++left_[kind];
        last_ = last;
        run_ = run;
        return false;
    }

    std::span<const std::size_t> kinds_;
    std::size_t limit_;
    std::vector<std::size_t> left_;
    std::size_t last_ = static_cast<std::size_t>(-1);
    std::size_t run_ = 0;
};

} // namespace slo::workload

#endif
