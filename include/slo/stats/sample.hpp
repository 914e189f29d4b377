// SPDX-License-Identifier: MIT
// A sample in bounded memory: every value up to a number of them, a sketch beyond.

#ifndef SLO_STATS_SAMPLE_HPP
#define SLO_STATS_SAMPLE_HPP

#include <slo/stats/moments.hpp>
#include <slo/stats/sketch.hpp>
#include <slo/stats/summary.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace slo::stats {

/// Values that come one by one, and their quantiles: exact up to `most_exact` values, within the relative
/// error of QuantileSketch beyond. Takes 8 bytes a value up to there, then at most 76 KiB in all.
class Sample {
public:
    /// 512 KiB.
    static constexpr std::size_t most_exact_values = std::size_t{1} << 16;

    Sample() = default;
    explicit Sample(std::size_t most_exact) : most_exact_(most_exact) {}

    /// Takes one value in; one that is not finite is left out.
    void add(double value)
    {
        if (!std::isfinite(value))
            return;
        moments_.add(value);
        if (!exact())
            sketch_->add(value);
        else if (values_.size() < most_exact_)
            values_.push_back(value);
        else
            begin_sketch().add(value);
    }

    /// Takes in all that `other` holds.
    void merge(const Sample& other)
    {
        moments_.merge(other.moments_);
        if (exact() && (!other.exact() || values_.size() + other.values_.size() > most_exact_))
            begin_sketch();
        if (exact())
            values_.insert(values_.end(), other.values_.begin(), other.values_.end());
        else
            sketch_->merge(other.sketch());
    }

    std::size_t size() const noexcept { return static_cast<std::size_t>(moments_.count()); }
    bool empty() const noexcept { return size() == 0; }

    /// False once there were more values than are kept.
    bool exact() const noexcept { return !sketch_; }

    /// Number, extremes, mean and deviation, which are exact always.
    const Moments& moments() const noexcept { return moments_; }

    /// Extremes and percentiles; nothing where there is no value.
    std::optional<Summary> summary() const
    {
        if (exact())
            return summarize({values_.begin(), values_.end()});
        const auto at = [this](double q) { return sketch_->quantile(q).value_or(0); };
        return Summary{at(0), at(0.50), at(0.90), at(0.95), at(0.99), at(1)};
    }

    /// The value at `rank` in ascending order, from 0 to size() - 1.
    double ranked(std::size_t rank) const
    {
        if (!exact())
            return sketch_
                ->quantile(static_cast<double>(rank) /
                           static_cast<double>(std::max<std::size_t>(2, size()) - 1))
                .value_or(0);
        std::vector<double> values(values_.begin(), values_.end());
        const auto place = values.begin() + static_cast<std::ptrdiff_t>(rank);
        std::nth_element(values.begin(), place, values.end());
        return *place;
    }

    /// The sketch of all values.
    QuantileSketch sketch() const
    {
        if (!exact())
            return *sketch_;
        QuantileSketch sketch;
        for (const double value : values_)
            sketch.add(value);
        return sketch;
    }

private:
    QuantileSketch& begin_sketch()
    {
        sketch_ = sketch();
        // Not clear(), which would keep some of the room.
        std::deque<double>().swap(values_);
        return *sketch_;
    }

    std::size_t most_exact_ = most_exact_values;
    // In blocks: a vector would need three times the room while it grows.
    std::deque<double> values_;
    std::optional<QuantileSketch> sketch_;
    Moments moments_;
};

} // namespace slo::stats

#endif
