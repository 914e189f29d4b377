// SPDX-License-Identifier: MIT
// Which conversations take part: a range of the hash of their ids.

#ifndef SLO_PLAN_SAMPLING_HPP
#define SLO_PLAN_SAMPLING_HPP

#include <slo/base/digest.hpp>
#include <slo/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace slo::plan {

/// Where a conversation id falls in [0, 1): the first four bytes of its MD5, big-endian, over 2^32.
inline double sampling_position(std::string_view conv_id)
{
    const auto digest = md5(conv_id);
    std::uint32_t head = 0;
    for (int i = 0; i < 4; ++i)
        head = head << 8 | digest[static_cast<std::size_t>(i)];
    return head / 4294967296.0;
}

/// A half-open range of conversations; disjoint ranges have no conversation in common.
class SampleRange {
public:
    /// All conversations.
    SampleRange() = default;

    /// Throws UsageError unless 0 <= start < end <= 1.
    SampleRange(double start, double end) : start_(start), end_(end)
    {
        if (!(0 <= start && start < end && end <= 1))
            throw UsageError("--sample-range", "wants 0 <= START < END <= 1");
    }

    /// True when the range holds every conversation.
    bool is_all() const noexcept { return start_ == 0 && end_ == 1; }

    /// True when the conversation is in the range.
    bool keeps(std::string_view conv_id) const
    {
        if (is_all())
            return true;
        const double position = sampling_position(conv_id);
        return start_ <= position && position < end_;
    }

private:
    double start_ = 0;
    double end_ = 1;
};

} // namespace slo::plan

#endif
