// SPDX-License-Identifier: MIT
// The rule of boundary sets: every category is there and keeps its promise.

#ifndef SLO_VERIFY_BOUNDARY_RULE_HPP
#define SLO_VERIFY_BOUNDARY_RULE_HPP

#include <slo/verify/rule.hpp>
#include <slo/workload/quota_spec.hpp>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace slo::verify {

/// Each category (`assembly.boundary_categories`) has exactly its rows, each row of it keeps what the
/// category promises, and each kind of entry occurs.
class BoundaryRule : public Rule {
public:
    BoundaryRule(std::vector<workload::Category> categories, const std::vector<workload::EntryKind>& entries)
        : categories_(std::move(categories)), rows_(categories_.size())
    {
        for (const auto& entry : entries)
            missing_entries_.insert(entry.name);
    }

    void look(const Row& row) override
    {
        auto facts = workload::read_row_facts(row.assembly(), row.model());
        if (row.tokens())
            facts.prompt_tokens = static_cast<std::int64_t>(row.tokens()->size());
        missing_entries_.erase(facts.entry);
        const auto* names = array_at(row.assembly(), "boundary_categories");
        if (!names || names->empty())
            return report_.findings.add(row.line(), "of no category");
        for (const auto& name : *names) {
            const auto* text = name.if_string();
            const auto category =
                std::find_if(categories_.begin(), categories_.end(), [&](const workload::Category& each) {
                    return text && each.name == std::string_view(*text);
                });
            if (category == categories_.end())
                return report_.findings.add(row.line(), "unknown category " + printable(to_json(name), 60));
            ++rows_[static_cast<std::size_t>(category - categories_.begin())];
            const auto broken = workload::broken_part(category->promise, facts);
            if (!broken.empty())
                report_.findings.add(row.line(), category->name + ": " + broken);
        }
    }

    RuleReport report() override
    {
        std::size_t present = 0;
        for (std::size_t i = 0; i < categories_.size(); ++i) {
            const auto& category = categories_[i];
            present += rows_[i] > 0;
            report_.figures[category.name] = rows_[i];
            if (rows_[i] != category.rows)
                report_.findings.add("category " + category.name + " has " +
                                     counted(static_cast<std::uint64_t>(rows_[i]), "row") + ", not " +
                                     std::to_string(category.rows));
        }
        for (const auto& entry : missing_entries_)
            report_.findings.add("no row entered by " + entry);
        report_.expected =
            "all rows of " + counted(categories_.size(), "category", "categories") + ", as each promises";
        report_.seen =
            counted(present, "category", "categories") + ", " + counted(report_.findings.count(), "finding");
        return std::move(report_);
    }

private:
    std::vector<workload::Category> categories_;
    std::vector<std::int64_t> rows_;
    std::set<std::string> missing_entries_;
    RuleReport report_;
};

} // namespace slo::verify

#endif
