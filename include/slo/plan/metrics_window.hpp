// SPDX-License-Identifier: MIT
// Two snapshots of the same server side by side: what each series did between them.

#ifndef SLO_PLAN_METRICS_WINDOW_HPP
#define SLO_PLAN_METRICS_WINDOW_HPP

#include <slo/plan/engine_dialect.hpp>
#include <slo/plan/engine_dialects.hpp>
#include <slo/record/snapshot.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slo::plan {

/// One series in both snapshots.
struct Change {
    const record::Series* series = nullptr; ///< in the second snapshot, or in the first where it vanished
    std::optional<double> before;           ///< absent: the series is new, and started at 0
    std::optional<double> after;            ///< absent: it vanished

    double difference() const noexcept { return after.value_or(0) - before.value_or(0); }

    /// True when a counter can't have done this without starting anew.
    bool fell() const noexcept { return before && (!after || *after < *before); }
};

/// All series of one metric.
struct Family {
    std::string name; ///< as the server spells it
    std::vector<Change> changes;

    bool empty() const noexcept { return changes.empty(); }
    bool has_before() const noexcept
    {
        return std::any_of(changes.begin(), changes.end(),
                           [](const Change& c) { return c.before.has_value(); });
    }
};

/// True when a rule lets a series count.
inline bool admits(const SeriesRule& rule, const record::Series& series)
{
    if (rule.label.empty())
        return true;
    const auto* value = series.label(rule.label);
    return (value && value->starts_with(rule.prefix)) == rule.keep;
}

/// The alternatives of "a|b", or the summands of "a+b".
inline std::vector<std::string_view> split_names(std::string_view names, char separator)
{
    std::vector<std::string_view> parts;
    while (!names.empty()) {
        const auto end = std::min(names.find(separator), names.size());
        parts.push_back(names.substr(0, end));
        names.remove_prefix(std::min(end + 1, names.size()));
    }
    return parts;
}

/// The series of a metric in a snapshot, which keeps them sorted by name.
inline std::span<const record::Series> series_of(const record::Snapshot& snapshot, std::string_view name)
{
    const auto& all = snapshot.series;
    const auto first = std::lower_bound(
        all.begin(), all.end(), name, [](const record::Series& s, std::string_view n) { return s.name < n; });
    auto last = first;
    while (last != all.end() && last->name == name)
        ++last;
    return {first, last};
}

/// The ways in which servers spell a metric: with and without "_total"; with '_' for ':', as registries do
/// that know no colon; with Ray's prefix on top.
inline std::vector<std::string> spellings(std::string_view name)
{
    std::string plain(name);
    std::replace(plain.begin(), plain.end(), ':', '_');
    std::vector<std::string> all;
    for (const auto& base : {std::string(name), plain, "ray_" + plain}) {
        for (const auto& spelling : {base + "_total", base}) {
            if (std::find(all.begin(), all.end(), spelling) == all.end())
                all.push_back(spelling);
        }
    }
    return all;
}

/// Two snapshots, the earlier first. It refers to both: they must outlive it.
class MetricsWindow {
public:
    MetricsWindow(const record::Snapshot& before, const record::Snapshot& after)
        : before_(before), after_(after)
    {
    }

    const record::Snapshot& before() const noexcept { return before_; }
    const record::Snapshot& after() const noexcept { return after_; }

    /// The metric under the first of its spellings that the second snapshot has (else the first snapshot);
    /// the two may spell it differently. Empty when neither has it.
    Family find(std::string_view name, const SeriesRule& rule = {}) const
    {
        const auto names = spellings(name);
        const auto in = [&](const record::Snapshot& snapshot) {
            return std::find_if(names.begin(), names.end(),
                                [&](const auto& n) { return !series_of(snapshot, n).empty(); });
        };
        const auto now = in(after_);
        if (now != names.end() && !series_of(before_, *now).empty())
            return pair(*now, *now, rule);
        const auto then = in(before_);
        return pair(then == names.end() ? "" : *then, now == names.end() ? "" : *now, rule);
    }

    /// The first of the alternatives "a|b" that is there, as find() does.
    Family find_first(std::string_view names, const SeriesRule& rule = {}) const
    {
        for (const auto name : split_names(names, '|')) {
            auto family = find(name, rule);
            if (!family.empty())
                return family;
        }
        return {};
    }

    /// The metric of exactly that name.
    Family find_exact(const std::string& name) const { return pair(name, name, {}); }

    /// The names of all metrics of both snapshots, sorted.
    std::vector<std::string_view> names() const
    {
        std::vector<std::string_view> all;
        for (const auto* snapshot : {&before_, &after_}) {
            for (const auto& series : snapshot->series) {
                if (all.empty() || all.back() != series.name)
                    all.push_back(series.name);
            }
        }
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        return all;
    }

    /// The declared type of a metric, in whichever snapshot declares it.
    record::PromType type_of(std::string_view name) const
    {
        const auto type = after_.type_of(name);
        return type == record::PromType::untyped ? before_.type_of(name) : type;
    }

private:
    // Both lists are sorted by labels: one walk pairs them.
    Family pair(const std::string& name_before, const std::string& name_after, const SeriesRule& rule) const
    {
        const auto before =
            name_before.empty() ? std::span<const record::Series>{} : series_of(before_, name_before);
        const auto after =
            name_after.empty() ? std::span<const record::Series>{} : series_of(after_, name_after);
        Family family{after.empty() ? name_before : name_after, {}};
        std::size_t b = 0, a = 0;
        while (b < before.size() || a < after.size()) {
            Change change;
            const bool take_before =
                b < before.size() && (a == after.size() || before[b].labels <= after[a].labels);
            const bool take_after =
                a < after.size() && (b == before.size() || after[a].labels <= before[b].labels);
            if (take_before) {
                change.series = &before[b];
                change.before = before[b++].value;
            }
            if (take_after) {
                change.series = &after[a];
                change.after = after[a++].value;
            }
            if (admits(rule, *change.series))
                family.changes.push_back(change);
        }
        return family;
    }

    const record::Snapshot& before_;
    const record::Snapshot& after_;
};

/// The dialect that the names of a snapshot speak.
inline const EngineDialect& dialect_of(const record::Snapshot& snapshot)
{
    const auto has_prefix = [&](const std::string& prefix) {
        const auto at =
            std::lower_bound(snapshot.series.begin(), snapshot.series.end(), prefix,
                             [](const record::Series& s, const std::string& p) { return s.name < p; });
        return at != snapshot.series.end() && at->name.starts_with(prefix);
    };
    const auto has_mark = [&](std::string_view mark) {
        std::string plain(mark);
        std::replace(plain.begin(), plain.end(), ':', '_');
        return has_prefix(std::string(mark)) || has_prefix(plain) || has_prefix("ray_" + plain);
    };
    const auto has_metric = [&](std::string_view name) {
        const auto names = spellings(name);
        return std::any_of(names.begin(), names.end(),
                           [&](const auto& n) { return !series_of(snapshot, n).empty(); });
    };
    for (const auto& dialect : engine_dialects) {
        if (!has_mark(dialect.mark))
            continue;
        const auto signature = split_names(dialect.signature, '|');
        if (signature.empty() || std::any_of(signature.begin(), signature.end(), has_metric))
            return dialect;
    }
    return unknown_dialect;
}

} // namespace slo::plan

#endif
