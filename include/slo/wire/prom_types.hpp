// SPDX-License-Identifier: MIT
// What a text of metrics consists of: samples, types, and an account of the lines that are neither.

#ifndef SLO_WIRE_PROM_TYPES_HPP
#define SLO_WIRE_PROM_TYPES_HPP

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace slo::wire {

/// The type that a `# TYPE` line gives a metric family.
enum class PromType { untyped, counter, gauge, histogram, summary, info, stateset, gauge_histogram };

inline constexpr std::array<std::string_view, 8> prom_type_names{
    "untyped", "counter", "gauge", "histogram", "summary", "info", "stateset", "gaugehistogram"};

/// The name that a `# TYPE` line uses.
constexpr std::string_view name_of(PromType type) noexcept
{
    return prom_type_names[static_cast<std::size_t>(type)];
}

/// The type of that name ("unknown" is OpenMetrics for untyped), or nothing.
constexpr std::optional<PromType> prom_type_of(std::string_view name) noexcept
{
    if (name == "unknown")
        return PromType::untyped;
    for (std::size_t i = 0; i < prom_type_names.size(); ++i) {
        if (prom_type_names[i] == name)
            return static_cast<PromType>(i);
    }
    return std::nullopt;
}

/// One label of a sample; the value is unescaped.
struct PromLabel {
    std::string_view name;
    std::string_view value;

    friend bool operator==(const PromLabel&, const PromLabel&) = default;
};

/// One sample; its views live only as long as the call that hands it out.
struct PromSample {
    std::string_view name;
    std::span<const PromLabel> labels; ///< in the order of the text, no name twice
    double value = 0;                  ///< NaN and both infinities are values like others
    std::optional<double> timestamp_s; ///< seconds since 1970, whichever unit the text uses
};

/// What a text was made of, besides its samples.
struct PromReport {
    std::size_t samples = 0;
    std::size_t exemplars = 0;
    std::size_t malformed_lines = 0;
    std::size_t first_malformed_line = 0; ///< 1-based; 0 when there is none
    std::string_view first_reason;        ///< a constant: why that line is neither a sample nor a comment
    bool saw_eof = false;                 ///< a `# EOF` line, the end of an OpenMetrics text
    bool openmetrics = false;             ///< has an exemplar or `# EOF`, which no classic text has
    bool cut_last_line = false;           ///< the last line has no LF and is malformed
    bool looks_like_html = false;
    bool looks_like_json = false;
    bool looks_like_binary = false; ///< gzip, UTF-16, NUL bytes

    /// True when the text shows that its end is missing. A text cut between two lines of the classic format,
    /// or inside the digits of its last value, doesn't show it.
    bool truncated() const noexcept { return cut_last_line || (openmetrics && !saw_eof); }
};

/// The account of two texts together; the first malformed line is that of `a` where it has one.
constexpr PromReport add_reports(const PromReport& a, const PromReport& b) noexcept
{
    auto sum = a.malformed_lines > 0 ? a : b;
    sum.samples = a.samples + b.samples;
    sum.exemplars = a.exemplars + b.exemplars;
    sum.malformed_lines = a.malformed_lines + b.malformed_lines;
    // An end that is missing in one must not hide behind the other's.
    sum.openmetrics = a.openmetrics || b.openmetrics;
    sum.saw_eof = (a.saw_eof || !a.openmetrics) && (b.saw_eof || !b.openmetrics) && sum.openmetrics;
    sum.cut_last_line = a.cut_last_line || b.cut_last_line;
    sum.looks_like_html = a.looks_like_html || b.looks_like_html;
    sum.looks_like_json = a.looks_like_json || b.looks_like_json;
    sum.looks_like_binary = a.looks_like_binary || b.looks_like_binary;
    return sum;
}

} // namespace slo::wire

#endif
