// SPDX-License-Identifier: MIT
// A route sent more than once: fresh conversations in each pass, at times that go on.

#ifndef SLO_PLAN_LOOP_IDS_HPP
#define SLO_PLAN_LOOP_IDS_HPP

#include <slo/base/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::plan {

/// Names the conversations of later passes: pass k (from 0) of "a" is "a#k+1", with more '#' where ids of the
/// route hold some, so that no two conversations ever share a name.
class LoopIds {
public:
    /// An id of the route; all of them must be seen before of().
    void see(std::string_view conv_id)
    {
        std::size_t run = 0;
        for (const char c : conv_id) {
            run = c == '#' ? run + 1 : 0;
            mark_length_ = std::max(mark_length_, run + 1);
        }
    }

    /// The id in a pass, counted from 0; that of the first pass, and an empty one, stays as it is.
    std::string of(std::string_view conv_id, std::size_t pass) const
    {
        std::string id(conv_id);
        if (pass > 0 && !id.empty())
            id.append(mark_length_, '#').append(std::to_string(pass + 1));
        return id;
    }

private:
    std::size_t mark_length_ = 1; // longer than any run of '#' in the route
};

/// The moments of a route (ns, ascending) followed by those of as many further passes as reach `until_s`
/// seconds past the first moment, each pass later than the one before by the route's span and one mean gap,
/// so that the mean rate goes on. Throws UsageError when all moments are the same, or when that makes more
/// than 10⁸ requests or moments beyond int64.
inline std::vector<std::int64_t> loop_moments(std::vector<std::int64_t> moments_ns, double until_s)
{
    if (moments_ns.empty())
        return moments_ns;
    const auto rows = moments_ns.size();
    const auto first_ns = moments_ns.front();
    const auto span_ns = static_cast<std::uint64_t>(moments_ns.back()) - static_cast<std::uint64_t>(first_ns);
    if (span_ns == 0)
        throw UsageError("--loop-route", "needs timestamps that differ: these give no rate to go on with");
    const double span = static_cast<double>(span_ns);
    const double gap = std::round(span / static_cast<double>(rows - 1));
    const double passes = std::max(1.0, std::ceil(until_s * 1e9 / (span + gap)));
    if (!(passes * static_cast<double>(rows) <= 1e8))
        throw UsageError("--loop-route", "makes a schedule of more than 10^8 requests");
    if (!(static_cast<double>(first_ns) + passes * (span + gap) < 9e18))
        throw UsageError("--loop-route", "leads to timestamps out of range");
    const auto period_ns = static_cast<std::int64_t>(span_ns) + static_cast<std::int64_t>(gap);
    moments_ns.reserve(rows * static_cast<std::size_t>(passes));
    for (std::int64_t pass = 1; pass < static_cast<std::int64_t>(passes); ++pass) {
        for (std::size_t i = 0; i < rows; ++i)
            moments_ns.push_back(moments_ns[i] + pass * period_ns);
    }
    return moments_ns;
}

} // namespace slo::plan

#endif
