// SPDX-License-Identifier: MIT
// Metrics pages of a moment that has passed, out of what a Prometheus server kept of them.

#ifndef SLO_RUN_PROMQL_HPP
#define SLO_RUN_PROMQL_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/prom_label.hpp>
#include <slo/base/text.hpp>
#include <slo/net/scrape.hpp>
#include <slo/plan/engine_dialects.hpp>
#include <slo/record/snapshot_header.hpp>
#include <slo/run/snapshot.hpp>
#include <slo/run/snapshot_options.hpp>
#include <slo/run/snapshot_target.hpp>
#include <slo/wire/prom_number.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::run {

/// What is asked of a Prometheus server.
struct PromqlOptions {
    std::string url;        ///< without /api/v1; empty: nothing is asked
    std::string not_after;  ///< a moment; neither of the two: now
    std::string not_before; ///< a moment
    std::string match;      ///< a series selector; empty: what engines and DCGM export
    double lookback_s = 60;

    template <class Table>
    void describe(Table& table)
    {
        table.section("Out of a Prometheus server");
        table.add("promql", url, "URL", "the server that has scraped the pages");
        table.add("not-after", not_after, "TIME",
                  "the last scrape up to that moment, epoch seconds or ISO 8601 (now)");
        table.add("not-before", not_before, "TIME", "the first scrape from that moment on");
        table.add("lookback", lookback_s, "SECONDS", "how far a scrape may be from that moment");
        table.add("match", match, "SELECTOR", "series to take; else those of engines and of DCGM");
    }
};

/// The pages, each with what it is called.
struct PromqlPages {
    std::vector<SnapshotTarget> targets;
    std::vector<net::Scrape> scrapes;
};

namespace detail {

struct PromqlMoment {
    double time_s = 0;
    bool is_first = false; ///< the first scrape from then on, else the last up to then
};

inline double parse_promql_time(const std::string& text, const char* option)
{
    auto time_s = parse_double(text);
    if (!time_s)
        time_s = record::parse_utc_moment(text);
    constexpr double last = 4e9;
    if (!time_s || !(*time_s >= 0 && *time_s <= last))
        throw UsageError(option, "wants seconds since 1970, or a moment such as 2026-05-01T10:00:00Z");
    return *time_s;
}

inline PromqlMoment promql_moment(const PromqlOptions& options)
{
    if (!options.not_before.empty())
        return {parse_promql_time(options.not_before, "--not-before"), true};
    if (!options.not_after.empty())
        return {parse_promql_time(options.not_after, "--not-after"), false};
    return {wall_clock_s(), false};
}

// RFC 3986: all but the unreserved characters.
inline std::string percent_encoded(std::string_view text)
{
    constexpr char hex[] = "0123456789ABCDEF";
    std::string encoded;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           c == '-' || c == '.' || c == '_' || c == '~';
        if (plain)
            encoded += c;
        else
            (encoded += '%') += {hex[byte >> 4], hex[byte & 15]};
    }
    return encoded;
}

inline std::string promql_selector(const PromqlOptions& options)
{
    if (!options.match.empty())
        return options.match;
    std::string marks = "DCGM_|process_start_time_seconds";
    for (const auto& dialect : plan::engine_dialects)
        if (marks.find(dialect.mark) == std::string::npos)
            marks += "|" + std::string(dialect.mark);
    return "{__name__=~\"(" + marks + ").*\"}";
}

inline std::string promql_query_url(const PromqlOptions& options, const PromqlMoment& moment)
{
    auto base = options.url;
    while (base.ends_with('/'))
        base.pop_back();
    const auto range_ms = format_fixed(options.lookback_s * 1000, 0);
    const auto until_s = moment.is_first ? moment.time_s + options.lookback_s : moment.time_s;
    return base +
           "/api/v1/query?query=" + percent_encoded(promql_selector(options) + "[" + range_ms + "ms]") +
           "&time=" + format_fixed(until_s, 3);
}

struct PromqlSample {
    std::string series; ///< as the text format writes it
    std::string value;
};

// The samples of one scraped page by their time: all that one scrape brought have the same.
struct PromqlPage {
    std::string job, instance;
    std::map<double, std::vector<PromqlSample>> scrapes;
};

inline bool is_metric_name(std::string_view name, bool is_label)
{
    const auto is_letter = [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c == ':' && !is_label);
    };
    return !name.empty() && is_letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
        return is_letter(c) || (c >= '0' && c <= '9');
    });
}

inline std::string_view view(const json::string& text)
{
    return {text.data(), text.size()};
}

// Without job and instance, which the server put there.
inline std::optional<std::string> series_text(const json::object& metric)
{
    const auto name = string_at(metric, "__name__");
    if (!name || !is_metric_name(*name, false))
        return std::nullopt;
    std::string labels;
    for (const auto& label : metric) {
        const std::string_view key(label.key().data(), label.key().size());
        if (key == "__name__" || key == "job" || key == "instance")
            continue;
        if (!label.value().is_string() || !is_metric_name(key, true))
            return std::nullopt;
        labels += (labels.empty() ? "" : ",") + std::string(key) + "=\"" +
                  escaped_label(view(label.value().get_string())) + "\"";
    }
    return std::string(*name) + (labels.empty() ? "" : "{" + labels + "}");
}

inline void add_series(const json::object& series, std::map<std::string, PromqlPage>& pages)
{
    const Error malformed("the answer has a series that is none");
    const auto* metric = object_at(series, "metric");
    const auto* values = array_at(series, "values");
    const auto text = metric ? series_text(*metric) : std::nullopt;
    if (!text || !values)
        throw malformed;
    const std::string job(string_at(*metric, "job").value_or("")),
        instance(string_at(*metric, "instance").value_or(""));
    auto& page = pages[job + '\n' + instance];
    page.job = job;
    page.instance = instance;
    for (const auto& each : *values) {
        const auto* pair = each.if_array();
        const auto time_s = pair && pair->size() == 2 ? as_number(&(*pair)[0]) : std::nullopt;
        const auto* value = time_s ? (*pair)[1].if_string() : nullptr;
        double number = 0;
        if (!value || value->empty() ||
            wire::parse_prom_number(value->data(), value->data() + value->size(), number) !=
                value->data() + value->size())
            throw malformed;
        page.scrapes[*time_s].push_back({*text, std::string(view(*value))});
    }
}

} // namespace detail

/// The pages in an answer of /api/v1/query to a range of `selector`: of each scraped target the first scrape
/// from `time_s` on, or the last up to it. Series that this scrape no longer brought are left out. Throws
/// Error.
inline PromqlPages pages_of_answer(const net::Scrape& answer, const PromqlOptions& options,
                                   const detail::PromqlMoment& moment)
{
    json::value value;
    try {
        value = parse_json(answer.body);
    } catch (const JsonError& error) {
        throw Error(std::string("no answer of a Prometheus server: ") + error.what());
    }
    const auto* root = value.if_object();
    const auto* data = root && string_at(*root, "status") == "success" ? object_at(*root, "data") : nullptr;
    const auto* result =
        data && string_at(*data, "resultType") == "matrix" ? array_at(*data, "result") : nullptr;
    if (!result)
        throw Error("no answer of a Prometheus server: no matrix of samples");
    std::map<std::string, detail::PromqlPage> pages;
    for (const auto& series : *result) {
        const auto* object = series.if_object();
        if (!object)
            throw Error("the answer has a series that is none");
        detail::add_series(*object, pages);
    }
    PromqlPages found;
    for (const auto& [key, page] : pages) {
        const auto at = moment.is_first        ? page.scrapes.lower_bound(moment.time_s)
                        : page.scrapes.empty() ? page.scrapes.end()
                                               : std::prev(page.scrapes.end());
        if (at == page.scrapes.end())
            continue;
        net::Scrape scrape;
        for (const auto& sample : at->second)
            scrape.body += sample.series + " " + sample.value + "\n";
        scrape.time_s = at->first;
        scrape.duration_s = answer.duration_s;
        found.scrapes.push_back(std::move(scrape));
        found.targets.push_back({options.url + (options.url.ends_with('/') ? "?job=" : "/?job=") +
                                     detail::percent_encoded(page.job) +
                                     "&instance=" + detail::percent_encoded(page.instance),
                                 ""});
    }
    return found;
}

/// Refuses options that make no sense together. Throws UsageError.
inline void check_promql(const PromqlOptions& options, const SnapshotOptions& snapshot)
{
    if (options.url.empty()) {
        if (!options.not_after.empty() || !options.not_before.empty() || !options.match.empty())
            throw UsageError("--not-after, --not-before and --match want --promql");
        return;
    }
    target_of_url(options.url);
    if (options.url.find_first_of("?#") != std::string::npos)
        throw UsageError("--promql", "wants the server's URL, without a query");
    if (!snapshot.urls.empty() || !snapshot.labels.empty() || snapshot.every_s)
        throw UsageError("--promql", "cannot stand with --url, --label or --every");
    if (!options.not_after.empty() && !options.not_before.empty())
        throw UsageError("--not-before", "cannot stand with --not-after");
    if (!(options.lookback_s >= 0.001 && options.lookback_s <= 86400))
        throw UsageError("--lookback", "must be between 0.001 and 86400 s");
    detail::promql_moment(options);
}

/// Asks the server, and again as `retries` says where it seems busy or has not scraped yet. Throws Error.
inline PromqlPages promql_pages(net::Scraper& scraper, const PromqlOptions& options,
                                const ScrapeRetries& retries, int stop_fd)
{
    const auto moment = detail::promql_moment(options);
    const auto source = shown_url(options.url);
    for (unsigned attempt = 0;; ++attempt) {
        const auto answer = scraper.scrape({detail::promql_query_url(options, moment)}, stop_fd).front();
        if (answer.cancelled)
            return {};
        const bool is_last = attempt >= retries.count;
        if (answer.error.empty()) {
            PromqlPages pages;
            try {
                pages = pages_of_answer(answer, options, moment);
            } catch (const Error& error) {
                throw Error(source, error.what());
            }
            if (!pages.targets.empty())
                return pages;
            if (is_last)
                throw Error(source, "no scrape within " + format_double(options.lookback_s) + " s " +
                                        (moment.is_first ? "after " : "before ") +
                                        record::iso8601_utc_ms(moment.time_s) + " of " +
                                        printable(detail::promql_selector(options), 200));
        } else if (is_last || !answer.may_pass) {
            throw Error(source, answer.error);
        }
        if (wait_or_stop(retries.pause_s, stop_fd))
            return {};
    }
}

} // namespace slo::run

#endif
