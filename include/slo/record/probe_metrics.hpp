// SPDX-License-Identifier: MIT
// What a search takes from the records that stand beside a probe's verdict: cache hits, and whether the
// client and the server counted the same.

#ifndef SLO_RECORD_PROBE_METRICS_HPP
#define SLO_RECORD_PROBE_METRICS_HPP

#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/record/search.hpp>

#include <optional>
#include <string>
#include <utility>

namespace slo::record {

/// Gathers it from a diff of metrics (sloutils.diff/1), and a hit rate from any record that has one.
class ProbeMetrics {
public:
    /// Takes in a record; true when it is a diff.
    bool take(const json::object& record)
    {
        if (const auto rate = number_at(record, "hit_rate"); rate && *rate >= 0 && *rate <= 1)
            hit_rate_ = rate;
        if (!string_at(record, "schema").value_or("").starts_with("sloutils.diff/"))
            return false;
        if (const auto* reset = find(record, "reset_detected"); reset && reset->is_bool())
            reset_ = reset_ || reset->get_bool();
        if (const auto* found = object_at(record, "reconciliation")) {
            const auto* agrees = find(*found, "reconciled");
            reconciled_ = agrees && agrees->is_bool() ? std::optional(agrees->get_bool()) : std::nullopt;
            reason_ = printable(string_at(*found, "reason").value_or(""), 200);
        }
        return true;
    }

    /// Hands over what was gathered since the last time: the figures where the probe has none, and a note on
    /// what casts doubt on it.
    void give(SearchProbe& probe)
    {
        const auto gathered = std::exchange(*this, {});
        if (!probe.hit_rate)
            probe.hit_rate = gathered.hit_rate_;
        if (!probe.reconciled)
            probe.reconciled = gathered.reconciled_;
        if (gathered.reconciled_ == false)
            probe.notes.push_back("client and server did not count the same: " + gathered.reason_);
        else if (gathered.reset_)
            probe.notes.emplace_back("the server's counters were reset during the probe");
    }

private:
    std::optional<double> hit_rate_;
    std::optional<bool> reconciled_;
    std::string reason_;
    bool reset_ = false;
};

} // namespace slo::record

#endif
