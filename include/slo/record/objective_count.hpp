// SPDX-License-Identifier: MIT
// How many requests of a window met an objective: the member `objectives` of a round record.

#ifndef SLO_RECORD_OBJECTIVE_COUNT_HPP
#define SLO_RECORD_OBJECTIVE_COUNT_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/stats/objective.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace slo::record {

/// An objective in its canonical text, the requests that have a say in it, and those of them that met it.
struct ObjectiveCount {
    std::string text;
    std::int64_t requests = 0;
    std::int64_t met = 0;
};

/// The form in records: [{"objective", "requests", "met"}, …].
inline json::array to_record(const std::vector<ObjectiveCount>& counts)
{
    json::array list;
    for (const auto& count : counts)
        list.push_back(
            json::object{{"objective", count.text}, {"requests", count.requests}, {"met", count.met}});
    return list;
}

/// The counts in a round record, their texts made canonical. What is unsound is left out: a text that is no
/// objective, counts that are not 0 ≤ met ≤ requests, an objective that stands there for the second time, and
/// all after the 64th.
inline std::vector<ObjectiveCount> read_objective_counts(const json::object& record)
{
    constexpr std::size_t most = 64;
    constexpr std::size_t longest = 1000;
    std::vector<ObjectiveCount> counts;
    const auto* list = array_at(record, "objectives");
    if (!list)
        return counts;
    for (const auto& value : *list) {
        const auto* entry = value.if_object();
        const auto text = entry ? string_at(*entry, "objective") : std::nullopt;
        const auto requests = entry ? integer_at(*entry, "requests") : std::nullopt;
        const auto met = entry ? integer_at(*entry, "met") : std::nullopt;
        if (!text || text->size() > longest || !requests || !met || *met < 0 || *met > *requests)
            continue;
        try {
            ObjectiveCount count{stats::to_text(stats::parse_objective(*text)), *requests, *met};
            const bool is_new = std::none_of(counts.begin(), counts.end(),
                                             [&](const auto& other) { return other.text == count.text; });
            if (is_new && counts.size() < most)
                counts.push_back(std::move(count));
        } catch (const UsageError&) {
            continue;
        }
    }
    return counts;
}

} // namespace slo::record

#endif
