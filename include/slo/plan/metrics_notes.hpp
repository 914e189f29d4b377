// SPDX-License-Identifier: MIT
// What is worth saying of two snapshots besides figures: flaws of the text, and why a rate is what it is.

#ifndef SLO_PLAN_METRICS_NOTES_HPP
#define SLO_PLAN_METRICS_NOTES_HPP

#include <slo/base/text.hpp>
#include <slo/record/diff.hpp>
#include <slo/record/snapshot.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace slo::plan {

/// Why a snapshot is no text of metrics at all; nothing when it is one, or is empty.
inline std::optional<std::string> why_unreadable(const record::Snapshot& snapshot)
{
    const auto& report = snapshot.report;
    if (report.looks_like_html)
        return "this is HTML, not metrics";
    if (report.looks_like_json)
        return "this is JSON, not metrics in text format";
    if (report.looks_like_binary)
        return "this is binary or compressed, not metrics in text format";
    if (report.samples == 0 && report.malformed_lines > 0)
        return "no line is a metric; line " + std::to_string(report.first_malformed_line) + ": " +
               std::string(report.first_reason);
    return std::nullopt;
}

/// Notes what is wrong with a snapshot that could be read nevertheless.
inline void note_flaws(record::Diff& diff, const record::Snapshot& snapshot)
{
    const auto& report = snapshot.report;
    if (report.malformed_lines > 0)
        diff.notes.push_back(printable(snapshot.source, 120) +
                             ": malformed lines: " + std::to_string(report.malformed_lines) +
                             ", the first at line " + std::to_string(report.first_malformed_line) +
                             " of the metrics: " + std::string(report.first_reason));
    if (snapshot.truncated())
        diff.notes.push_back(printable(snapshot.source, 120) + ": the end is cut off");
    if (snapshot.duplicates > 0)
        diff.notes.push_back(printable(snapshot.source, 120) + ": " + std::to_string(snapshot.duplicates) +
                             " samples stand twice; the last one counts");
}

/// True when two snapshots show the same series with the same values.
inline bool identical(const record::Snapshot& before, const record::Snapshot& after)
{
    const auto same = [](const record::Series& a, const record::Series& b) {
        return a.name == b.name && a.labels == b.labels && a.value == b.value;
    };
    return std::equal(before.series.begin(), before.series.end(), after.series.begin(), after.series.end(),
                      same);
}

/// Seconds between two snapshots, by their headers, else by the timestamps of their samples; nothing
/// where neither tells, or the order is wrong.
inline std::optional<double> window_of(const record::Snapshot& before, const record::Snapshot& after)
{
    const auto moment = [](const record::Snapshot& snapshot) {
        std::optional<double> latest;
        for (const auto& series : snapshot.series) {
            if (series.timestamp_s && (!latest || *series.timestamp_s > *latest))
                latest = series.timestamp_s;
        }
        return latest;
    };
    auto from = before.taken_s;
    auto to = after.taken_s;
    if (!from || !to) {
        from = moment(before);
        to = moment(after);
    }
    return from && to && *to >= *from ? std::optional(*to - *from) : std::nullopt;
}

/// Notes why a rate is near (n-1)/n, which is what n answers to prompts with nothing in common come to.
inline void explain_choices(record::Diff& diff)
{
    if (!diff.total.hit_rate)
        return;
    const bool known = diff.mean_choices_n.has_value();
    const double n = known ? std::round(*diff.mean_choices_n) : 3;
    if (n < 2 || (known && std::abs(*diff.mean_choices_n - n) > 0.05))
        return;
    // SGLang computes the prompt in a request of its own before the n choices.
    const bool warms_up = diff.engine == "sglang";
    const double most = warms_up ? n / (n + 1) : (n - 1) / n;
    if (*diff.total.hit_rate > most + 1e-9 || *diff.total.hit_rate < most * (known ? 0.9 : 0.96))
        return;
    std::string note =
        known ? "the requests asked for n = " + format_fixed(n, 0) + " choices: "
              : std::string("near ") + (warms_up ? "3/4" : "2/3") + ", as requests for n = 3 choices give: ";
    note +=
        warms_up
            ? "each choice of a prompt finds it in the cache, after one request that computes it, at most "
              "n/(n+1) = "
            : "all but one choice of a prompt find it in the cache, at most (n-1)/n = ";
    note +=
        format_fixed(most, 4) + " of the lookups, less the last tokens of each prompt, which fill no block";
    double ended = 0;
    for (const auto& [reason, count] : diff.success)
        ended += count.value_or(0);
    const auto prompt_tokens = diff.counter("prompt_tokens");
    if (diff.block_tokens && *diff.block_tokens >= 1) {
        note += "; a block holds " + format_fixed(*diff.block_tokens, 0) + " tokens";
        // Half a block and a half of each prompt on average: the last token is computed in any case.
        if (prompt_tokens && ended > 0 && *prompt_tokens > ended * *diff.block_tokens)
            note += ", which at " + format_fixed(*prompt_tokens / ended, 0) +
                    " tokens a prompt leaves about " +
                    format_fixed(most * (1 - (*diff.block_tokens + 1) / 2 * ended / *prompt_tokens), 4);
    }
    diff.notes.push_back(std::move(note));
}

} // namespace slo::plan

#endif
