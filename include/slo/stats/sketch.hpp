// SPDX-License-Identifier: MIT
// A mergeable quantile sketch with a bounded relative error (DDSketch), and its JSON form.

#ifndef SLO_STATS_SKETCH_HPP
#define SLO_STATS_SKETCH_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/stats/quantile.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace slo::stats {

/// Counts values in bins whose bounds grow geometrically, so that every quantile comes out within
/// `relative_error` of the sample's own (Masson, Rim and Lee, "DDSketch", VLDB 2019). Values nearer to zero
/// than `smallest` count as zero; beyond `largest` as `largest`. All sketches share the bins, so any two
/// merge.
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
        for (const auto& [bin, count] : other.bins_)
            bins_[bin] += count;
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

    /// The form in records: {"relative_error", "count", "min", "max", "bins": [[bin, count], …]}, bins
    /// ascending.
    json::object to_record() const
    {
        json::array bins;
        bins.reserve(bins_.size());
        for (const auto& [bin, count] : bins_)
            bins.push_back(json::array{bin, count});
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
        for (const auto& pair : *bins)
            sketch.read_bin(pair);
        if (integer_at(record, "count") != sketch.count_)
            throw InputError("sketch", "bins do not add up to count");
        if (sketch.count_ == 0)
            return sketch;
        const auto low = number_at(record, "min");
        const auto high = number_at(record, "max");
        if (!low || !high || !(*low <= *high) || bin_of(*low) != sketch.bins_.begin()->first ||
            bin_of(*high) != sketch.bins_.rbegin()->first)
            throw InputError("sketch", "min and max do not fit the bins");
        sketch.min_ = *low;
        sketch.max_ = *high;
        return sketch;
    }

private:
    // A signed bin: 0 is the zero bin, ±(k + 1) holds ±(smallest γ^(k-1), smallest γ^k].
    static std::int32_t bin_of(double value) noexcept
    {
        const double magnitude = std::min(std::abs(value), largest);
        if (magnitude < smallest)
            return 0;
        const auto bin =
            static_cast<std::int32_t>(std::ceil(std::log(magnitude / smallest) / log_gamma())) + 1;
        return value < 0 ? -bin : bin;
    }

    // The middle of a bin, off by the relative error at most.
    static double value_of(std::int32_t bin) noexcept
    {
        if (bin == 0)
            return 0;
        const double upper = smallest * std::exp(log_gamma() * static_cast<double>(std::abs(bin) - 1));
        const double middle = upper * (1 - relative_error);
        return bin < 0 ? -middle : middle;
    }

    static double log_gamma() noexcept
    {
        static const double value = std::log((1 + relative_error) / (1 - relative_error));
        return value;
    }

    void count_value(double value, std::int64_t times)
    {
        bins_[bin_of(value)] += times;
        count_ += times;
    }

    void read_bin(const json::value& pair)
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
        const auto key = static_cast<std::int32_t>(bin);
        if (!bins_.empty() && key <= bins_.rbegin()->first)
            throw InputError("sketch", "bins are not in ascending order");
        bins_.emplace_hint(bins_.end(), key, times);
        count_ += times;
    }

    double value_at(std::int64_t rank) const
    {
        if (rank == 0)
            return min_;
        if (rank == count_ - 1)
            return max_;
        std::int64_t seen = 0;
        for (const auto& [bin, count] : bins_) {
            seen += count;
            if (seen > rank)
                return value_of(bin);
        }
        return max_;
    }

    std::map<std::int32_t, std::int64_t> bins_;
    std::int64_t count_ = 0;
    double min_ = std::numeric_limits<double>::infinity();
    double max_ = -std::numeric_limits<double>::infinity();
};

} // namespace slo::stats

#endif
