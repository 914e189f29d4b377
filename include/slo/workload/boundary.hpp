// SPDX-License-Identifier: MIT
// The verb boundary: rows at the edges of what a service takes, each of which is what its category says.

#ifndef SLO_WORKLOAD_BOUNDARY_HPP
#define SLO_WORKLOAD_BOUNDARY_HPP

#include <slo/base/error.hpp>
#include <slo/workload/build.hpp>
#include <slo/workload/quota_build.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace slo::workload {

/// Makes the rows of each category of a spec, in its order.
struct BoundaryOptions {
    static constexpr const char* verb = "boundary";
    static constexpr const char* synopsis = "--spec FILE --pool FILE --tokenizer HOW [OPTION]...";
    static constexpr const char* summary =
        "Makes a route of rare and extreme prompts, category by category; each row is checked against what "
        "its category promises.";

    BuildOptions build;
    QuotaInput input;

    template <class Table>
    void describe(Table& table)
    {
        input.describe(table);
    }

    void run(Build& output) const
    {
        QuotaBuild route(output, input, verb);
        std::vector<RowGroup> groups;
        for (const auto& category : route.spec().categories)
            groups.push_back({category.name, category.rows, nullptr, &category});
        route.fill(groups, 0);
        for (const auto& entry : route.spec().prompt.entries) {
            const bool any = std::any_of(route.rows().begin(), route.rows().end(), [&](const auto& filled) {
                return filled.row.facts.entry == entry.name;
            });
            if (!any)
                throw Error("entry '" + entry.name + "'", "has no row: no category takes it");
        }
        std::vector<std::size_t> order(route.rows().size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = i;
        route.write(order);
    }
};

} // namespace slo::workload

#endif
