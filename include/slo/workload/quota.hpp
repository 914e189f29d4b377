// SPDX-License-Identifier: MIT
// The verb quota: a route whose prompts have the lengths that production's have.

#ifndef SLO_WORKLOAD_QUOTA_HPP
#define SLO_WORKLOAD_QUOTA_HPP

#include <slo/base/python_random.hpp>
#include <slo/workload/buckets.hpp>
#include <slo/workload/build.hpp>
#include <slo/workload/quota_build.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace slo::workload {

/// Fills the buckets of a spec to their quotas.
struct QuotaOptions {
    static constexpr const char* verb = "quota";
    static constexpr const char* synopsis = "--spec FILE --pool FILE --tokenizer HOW [OPTION]...";
    static constexpr const char* summary =
        "Makes a route out of conversations: each class of prompt lengths has exactly its quota of rows.";

    BuildOptions build;
    QuotaInput input;
    std::optional<std::int64_t> seed;

    template <class Table>
    void describe(Table& table)
    {
        input.describe(table);
        table.section("Order");
        table.add("seed", seed, "SEED", "of the shuffle, instead of the spec's");
    }

    void run(Build& output) const
    {
        QuotaBuild route(output, input, verb);
        const auto& spec = route.spec();
        std::vector<RowGroup> groups;
        std::vector<std::size_t> kinds;
        for (const auto& bucket : spec.buckets) {
            kinds.insert(kinds.end(), static_cast<std::size_t>(bucket.rows), groups.size());
            groups.push_back({bucket.name, bucket.rows, &bucket, nullptr});
        }
        const auto limit = static_cast<std::size_t>(spec.longest_run);
        if (limit > 0)
            RunLimiter(kinds, groups.size(), limit); // before the work is done
        const auto chosen = seed.value_or(spec.shuffle_seed);
        route.fill(groups, static_cast<std::uint64_t>(chosen));

        std::vector<std::size_t> order(kinds.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = i;
        PythonRandom(chosen).shuffle(order);
        std::vector<std::size_t> shuffled;
        for (const auto row : order)
            shuffled.push_back(kinds[row]);
        if (limit > 0) {
            std::vector<std::size_t> limited;
            for (const auto place : RunLimiter(shuffled, groups.size(), limit).order())
                limited.push_back(order[place]);
            order = std::move(limited);
        }
        output.facts()["seed"] = chosen;
        route.write(order);
    }
};

} // namespace slo::workload

#endif
