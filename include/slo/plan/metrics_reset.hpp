// SPDX-License-Identifier: MIT
// Whether the differences of two snapshots mean anything: restarts, wrong order, different servers.

#ifndef SLO_PLAN_METRICS_RESET_HPP
#define SLO_PLAN_METRICS_RESET_HPP

#include <slo/base/text.hpp>
#include <slo/plan/engine_dialect.hpp>
#include <slo/plan/metrics_window.hpp>
#include <slo/record/snapshot.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::plan {

/// Tells the engines behind one or more endpoints apart, by those of their labels that differ.
class EngineKey {
public:
    /// Labels that name an engine, the widest first.
    static constexpr std::array<std::string_view, 9> identifying{
        "instance", "pod", "model_name", "model", "engine", "engine_id", "engine_type", "dp_rank", "replica"};

    /// More engines than this are not told apart: the labels are no names of engines then.
    static constexpr std::size_t max_engines = 1024;

    EngineKey() = default;

    /// Learns from the series of a metric which labels differ; of those that don't, one stays as the name of
    /// the only engine.
    explicit EngineKey(const Family& family)
    {
        std::map<std::string_view, std::set<std::string>> values;
        for (const auto& change : family.changes) {
            for (const auto name : identifying) {
                if (const auto* value = change.series->label(name))
                    values[name].insert(*value);
            }
        }
        instances_ = values["instance"];
        for (const auto name : identifying) {
            if (const auto found = values.find(name); found != values.end() && found->second.size() > 1)
                labels_.push_back(name);
        }
        constexpr std::array<std::string_view, 6> alone{"engine",     "engine_id", "dp_rank",
                                                        "model_name", "model",     "instance"};
        for (const auto name : alone) {
            if (labels_.empty() && !values[name].empty())
                labels_.push_back(name);
        }
        std::set<std::string> engines;
        for (auto change = family.changes.begin(); change != family.changes.end() && !too_many_; ++change)
            too_many_ = engines.insert(of(*change->series)).second && engines.size() > max_engines;
        if (too_many_)
            labels_.clear();
    }

    /// True when there were more than max_engines.
    bool too_many() const noexcept { return too_many_; }

    /// The engine of a series: the values of its labels joined by '/'; empty when it has none of them.
    std::string of(const record::Series& series) const
    {
        std::string key;
        for (const auto name : labels_) {
            const auto* value = series.label(name);
            if (value && !value->empty())
                key += (key.empty() ? "" : "/") + *value;
        }
        return key;
    }

    /// False for a series of another endpoint than the engines', such as a GPU exporter scraped with them.
    bool knows_instance_of(const record::Series& series) const
    {
        const auto* instance = series.label("instance");
        return !instance || instances_.empty() || instances_.contains(*instance);
    }

private:
    std::vector<std::string_view> labels_;
    std::set<std::string> instances_;
    bool too_many_ = false;
};

/// What stands against trusting the differences.
struct Doubts {
    std::string whole;                          ///< why nothing can be compared; empty when it can
    bool reset_detected = false;                ///< a counter started anew
    std::map<std::string, std::string> engines; ///< engine → why its counters started anew; "" is all of them

    /// Why the counters of an engine ("" for all together) can't be trusted; empty when they can.
    std::string about(const std::string& engine) const
    {
        if (!whole.empty())
            return whole;
        if (engine.empty())
            return engines.empty() ? "" : engines.begin()->second;
        const auto own = engines.find(engine);
        const auto all = engines.find("");
        return own != engines.end() ? own->second : all != engines.end() ? all->second : "";
    }
};

/// A series for a reader: "vllm:prompt_tokens_total{engine="0"}".
inline std::string describe(const std::string& name, const record::Series& series)
{
    std::string text;
    for (const auto& [label, value] : series.labels)
        text += (text.empty() ? "{" : ",") + label + "=\"" + value + "\"";
    return printable(name + (text.empty() ? "" : text + "}"), 160);
}

namespace detail {

// The values that the second of two sets of servers has in a label, for telling whether they overlap.
inline bool disjoint(const record::Snapshot& before, const record::Snapshot& after, std::string_view label)
{
    std::set<std::string_view> first;
    for (const auto& series : before.series) {
        if (const auto* value = series.label(label))
            first.insert(*value);
    }
    bool any = false;
    for (const auto& series : after.series) {
        const auto* value = series.label(label);
        if (value && first.contains(*value))
            return false;
        any |= value != nullptr;
    }
    return any && !first.empty();
}

inline std::string why_not_comparable(const MetricsWindow& window)
{
    const auto& before = window.before();
    const auto& after = window.after();
    if (before.series.empty() && !after.series.empty())
        return "the first snapshot has no metrics, so what happened since can't be known";
    if (before.taken_s && after.taken_s && *after.taken_s < *before.taken_s)
        return "the snapshots are in the wrong order: the second was taken " +
               format_fixed(*before.taken_s - *after.taken_s, 3) + " s before the first";
    if (before.url && after.url && *before.url != *after.url)
        return "the snapshots are of different servers: " + printable(*before.url, 120) + " and " +
               printable(*after.url, 120);
    const auto& first = dialect_of(before);
    const auto& second = dialect_of(after);
    if (first.mark != second.mark && !first.mark.empty() && !second.mark.empty())
        return "the snapshots are of different engines: " + std::string(first.name) + " and " +
               std::string(second.name);
    for (const std::string_view label : {"model_name", "instance"}) {
        if (disjoint(before, after, label))
            return "the snapshots are of different servers: they share no " + std::string(label);
    }
    return "";
}

inline bool counts_up(const MetricsWindow& window, std::string_view name)
{
    using record::PromType;
    const auto type = window.type_of(name);
    if (type == PromType::histogram)
        return name.ends_with("_bucket") || name.ends_with("_count");
    if (type == PromType::counter)
        return true;
    return type == PromType::untyped && (name.ends_with("_total") || name.ends_with("_bucket"));
}

// A counter that got or lost its "_total" in an upgrade did not vanish.
inline bool only_respelt(const MetricsWindow& window, std::string_view name)
{
    if (!series_of(window.after(), name).empty())
        return false;
    const auto base = name.ends_with("_total") ? name.substr(0, name.size() - 6) : name;
    return !series_of(window.after(), window.find(base).name).empty();
}

// How far a start time may move without a start: it is worked out from two clocks in some exporters.
inline constexpr double start_time_slack_s = 1.0;

} // namespace detail

/// Looks for reasons against the differences. A restart shows in a counter that fell or vanished, in a
/// `_created` of the same series or a process_start_time_seconds that moved. Only the metrics that start as
/// `mark` does, and `counters`, bear witness, so that another exporter's restart is none of the engine's.
inline Doubts find_doubts(const MetricsWindow& window, std::string_view mark,
                          const std::set<std::string>& counters, const EngineKey& key)
{
    Doubts doubts;
    doubts.whole = detail::why_not_comparable(window);
    if (!doubts.whole.empty())
        return doubts;
    const auto doubt = [&](const std::string& engine, bool is_reset, std::string reason) {
        doubts.reset_detected |= is_reset;
        doubts.engines.emplace(engine, std::move(reason));
    };
    for (const auto name : window.names()) {
        std::string_view own = name;
        if (own.starts_with("ray_"))
            own.remove_prefix(4);
        const auto same = [](char a, char b) { return a == b || (a == '_' && b == ':'); };
        const bool is_start_time = name == "process_start_time_seconds";
        const bool is_own =
            !mark.empty() && own.size() >= mark.size() &&
            std::equal(mark.begin(), mark.end(), own.begin(), [&](char m, char c) { return same(c, m); });
        const bool is_created = is_own && name.ends_with("_created");
        if (!is_start_time && !is_created && !(is_own && detail::counts_up(window, name)) &&
            !counters.contains(std::string(name)))
            continue;
        const auto family = window.find_exact(std::string(name));
        if (detail::only_respelt(window, name))
            continue;
        for (const auto& change : family.changes) {
            if (is_start_time && !key.knows_instance_of(*change.series))
                continue;
            const auto engine = key.of(*change.series);
            if (is_start_time || is_created) {
                if (change.before && change.after &&
                    std::abs(*change.after - *change.before) > detail::start_time_slack_s)
                    doubt(engine, true,
                          "the server restarted in the window: " + describe(family.name, *change.series) +
                              " moved");
            } else if (change.before && !change.after && !window.after().truncated()) {
                doubt(engine, false,
                      describe(family.name, *change.series) +
                          " is missing in the second snapshot: the server restarted or hides it");
            } else if (change.after && change.fell()) {
                doubt(engine, true,
                      describe(family.name, *change.series) + " fell from " + format_double(*change.before) +
                          " to " + format_double(*change.after) +
                          ": the server restarted, or the snapshots are in the wrong order");
            }
        }
    }
    return doubts;
}

} // namespace slo::plan

#endif
