// SPDX-License-Identifier: MIT
// Histograms of Prometheus' kind, and the buckets that engines give theirs.

#ifndef SLO_ENGINE_HISTOGRAM_HPP
#define SLO_ENGINE_HISTOGRAM_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace slo::engine {

/// A cumulative histogram with fixed upper bounds, as Prometheus defines it (a bound belongs to its bucket).
class Histogram {
public:
    /// `bounds` must be ascending and outlive the histogram.
    explicit Histogram(std::span<const double> bounds) : bounds_(bounds), counts_(bounds.size() + 1) {}

    void observe(double value)
    {
        const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
        ++counts_[static_cast<std::size_t>(bucket)];
        ++count_;
        sum_ += value;
    }

    std::span<const double> bounds() const noexcept { return bounds_; }
    /// Observations in each bucket, not cumulated; the last is that above all bounds.
    std::span<const std::int64_t> counts() const noexcept { return counts_; }
    std::int64_t count() const noexcept { return count_; }
    double sum() const noexcept { return sum_; }

private:
    std::span<const double> bounds_;
    std::vector<std::int64_t> counts_;
    std::int64_t count_ = 0;
    double sum_ = 0;
};

/// The buckets of one engine's histograms; times in seconds.
struct HistogramBounds {
    std::span<const double> first_token;
    std::span<const double> token_gap;
    std::span<const double> latency;
    std::span<const double> queue;
    std::span<const double> token_count;
};

namespace detail {

inline constexpr std::array first_token_bounds{0.001, 0.005, 0.01, 0.02,  0.04,  0.06,  0.08, 0.1,
                                               0.25,  0.5,   0.75, 1.0,   2.5,   5.0,   7.5,  10.0,
                                               20.0,  40.0,  80.0, 160.0, 640.0, 2560.0};
inline constexpr std::array token_gap_bounds{0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2,  0.3,  0.4, 0.5,
                                             0.75, 1.0,   2.5,  5.0,   7.5, 10.0, 20.0, 40.0, 80.0};
inline constexpr std::array request_bounds{0.3,  0.5,   0.8,   1.0,   1.5,   2.0,    2.5,
                                           5.0,  10.0,  15.0,  20.0,  30.0,  40.0,   50.0,
                                           60.0, 120.0, 240.0, 480.0, 960.0, 1920.0, 7680.0};
inline constexpr std::array token_count_bounds{1.0,   2.0,   5.0,    10.0,   20.0,   50.0,    100.0,
                                               200.0, 500.0, 1000.0, 2000.0, 5000.0, 10000.0, 20000.0};
inline constexpr std::array choices_bounds{1.0, 2.0, 5.0, 10.0, 20.0};

inline constexpr std::array sglang_first_token_bounds{0.1, 0.2,  0.4,  0.6,  0.8,  1.0,  2.0,   4.0,   6.0,
                                                      8.0, 10.0, 20.0, 40.0, 60.0, 80.0, 100.0, 200.0, 400.0};
inline constexpr std::array sglang_token_gap_bounds{0.002, 0.004, 0.006, 0.008, 0.01, 0.015, 0.02, 0.025,
                                                    0.03,  0.035, 0.04,  0.06,  0.08, 0.1,   0.2,  0.4,
                                                    0.6,   0.8,   1.0,   2.0,   4.0,  6.0,   8.0};
inline constexpr std::array sglang_latency_bounds{0.1,   0.2,   0.4,   0.6,    0.8,    1.0,   2.0,  4.0,
                                                  6.0,   8.0,   10.0,  20.0,   40.0,   60.0,  80.0, 100.0,
                                                  200.0, 400.0, 600.0, 1200.0, 1800.0, 2400.0};
inline constexpr std::array sglang_queue_bounds{0.0,  0.1,  0.2,   0.5,   1.0,   2.0,  3.0,
                                                4.0,  5.0,  10.0,  15.,   20.0,  30.0, 40.0,
                                                50.0, 60.0, 100.0, 200.0, 400.0, 800.0};

// Geometric from 0.15 ms on, ratio 1.5.
inline constexpr auto tgi_duration_bounds = [] {
    std::array<double, 35> bounds{};
    double bound_s = 0.0001;
    for (double& bound : bounds)
        bound = bound_s *= 1.5;
    return bounds;
}();

} // namespace detail

/// The buckets of vLLM, which TensorRT-LLM and LMDeploy took over.
inline constexpr HistogramBounds vllm_bounds{detail::first_token_bounds, detail::token_gap_bounds,
                                             detail::request_bounds, detail::request_bounds,
                                             detail::token_count_bounds};
/// The buckets of SGLang.
inline constexpr HistogramBounds sglang_bounds{detail::sglang_first_token_bounds,
                                               detail::sglang_token_gap_bounds, detail::sglang_latency_bounds,
                                               detail::sglang_queue_bounds, detail::token_count_bounds};
/// The buckets of text-generation-inference.
inline constexpr HistogramBounds tgi_bounds{detail::tgi_duration_bounds, detail::tgi_duration_bounds,
                                            detail::tgi_duration_bounds, detail::tgi_duration_bounds,
                                            detail::token_count_bounds};

} // namespace slo::engine

#endif
