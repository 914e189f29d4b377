// SPDX-License-Identifier: MIT
// A client's totals held against a diff of the server's metrics.

#ifndef SLO_PLAN_RECONCILE_DIFF_HPP
#define SLO_PLAN_RECONCILE_DIFF_HPP

#include <slo/base/text.hpp>
#include <slo/plan/client_totals.hpp>
#include <slo/plan/reconcile.hpp>
#include <slo/record/diff.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace slo::plan {

/// True for the finish reasons that mean an answer: not abort, cancel, error, fail, whatever their case and
/// what stands around them ("ResponseType.CANCEL").
inline bool is_success(std::string_view reason)
{
    const auto lower = lower_case(reason);
    constexpr std::array<std::string_view, 6> failures{"abort", "cancel", "error", "fail", "drop", "timeout"};
    return std::none_of(failures.begin(), failures.end(),
                        [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

/// The totals of a server by what its metrics did.
inline ServerTotals server_totals_of(const record::Diff& diff)
{
    ServerTotals totals;
    totals.reset = diff.reset_detected;
    totals.prompt_tokens = diff.counter("prompt_tokens");
    totals.generation_tokens = diff.counter("generation_tokens");
    for (const auto& [reason, count] : diff.success) {
        if (!count || !is_success(reason))
            continue;
        totals.requests = totals.requests.value_or(0) + *count;
        totals.success[reason] += *count;
    }
    return totals;
}

/// Compares a client's totals with a diff. The basis is that of the diff's engine unless `canary` is known,
/// which wins.
inline Reconciliation reconcile(const ClientTotals& client, const record::Diff& diff,
                                RequestsBasis canary = RequestsBasis::unknown, double tolerance = 0.05)
{
    ReconcileOptions options;
    options.tolerance = tolerance;
    options.basis = canary != RequestsBasis::unknown ? canary : basis_of_engine(diff.engine);
    options.basis_from = canary != RequestsBasis::unknown ? "canary" : "engine";
    return reconcile(client, server_totals_of(diff), options);
}

} // namespace slo::plan

#endif
