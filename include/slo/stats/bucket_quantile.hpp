// SPDX-License-Identifier: MIT
// Quantiles of a histogram of cumulative buckets, as Prometheus' histogram_quantile() computes them.

#ifndef SLO_STATS_BUCKET_QUANTILE_HPP
#define SLO_STATS_BUCKET_QUANTILE_HPP

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::stats {

/// The observations up to and including a bound.
struct Bucket {
    double upper_bound; ///< the label `le`; +infinity for the last
    double count;       ///< observations <= upper_bound: cumulative, over a window or since the start
};

/// A histogram of cumulative buckets, made fit for quantiles: sorted, equal bounds added up, counts that fall
/// from a bucket to the next raised to that before (scrapes are not atomic, and buckets of several servers
/// need not agree).
class BucketHistogram {
public:
    /// Buckets in any order. A NaN bound is passed over; a negative or NaN count makes reason() say so, as
    /// the difference of two scrapes has one after a restart.
    explicit BucketHistogram(std::vector<Bucket> buckets) : buckets_(std::move(buckets))
    {
        buckets_.erase(std::remove_if(buckets_.begin(), buckets_.end(),
                                      [](const Bucket& b) { return std::isnan(b.upper_bound); }),
                       buckets_.end());
        std::sort(buckets_.begin(), buckets_.end(),
                  [](const Bucket& a, const Bucket& b) { return a.upper_bound < b.upper_bound; });
        add_up_equal_bounds();
        reason_ = why_unusable();
        if (reason_.empty())
            make_monotonic();
    }

    /// Why quantile() gives nothing; empty when it gives something.
    std::string_view reason() const noexcept { return reason_; }

    /// All observations; 0 when there is no bucket.
    double count() const noexcept { return buckets_.empty() ? 0 : buckets_.back().count; }

    /// True when counts fell from a bucket to the next by more than rounding and had to be raised.
    bool forced_monotonic() const noexcept { return forced_monotonic_; }

    /// The quantile `q` (0 to 1), by linear interpolation inside the bucket that holds it: from 0 in the
    /// first bucket when its bound is above 0, else its bound as it stands. The source: Prometheus'
    /// bucketQuantile(), which answers a quantile beyond the highest finite bound with that bound: see
    /// is_lower_limit(). Nothing when reason() says why.
    std::optional<double> quantile(double q) const noexcept
    {
        assert(q >= 0 && q <= 1);
        if (!reason_.empty())
            return std::nullopt;
        const auto index = bucket_of(q);
        const auto& bucket = buckets_[index];
        if (index + 1 == buckets_.size())
            return buckets_[index - 1].upper_bound;
        if (index == 0 && bucket.upper_bound <= 0)
            return bucket.upper_bound;
        const double start = index == 0 ? 0 : buckets_[index - 1].upper_bound;
        const double below = index == 0 ? 0 : buckets_[index - 1].count;
        const double inside = bucket.count - below;
        const double fraction = inside > 0 ? (q * count() - below) / inside : 0;
        return start + (bucket.upper_bound - start) * fraction;
    }

    /// True when the quantile `q` lies above the highest finite bound, so that quantile() is only what it is
    /// at least.
    bool is_lower_limit(double q) const noexcept
    {
        return reason_.empty() && bucket_of(q) + 1 == buckets_.size();
    }

private:
    void add_up_equal_bounds()
    {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < buckets_.size(); ++i) {
            if (kept > 0 && buckets_[kept - 1].upper_bound == buckets_[i].upper_bound)
                buckets_[kept - 1].count += buckets_[i].count;
            else
                buckets_[kept++] = buckets_[i];
        }
        buckets_.resize(kept);
    }

    std::string_view why_unusable() const noexcept
    {
        if (buckets_.empty() || !(std::isinf(buckets_.back().upper_bound) && buckets_.back().upper_bound > 0))
            return "no +Inf bucket";
        for (const auto& bucket : buckets_) {
            if (!(bucket.count >= 0) || std::isinf(bucket.count))
                return "a bucket's count fell";
        }
        if (buckets_.size() < 2)
            return "only an +Inf bucket";
        const auto most =
            std::max_element(buckets_.begin(), buckets_.end() - 1,
                             [](const Bucket& a, const Bucket& b) { return a.count < b.count; });
        if (buckets_.back().count <= 0 && most->count <= 0)
            return "no observations";
        if (most->count <= 0)
            return "every observation lies above the highest finite bucket";
        return {};
    }

    // As Prometheus does, a difference below 1e-12 of the count is rounding and says nothing.
    void make_monotonic() noexcept
    {
        constexpr double rounding = 1e-12;
        for (std::size_t i = 1; i < buckets_.size(); ++i) {
            const double before = buckets_[i - 1].count;
            const double gap = before - buckets_[i].count;
            const bool is_rounding = std::fabs(gap) <= rounding * (before + buckets_[i].count);
            if (gap > 0 || is_rounding)
                buckets_[i].count = before;
            forced_monotonic_ |= gap > 0 && !is_rounding;
        }
    }

    // The first bucket that reaches the rank, the last one at the latest.
    std::size_t bucket_of(double q) const noexcept
    {
        const double rank = q * count();
        const auto found = std::find_if(buckets_.begin(), buckets_.end() - 1,
                                        [rank](const Bucket& b) { return b.count >= rank; });
        return static_cast<std::size_t>(found - buckets_.begin());
    }

    std::vector<Bucket> buckets_;
    std::string_view reason_;
    bool forced_monotonic_ = false;
};

} // namespace slo::stats

#endif
