// SPDX-License-Identifier: MIT
// A mergeable quantile sketch with a bounded relative error (DDSketch), and its JSON form.

#ifndef SLO_STATS_SKETCH_HPP
#define SLO_STATS_SKETCH_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/stats/quantile.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace slo::stats {

/// Between how many values are at or above a limit.
struct ShareBounds {
    std::int64_t least = 0;
    std::int64_t most = 0;
};

/// Counts values in bins whose bounds grow geometrically, so that every quantile comes out within
/// `relative_error` of the sample's own (Masson, Rim and Lee, "DDSketch", VLDB 2019). Values nearer to zero
/// than `smallest` count as zero; beyond `largest` as `largest`. All sketches share the bins, so any two
/// merge. Takes 8 bytes for each bin between the outermost two that hold something, 76 KiB at most.
class QuantileSketch {
public:
    static constexpr double relative_error = 0.005;
    static constexpr double smallest = 1e-9;
    static constexpr double largest = 1e12;

    /// Counts one value; one that is not finite is left out.
    void add(double value)
    {
        if (!std::isfinite(value))
            return;
        count_value(value, 1);
        min_ = std::min(min_, value);
        max_ = std::max(max_, value);
    }

    /// Adds all that `other` has counted: the same sketch as if its values had been added here.
    void merge(const QuantileSketch& other)
    {
        if (other.count_ == 0)
            return;
        reach(other.first_);
        reach(other.first_ + static_cast<std::int32_t>(other.counts_.size()) - 1);
        for (std::size_t i = 0; i < other.counts_.size(); ++i)
            counts_[static_cast<std::size_t>(other.first_ - first_) + i] += other.counts_[i];
        count_ += other.count_;
        min_ = std::min(min_, other.min_);
        max_ = std::max(max_, other.max_);
    }

    /// Values counted.
    std::int64_t count() const noexcept { return count_; }

    /// The quantile `q` (0 to 1), interpolated like quantile_sorted; nothing for an empty sketch.
    std::optional<double> quantile(double q) const
    {
        if (count_ == 0)
            return std::nullopt;
        const double position = static_cast<double>(count_ - 1) * std::clamp(q, 0.0, 1.0);
        const auto rank = static_cast<std::int64_t>(std::floor(position));
        const double low = value_at(rank);
        const double high = value_at(std::min(rank + 1, count_ - 1));
        return std::clamp(interpolate(low, high, position - std::floor(position)), min_, max_);
    }

    /// The arithmetic mean, within `relative_error` where all values have one sign; 0 for an empty sketch.
    double mean() const
    {
        double sum = 0;
        for (std::size_t i = 0; i < counts_.size(); ++i)
            sum += static_cast<double>(counts_[i]) * value_of(first_ + static_cast<std::int32_t>(i));
        return count_ > 0 ? std::clamp(sum / static_cast<double>(count_), min_, max_) : 0;
    }

    /// How many of the values are at or above `limit`, which is not NaN: those of higher bins for sure, those
    /// of its own bin perhaps.
    ShareBounds above(double limit) const
    {
        if (count_ == 0 || limit > max_)
            return {};
        if (limit <= min_)
            return {count_, count_};
        const auto own = bin_of(limit);
        ShareBounds bounds;
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            const auto bin = first_ + static_cast<std::int32_t>(i);
            bounds.least += bin > own ? counts_[i] : 0;
            bounds.most += bin >= own ? counts_[i] : 0;
        }
        // The largest is above, and the smallest is not.
        bounds.least = std::max<std::int64_t>(bounds.least, 1);
        bounds.most = std::min(bounds.most, count_ - 1);
        return bounds;
    }

    /// The form in records: {"relative_error", "count", "min", "max", "bins": [[bin, count], …]}, bins
    /// ascending.
    json::object to_record() const
    {
        json::array bins;
        for (std::size_t i = 0; i < counts_.size(); ++i)
            if (counts_[i] > 0)
                bins.push_back(json::array{first_ + static_cast<std::int32_t>(i), counts_[i]});
        return {{"relative_error", relative_error},
                {"count", count_},
                {"min", count_ > 0 ? json::value(min_) : json::value(nullptr)},
                {"max", count_ > 0 ? json::value(max_) : json::value(nullptr)},
                {"bins", std::move(bins)}};
    }

    /// Reads the form in records. Throws InputError for anything that to_record() cannot have written.
    static QuantileSketch from_record(const json::object& record)
    {
        QuantileSketch sketch;
        const auto* bins = array_at(record, "bins");
        if (!bins || number_at(record, "relative_error") != relative_error)
            throw InputError("sketch", "bins missing, or another relative error than 0.005");
        std::int64_t last = std::numeric_limits<std::int64_t>::min();
        for (const auto& pair : *bins)
            last = sketch.read_bin(pair, last);
        if (integer_at(record, "count") != sketch.count_)
            throw InputError("sketch", "bins do not add up to count");
        if (sketch.count_ == 0)
            return sketch;
        const auto low = number_at(record, "min");
        const auto high = number_at(record, "max");
        if (!low || !high || !(*low <= *high) || bin_of(*low) != sketch.first_ || bin_of(*high) != last)
            throw InputError("sketch", "min and max do not fit the bins");
        sketch.min_ = *low;
        sketch.max_ = *high;
        return sketch;
    }

private:
    inline static const double log_gamma_ = std::log((1 + relative_error) / (1 - relative_error));
    inline static const double bins_a_fold_ = 1 / log_gamma_; // a fold: a factor of e
    inline static const double smallest_position_ = std::log(smallest) / log_gamma_;

    // A signed bin: 0 is the zero bin, ±(k + 1) holds ±(smallest γ^(k-1), smallest γ^k].
    static std::int32_t bin_of(double value) noexcept
    {
        const double magnitude = std::min(std::abs(value), largest);
        if (magnitude < smallest)
            return 0;
        // One logarithm and a product instead of two divisions. They may differ in the last digits, so that
        // near a bound of two bins the defining formula decides.
        const double position = std::log(magnitude) * bins_a_fold_ - smallest_position_;
        auto whole = static_cast<std::int32_t>(position);
        const double above = position - whole;
        constexpr double doubtful = 1e-9;
        if (above < doubtful || above > 1 - doubtful)
            whole = static_cast<std::int32_t>(std::ceil(std::log(magnitude / smallest) / log_gamma_)) - 1;
        const auto bin = whole + 2;
        return value < 0 ? -bin : bin;
    }

    // The middle of a bin, off by the relative error at most.
    static double value_of(std::int32_t bin) noexcept
    {
        if (bin == 0)
            return 0;
        const double upper = smallest * std::exp(log_gamma_ * static_cast<double>(std::abs(bin) - 1));
        const double middle = upper * (1 - relative_error);
        return bin < 0 ? -middle : middle;
    }

    void count_value(double value, std::int64_t times)
    {
        const auto bin = bin_of(value);
        // Below the first bin the difference wraps round and is large.
        auto index = static_cast<std::size_t>(static_cast<std::int64_t>(bin) - first_);
        if (index >= counts_.size()) {
            reach(bin);
            index = static_cast<std::size_t>(bin - first_);
        }
        counts_[index] += times;
        count_ += times;
    }

    // Makes room for a bin, and for some beyond it: values come in clusters.
    void reach(std::int32_t bin)
    {
        constexpr std::int32_t spare = 32;
        if (counts_.empty()) {
            first_ = bin;
            counts_.assign(1, 0);
        } else if (bin < first_) {
            const auto first = std::max(bin - spare, -bin_of(largest));
            counts_.insert(counts_.begin(), static_cast<std::size_t>(first_ - first), 0);
            first_ = first;
        } else if (const auto size = static_cast<std::size_t>(bin - first_) + 1; size > counts_.size()) {
            const auto most = static_cast<std::size_t>(bin_of(largest) - first_) + 1;
            counts_.resize(std::min(size + spare, most), 0);
        }
    }

    // Returns the bin, which must come after `previous`.
    std::int64_t read_bin(const json::value& pair, std::int64_t previous)
    {
        constexpr std::int64_t most_values = std::int64_t{1} << 52;
        const auto* entry = pair.if_array();
        const bool shaped = entry && entry->size() == 2 && (*entry)[0].is_int64() && (*entry)[1].is_int64();
        if (!shaped)
            throw InputError("sketch", "a bin is not a pair of integers");
        const auto bin = (*entry)[0].get_int64();
        const auto times = (*entry)[1].get_int64();
        const std::int64_t last = bin_of(largest);
        if (bin < -last || bin > last || times < 1 || times > most_values - count_)
            throw InputError("sketch", "a bin is out of range");
        if (bin <= previous)
            throw InputError("sketch", "bins are not in ascending order");
        reach(static_cast<std::int32_t>(bin));
        counts_[static_cast<std::size_t>(bin - first_)] += times;
        count_ += times;
        return bin;
    }

    double value_at(std::int64_t rank) const
    {
        if (rank == 0)
            return min_;
        if (rank == count_ - 1)
            return max_;
        std::int64_t seen = 0;
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            seen += counts_[i];
            if (seen > rank)
                return value_of(first_ + static_cast<std::int32_t>(i));
        }
        return max_;
    }

    std::vector<std::int64_t> counts_; // of the bins from first_ on
    std::int32_t first_ = 0;
    std::int64_t count_ = 0;
    double min_ = std::numeric_limits<double>::infinity();
    double max_ = -std::numeric_limits<double>::infinity();
};

} // namespace slo::stats

#endif
