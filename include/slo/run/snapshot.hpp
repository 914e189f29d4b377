// SPDX-License-Identifier: MIT
// The metrics pages of some servers at one moment, as a file keeps them.

#ifndef SLO_RUN_SNAPSHOT_HPP
#define SLO_RUN_SNAPSHOT_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/shown_url.hpp>
#include <slo/base/text.hpp>
#include <slo/net/scrape.hpp>
#include <slo/record/snapshot_header.hpp>
#include <slo/run/snapshot_target.hpp>
#include <slo/wire/prom_text.hpp>

#include <poll.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slo::run {

/// How often a page is asked for again when its server seems busy or not up yet.
struct ScrapeRetries {
    unsigned count = 0;
    double pause_s = 1;
};

/// Why an answer is no metrics page, or nothing when it is one.
inline std::string no_metrics_reason(const net::Scrape& scrape)
{
    struct Sink {
        void sample(const wire::PromSample&) const {}
    };
    if (trim(scrape.body).empty())
        return "an empty answer";
    const auto report = wire::parse_prom(scrape.body, Sink{});
    if (report.looks_like_html)
        return "an HTML page, not metrics";
    if (report.looks_like_json)
        return "JSON, not metrics in the text format";
    if (report.samples == 0)
        return "no metrics in the answer";
    const bool wants_eof = scrape.content_type.starts_with("application/openmetrics-text");
    return report.truncated() || (wants_eof && !report.saw_eof) ? "the page is cut short" : "";
}

/// The comment line before a page in a snapshot file, with its end. `bytes` counts the page as it came.
inline std::string snapshot_header(const SnapshotTarget& target, const net::Scrape& scrape)
{
    record::SnapshotHeader header{
        scrape.time_s, shown_url(target.url), scrape.duration_s, scrape.body.size(), {}};
    if (!target.label.empty())
        header.label = target.label;
    return record::format_snapshot_header(header) + "\n";
}

/// Waits until `seconds` have passed or the descriptor (-1: none) is readable or hung up; true for the
/// latter.
inline bool wait_or_stop(double seconds, int stop_fd)
{
    const auto end_ns = monotonic_ns() + to_ns(seconds);
    for (;;) {
        const auto left_ns = end_ns - monotonic_ns();
        pollfd watched{stop_fd, POLLIN, 0};
        const auto left_ms = std::clamp<std::int64_t>((left_ns + 999'999) / 1'000'000, 0, 3'600'000);
        if (::poll(&watched, 1, static_cast<int>(left_ms)) > 0)
            return true;
        if (left_ns <= 0)
            return false;
    }
}

/// The pages of all targets; those whose error may pass are asked for again. An answer that is no metrics
/// page has an error too.
inline std::vector<net::Scrape> scrape_all(net::Scraper& scraper, const std::vector<SnapshotTarget>& targets,
                                           const ScrapeRetries& retries, int stop_fd)
{
    std::vector<net::Scrape> results(targets.size());
    std::vector<std::size_t> due(targets.size());
    for (std::size_t i = 0; i < due.size(); ++i)
        due[i] = i;
    for (unsigned attempt = 1;; ++attempt) {
        std::vector<std::string> urls;
        for (const auto i : due)
            urls.push_back(targets[i].url);
        auto scrapes = scraper.scrape(urls, stop_fd);
        std::vector<std::size_t> again;
        bool cancelled = false;
        for (std::size_t k = 0; k < due.size(); ++k) {
            auto& scrape = scrapes[k];
            cancelled = cancelled || scrape.cancelled;
            if (scrape.error.empty())
                scrape.error = no_metrics_reason(scrape);
            if (scrape.may_pass)
                again.push_back(due[k]);
            if (!scrape.error.empty() && attempt > 1)
                scrape.error += " (tried " + std::to_string(attempt) + " times)";
            results[due[k]] = std::move(scrape);
        }
        due = again;
        if (due.empty() || cancelled || attempt > retries.count)
            return results;
        if (wait_or_stop(retries.pause_s, stop_fd)) {
            for (const auto i : due)
                results[i].cancelled = true;
            return results;
        }
    }
}

/// Writes what scrape_all() gave as one snapshot file: header, page, header, page. `write` takes text.
/// Throws Error for the first target without a page; then nothing has been written.
template <class Write>
void write_snapshot(const std::vector<SnapshotTarget>& targets, const std::vector<net::Scrape>& scrapes,
                    Write&& write)
{
    for (std::size_t i = 0; i < targets.size(); ++i) {
        if (!scrapes[i].error.empty())
            throw Error(source_of(targets[i]), scrapes[i].error);
    }
    for (std::size_t i = 0; i < targets.size(); ++i) {
        write(snapshot_header(targets[i], scrapes[i]));
        write(scrapes[i].body);
        if (!scrapes[i].body.ends_with('\n'))
            write("\n");
    }
}

} // namespace slo::run

#endif
