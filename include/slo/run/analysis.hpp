// SPDX-License-Identifier: MIT
// Reading the records of a run, as they come or to their end, until its verdict stands.

#ifndef SLO_RUN_ANALYSIS_HPP
#define SLO_RUN_ANALYSIS_HPP

#include <slo/base/error.hpp>
#include <slo/base/json_parse.hpp>
#include <slo/base/text.hpp>
#include <slo/io/end_on_signal.hpp>
#include <slo/io/fd.hpp>
#include <slo/io/jsonl.hpp>
#include <slo/plan/certain_run.hpp>
#include <slo/plan/certain_verdict.hpp>
#include <slo/plan/line_notes.hpp>
#include <slo/plan/verdict.hpp>
#include <slo/record/request_rounds.hpp>
#include <slo/record/round.hpp>
#include <slo/record/verdict.hpp>
#include <slo/run/analysis_options.hpp>
#include <slo/stats/warm_up.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::run {

namespace detail {

inline bool begins_request_log(std::string_view line)
{
    try {
        const auto value = parse_json(trim(line));
        return value.is_object() && record::RequestRounds::knows(value.get_object());
    } catch (const JsonError&) {
        return false;
    }
}

// MSER-5 over the latencies in the order in which requests were due (White 1997): completion order would show
// too many short ones first. One that failed counts as the slowest so far.
inline void mark_warm_up(std::vector<record::Round>& rounds, std::span<const record::DueLatency> requests)
{
    std::vector<double> latencies;
    double slowest = 0;
    for (const auto& request : requests) {
        slowest = std::max(slowest, request.e2e_s().value_or(0));
        latencies.push_back(request.e2e_s().value_or(slowest));
    }
    if (latencies.empty())
        return;
    const auto cut = std::min(stats::mser(latencies, 5).cut, requests.size() - 1);
    // The round in which the warm-up ends still has a part of it.
    const auto warm = cut > 0 ? static_cast<std::size_t>(requests[cut].round) : 0;
    for (std::size_t i = 0; i < rounds.size(); ++i)
        rounds[i].warming_up = i < warm;
}

// Reads one file of round records, or the request log of a run, whichever it is. `on_round` is told after
// each round record and may end the reading by returning true.
inline record::RoundFile read_run_file(const std::string& path, std::span<const stats::Objective> objectives,
                                       io::EndOnSignal& signal,
                                       const std::function<bool(const record::RoundFile&)>& on_round)
{
    auto fd = io::open_input(path);
    signal.watch(fd.get());
    io::LineReader reader(std::move(fd), io::display_name(path));
    record::RoundReader rounds(reader.name());
    std::optional<record::RequestRounds> log;
    while (const auto line = reader.next()) {
        if (!log && rounds.is_empty() && begins_request_log(*line))
            log.emplace(objectives);
        if (log) {
            if (trim(*line).empty())
                continue;
            try {
                log->add(parse_json(*line).as_object());
            } catch (const Error& error) {
                throw reader.error(error.what());
            }
        } else if (rounds.take(*line, reader.line()) && on_round(rounds.file())) {
            break;
        }
    }
    signal.watch(-1);
    auto file = std::move(rounds).file();
    if (log) {
        file.rounds = log->rounds();
        mark_warm_up(file.rounds, log->latencies());
    }
    return file;
}

// A run in which each request was refused for what it asks tells nothing of any rate: a search by such
// verdicts would go down to its floor.
inline void check_refusals(const std::vector<record::RoundFile>& files)
{
    std::int64_t due = 0;
    std::int64_t refused = 0;
    for (const auto& file : files) {
        for (const auto& round : file.rounds) {
            due += round.due.value_or(1);
            refused += round.refused;
        }
    }
    if (due > 0 && refused == due)
        throw Error("all " + std::to_string(due) +
                    " requests were refused (HTTP 4xx), which no rate explains: is it the model's name, the "
                    "key, the path?");
}

} // namespace detail

/// A verdict by objectives. A single file is judged as its rounds come, and no further than to the look that
/// decides; shards are read to their ends. Throws InputError, IoError and UsageError.
inline record::Verdict analyze_by_objectives(const AnalysisOptions& options, io::EndOnSignal& signal)
{
    const plan::CertainJudge judge(certain_options(options));
    const auto merge = plan::parse_shard_merge(options.shard_merge);
    const auto paths = options.paths();
    std::optional<record::Verdict> verdict;
    const auto on_round = [&](const record::RoundFile& file) {
        if (paths.size() == 1 && judge.is_look(file.rounds.size()))
            verdict = plan::judge_run({file}, judge, merge, false);
        return verdict.has_value();
    };
    std::vector<record::RoundFile> files;
    for (const auto& path : paths)
        files.push_back(detail::read_run_file(path, judge.options().objectives, signal, on_round));
    detail::check_refusals(files);
    if (!verdict) {
        verdict = plan::judge_run(files, judge, merge, true);
        if (signal.signalled() && verdict->status != record::VerdictStatus::pass &&
            verdict->status != record::VerdictStatus::fail)
            verdict->notes.emplace_back("interrupted before the end of the input");
    }
    plan::note_lines(*verdict, files);
    return *verdict;
}

/// A verdict by the classic rule. Throws InputError, IoError and UsageError.
inline record::Verdict analyze_classically(const AnalysisOptions& options, io::EndOnSignal& signal)
{
    const auto judged_as = classic_options(options);
    const auto files = record::read_round_files(options.paths(), [&](int fd) { signal.watch(fd); });
    if (!judged_as.ignore_client || judged_as.min_success_pct > 0)
        detail::check_refusals(files);
    auto verdict = plan::judge(files, judged_as);
    if (signal.signalled())
        plan::withhold(verdict, "interrupted before the end of the input");
    return verdict;
}

} // namespace slo::run

#endif
