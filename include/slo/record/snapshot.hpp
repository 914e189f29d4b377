// SPDX-License-Identifier: MIT
// A scrape of a metrics endpoint in memory, and the reader of saved ones.

#ifndef SLO_RECORD_SNAPSHOT_HPP
#define SLO_RECORD_SNAPSHOT_HPP

#include <slo/base/error.hpp>
#include <slo/wire/prom_text.hpp>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::record {

using wire::PromType;

/// One time series at the moment of a scrape.
struct Series {
    std::string name;
    std::vector<std::pair<std::string, std::string>> labels; ///< sorted by name
    double value = 0;
    std::optional<double> timestamp_s; ///< as the server gave it, seconds since 1970

    /// The value of a label, or null.
    const std::string* label(std::string_view label_name) const noexcept
    {
        for (const auto& [name_of_label, text] : labels) {
            if (name_of_label == label_name)
                return &text;
        }
        return nullptr;
    }

    /// The value of a label, empty where there is none.
    std::string label_text(std::string_view label_name) const
    {
        const auto* text = label(label_name);
        return text ? *text : std::string();
    }
};

/// What one scrape gave.
struct Snapshot {
    std::string source; ///< file or URL
    std::optional<double> taken_s;
    std::optional<std::string> url;
    std::optional<std::string> label;
    std::optional<double> duration_s;                   ///< how long the scrape took
    std::vector<Series> series;                         ///< by name, then labels; none twice
    std::map<std::string, PromType, std::less<>> types; ///< by family, as the `# TYPE` lines name them
    std::size_t duplicates = 0; ///< samples dropped because a later one is of the same series
    wire::PromReport report;
    bool short_body = false; ///< fewer bytes than the header promises

    /// True when the text shows that its end is missing.
    bool truncated() const noexcept { return short_body || report.truncated(); }

    /// The declared type of the family that a sample of that name belongs to: `x_total` and `x_created` are
    /// of a counter `x`, `x_bucket` of a histogram, …; untyped when no line says.
    PromType type_of(std::string_view sample_name) const
    {
        if (const auto found = types.find(sample_name); found != types.end())
            return found->second;
        for (const std::string_view suffix : {"_total", "_created", "_bucket", "_count", "_sum", "_info"}) {
            if (!sample_name.ends_with(suffix))
                continue;
            const auto family = sample_name.substr(0, sample_name.size() - suffix.size());
            if (const auto found = types.find(family); found != types.end())
                return found->second;
        }
        return PromType::untyped;
    }
};

/// More series than this in one scrape are an InputError.
inline constexpr std::size_t max_series = 2'000'000;

/// Which metrics to keep, by name; empty keeps all.
using NameFilter = std::function<bool(std::string_view name)>;

namespace detail {

class SnapshotSink {
public:
    SnapshotSink(Snapshot& snapshot, const NameFilter& keep) : snapshot_(snapshot), keep_(keep) {}

    void sample(const wire::PromSample& sample)
    {
        if (keep_ && !keep_(sample.name))
            return;
        if (snapshot_.series.size() == max_series)
            throw InputError(snapshot_.source, "more than 2000000 series");
        Series series;
        series.name = sample.name;
        series.value = sample.value;
        series.timestamp_s = sample.timestamp_s;
        series.labels.reserve(sample.labels.size());
        for (const auto& label : sample.labels)
            series.labels.emplace_back(label.name, label.value);
        std::sort(series.labels.begin(), series.labels.end());
        snapshot_.series.push_back(std::move(series));
    }

    void type(std::string_view name, PromType type)
    {
        if (!keep_ || keep_(name))
            snapshot_.types.insert_or_assign(std::string(name), type);
    }

private:
    Snapshot& snapshot_;
    const NameFilter& keep_;
};

// Sorts the series; of one that stands more than once the latest stays, the last where no time tells.
inline void sort_series(Snapshot& snapshot)
{
    auto& all = snapshot.series;
    std::stable_sort(all.begin(), all.end(), [](const Series& a, const Series& b) {
        if (const int order = a.name.compare(b.name))
            return order < 0;
        if (const auto order = a.labels <=> b.labels; order != 0)
            return order < 0;
        return a.timestamp_s < b.timestamp_s;
    });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i + 1 < all.size() && all[i].name == all[i + 1].name && all[i].labels == all[i + 1].labels) {
            ++snapshot.duplicates;
            continue;
        }
        if (kept != i)
            all[kept] = std::move(all[i]);
        ++kept;
    }
    all.resize(kept);
}

} // namespace detail

/// The scrape whose body `text` is. Malformed lines are counted in `report`, never an error. Throws
/// InputError above `max_series`.
inline Snapshot parse_snapshot(std::string_view text, std::string source, const NameFilter& keep = {})
{
    Snapshot snapshot;
    snapshot.source = std::move(source);
    snapshot.report = wire::parse_prom(text, detail::SnapshotSink(snapshot, keep));
    detail::sort_series(snapshot);
    return snapshot;
}

} // namespace slo::record

#endif
