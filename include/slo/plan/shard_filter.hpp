// SPDX-License-Identifier: MIT
// Which rows of a route one of several load generators sends.

#ifndef SLO_PLAN_SHARD_FILTER_HPP
#define SLO_PLAN_SHARD_FILTER_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/plan/sampling.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace slo::plan {

/// Which of `count` parts a row is in: the hash of its conversation, the one that sampling takes, modulo
/// `count`; without a conversation `line`, its place in the file.
inline std::uint32_t shard_of(std::string_view conv_id, std::size_t line, std::uint32_t count)
{
    // The position is the hash over 2^32; a range of positions must not fall into one part only.
    const auto number =
        conv_id.empty() ? line : static_cast<std::size_t>(sampling_position(conv_id) * 4294967296.0);
    return static_cast<std::uint32_t>(number % count);
}

/// One of N parts of a route that have no row in common and together are all of it. A conversation is in one
/// part as a whole.
class ShardFilter {
public:
    static constexpr std::uint32_t max_count = 65536;

    /// The whole route.
    ShardFilter() = default;

    /// "I/N", I from 0. Throws UsageError unless 0 <= I < N <= 65536.
    static ShardFilter parse(std::string_view text)
    {
        const auto slash = text.find('/');
        ShardFilter shard;
        if (slash != std::string_view::npos) {
            shard.index_ = parse_integer<std::uint32_t>(text.substr(0, slash)).value_or(max_count);
            shard.count_ = parse_integer<std::uint32_t>(text.substr(slash + 1)).value_or(0);
        }
        if (slash == std::string_view::npos || shard.index_ >= shard.count_ || shard.count_ > max_count)
            throw UsageError("--shard", "wants I/N, 0 <= I < N <= 65536");
        return shard;
    }

    /// The part of all conversations that is expected in this one.
    double share() const noexcept { return 1.0 / count_; }

    /// "I/N".
    std::string text() const { return std::to_string(index_) + "/" + std::to_string(count_); }

    std::uint32_t index() const noexcept { return index_; }
    std::uint32_t count() const noexcept { return count_; }

    bool is_all() const noexcept { return count_ == 1; }

    /// Part `index`, from 0, of `count` parts of this part.
    ShardFilter part(std::uint32_t index, std::uint32_t count) const noexcept
    {
        ShardFilter part;
        part.index_ = index_ + count_ * index;
        part.count_ = count_ * count;
        return part;
    }

    /// True when a row is in this part, as shard_of() says.
    bool keeps(std::string_view conv_id, std::size_t line) const
    {
        if (is_all())
            return true;
        return shard_of(conv_id, line, count_) == index_;
    }

private:
    std::uint32_t index_ = 0;
    std::uint32_t count_ = 1;
};

} // namespace slo::plan

#endif
