// SPDX-License-Identifier: MIT
// The rows of a route in the order of sending, as one lane of a run takes them.

#ifndef SLO_RUN_ROW_SOURCE_HPP
#define SLO_RUN_ROW_SOURCE_HPP

#include <slo/plan/loop_ids.hpp>
#include <slo/plan/shard_filter.hpp>
#include <slo/record/route_load.hpp>
#include <slo/run/request_id.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace slo::run {

/// Goes over the whole route, so that all lanes and shards of a run agree on ids and places; only the rows of
/// its own part are to be sent. `looped`: the route begins anew when it has ended, with conversations of
/// their own.
class RowSource {
public:
    /// `rows` must outlive it.
    RowSource(const std::vector<record::LoadedRow>& rows, const plan::ShardFilter& part, std::uint64_t seed,
              bool looped)
        : rows_(rows), part_(part), ids_(seed), looped_(looped)
    {
        if (!looped)
            return;
        for (const auto& row : rows)
            loop_ids_.see(row.conv_id);
        barren_ = std::none_of(rows.begin(), rows.end(),
                               [&](const auto& row) { return part_.keeps(row.conv_id, row.line); });
    }

    struct Row {
        const record::LoadedRow* row = nullptr;
        std::string id; ///< of the request: no two of a run have the same
        std::string conv_id;
    };

    /// True when there is no further row, of whichever part.
    bool at_end() const noexcept { return next_ == rows_.size() && (!looped_ || rows_.empty()); }

    /// True when a route without end has no row of this part.
    bool is_barren() const noexcept { return barren_; }

    /// Takes the next row; without `row` where it belongs to another part. Not at_end().
    Row take()
    {
        if (next_ == rows_.size()) {
            next_ = 0;
            ++pass_;
        }
        const auto& row = rows_[next_++];
        auto id = ids_.next();
        if (!part_.keeps(row.conv_id, row.line))
            return {};
        return {&row, std::move(id), pass_ == 0 ? row.conv_id : loop_ids_.of(row.conv_id, pass_)};
    }

private:
    const std::vector<record::LoadedRow>& rows_;
    plan::ShardFilter part_;
    RequestIds ids_;
    bool looped_;
    bool barren_ = false;
    plan::LoopIds loop_ids_;
    std::size_t next_ = 0;
    std::size_t pass_ = 0;
};

} // namespace slo::run

#endif
