// SPDX-License-Identifier: MIT
// The summary of a run in the forms that readers of other load generators know.

#ifndef SLO_RECORD_RUN_SUMMARY_HPP
#define SLO_RECORD_RUN_SUMMARY_HPP

#include <slo/base/json.hpp>
#include <slo/record/run_info.hpp>
#include <slo/record/run_totals.hpp>
#include <slo/record/summary_flat.hpp>
#include <slo/record/summary_nested.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace slo::record {

/// Whose form a summary has.
enum class SummaryFormat { vllm, sglang, aiperf, guidellm };

inline constexpr std::array<std::string_view, 4> summary_format_names{"vllm", "sglang", "aiperf", "guidellm"};

/// The format of a name, or nothing.
constexpr std::optional<SummaryFormat> summary_format(std::string_view name) noexcept
{
    for (std::size_t i = 0; i < summary_format_names.size(); ++i)
        if (name == summary_format_names[i])
            return static_cast<SummaryFormat>(i);
    return std::nullopt;
}

/// The summary in a form: one object, in the names and units of that form, and beside them in every form
/// `e2el_basis`, `achieved_rate`, `send_lag_p99_ms`, `errors_by_kind`, `client_saturated_rounds`, and
/// `percentile_error`, the relative error that a percentile may have.
inline json::object render_summary(SummaryFormat format, const RunInfo& info, const RunTotals& totals)
{
    auto summary = format == SummaryFormat::vllm     ? vllm_summary(info, totals)
                   : format == SummaryFormat::sglang ? sglang_summary(info, totals)
                   : format == SummaryFormat::aiperf ? aiperf_summary(info, totals)
                                                     : guidellm_summary(info, totals);
    detail::add_own_fields(summary, totals);
    return summary;
}

} // namespace slo::record

#endif
