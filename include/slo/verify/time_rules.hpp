// SPDX-License-Identifier: MIT
// Rules of time: the rows are in order, and it is known what their timestamps count.

#ifndef SLO_VERIFY_TIME_RULES_HPP
#define SLO_VERIFY_TIME_RULES_HPP

#include <slo/record/timestamp.hpp>
#include <slo/verify/rule.hpp>

#include <algorithm>
#include <optional>
#include <string>

namespace slo::verify {

/// Timestamps do not go down from row to row. Stamps of log lines are compared among themselves.
class OrderRule : public Rule {
public:
    void look(const Row& row) override
    {
        auto& before = row.is_utc() ? last_stamp_ : last_;
        if (!before.text.empty() && row.ts() < before.ts)
            report_.findings.add_lazily(row.line(), [&] {
                return "ts " + std::string(row.ts_text()) + " is out of order after " + before.text;
            });
        before.ts = row.ts();
        before.text = row.ts_text();
    }

    RuleReport report() override
    {
        report_.expected = "ts never falls from row to row";
        report_.seen = counted(report_.findings.count(), "fall");
        return std::move(report_);
    }

private:
    struct Last {
        record::Timestamp ts;
        std::string text;
    };

    RuleReport report_;
    Last last_;
    Last last_stamp_;
};

/// The unit of the timestamps is declared, or told by their magnitude; if both, they agree; and every
/// timestamp fits 64-bit nanoseconds.
class UnitRule : public Rule {
public:
    explicit UnitRule(std::optional<record::TsUnit> declared) : declared_(declared) {}

    void look(const Row& row) override
    {
        if (row.is_utc())
            return;
        least_ = std::min(least_.value_or(row.ts()), row.ts());
        greatest_ = std::max(greatest_.value_or(row.ts()), row.ts());
        if (declared_ && !row.ts().to_ns(*declared_))
            report_.findings.add_lazily(row.line(), [&] {
                return "ts " + std::string(row.ts_text()) + " is out of range when it counts " +
                       name(*declared_);
            });
    }

    RuleReport report() override
    {
        report_.expected = declared_ ? "timestamps in " + name(*declared_) + ", as declared"
                                     : "moments between 2001 and 2286, or a unit declared with --ts-unit";
        const auto told = least_ ? record::unit_by_magnitude(*least_, *greatest_) : std::nullopt;
        bool is_contradicted = false;
        if (!least_) {
            report_.seen = "no timestamp without a unit of its own";
        } else if (told) {
            report_.seen = "moments between 2001 and 2286 in " + name(*told);
            is_contradicted = declared_ && *declared_ != *told;
        } else {
            report_.seen = "times from " + std::to_string(least_->whole()) + " to " +
                           std::to_string(greatest_->whole()) + ", which do not tell their unit";
        }
        if (least_ && !declared_ && !told)
            report_.findings.add("unit_must_be_declared: " + report_.seen);
        if (is_contradicted && report_.findings.empty())
            report_.findings.add("declared as " + name(*declared_) + ", but " + report_.seen);
        return std::move(report_);
    }

private:
    static std::string name(record::TsUnit unit) { return std::string(record::name_of(unit)); }

    std::optional<record::TsUnit> declared_;
    std::optional<record::Timestamp> least_;
    std::optional<record::Timestamp> greatest_;
    RuleReport report_;
};

} // namespace slo::verify

#endif
