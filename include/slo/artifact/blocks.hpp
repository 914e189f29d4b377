// SPDX-License-Identifier: MIT
// What the makers of an envelope's blocks share.

#ifndef SLO_ARTIFACT_BLOCKS_HPP
#define SLO_ARTIFACT_BLOCKS_HPP

#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/stats/steady.hpp>
#include <slo/stats/summary.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::artifact {

/// A block of an envelope; where it is not there, or lacks something, the notes say why.
struct SideBlock {
    std::optional<json::object> value;
    std::vector<std::string> notes;
};

/// The figures of a latency block, in their order.
inline constexpr std::array<std::string_view, 5> latency_figures{"mean", "p50", "p90", "p95", "p99"};

/// A latency block of which nothing is known: every figure is there, and null.
inline json::object unknown_latency()
{
    json::object block;
    for (const auto figure : latency_figures)
        block[json::string_view(figure.data(), figure.size())] = nullptr;
    return block;
}

/// The latency block of a sample in milliseconds (no NaN in it, in any order): mean, and percentiles by
/// linear interpolation, as numpy and the clients compute them; all null for an empty one.
inline json::object latency_block(const std::vector<double>& values_ms)
{
    auto block = unknown_latency();
    if (const auto summary = stats::summarize(values_ms)) {
        block["mean"] = stats::plain_mean(values_ms);
        block["p50"] = summary->p50;
        block["p90"] = summary->p90;
        block["p95"] = summary->p95;
        block["p99"] = summary->p99;
    }
    return block;
}

/// True when a latency block has a figure that is not null.
inline bool is_known(const json::object& latency)
{
    for (const auto figure : latency_figures) {
        if (number_at(latency, figure))
            return true;
    }
    return false;
}

/// The finite `value` at `decimals` digits after the point, rounded as its exact binary value demands (what
/// Python's round() gives).
inline double rounded(double value, int decimals)
{
    return parse_double(format_fixed(value, decimals)).value_or(value);
}

} // namespace slo::artifact

#endif
