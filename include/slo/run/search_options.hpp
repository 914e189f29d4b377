// SPDX-License-Identifier: MIT
// What the user asks of a search and of its session.

#ifndef SLO_RUN_SEARCH_OPTIONS_HPP
#define SLO_RUN_SEARCH_OPTIONS_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/run/service_client.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::run {

/// What is searched for. What is absent comes from an earlier start record, else is the default.
struct SearchOptions {
    std::optional<double> low;
    std::optional<double> high;
    std::optional<double> slo;         ///< seconds, default 6.5
    std::optional<double> precision;   ///< default 0.1, for the strategies that certify or locate 0.01
    std::optional<double> ceiling;     ///< default 64 times high
    std::optional<int> total_rounds;   ///< default 8, with offload 16
    std::optional<int> tail_window;    ///< default 4, with offload 8
    std::optional<std::uint64_t> seed; ///< default 1
    bool offload = false;
    std::optional<std::size_t> confirm; ///< runs beyond the first of the best rate and its neighbour
    std::string budget; ///< "12" probes, "8h" or "200r": another way to say one of the budgets
    std::optional<std::size_t> max_probes;
    std::optional<double> max_time; ///< seconds
    std::vector<std::string> command;

    std::optional<std::string> strategy{};   ///< default classic; what follows is not for that one
    std::optional<double> confidence{};      ///< default 0.95
    std::optional<std::size_t> rounds{};     ///< spent on making the interval narrower; default 100
    std::optional<std::size_t> max_rounds{}; ///< budget over the whole search
    bool common_numbers = false;
};

/// How the service under load is looked after.
struct KeeperOptions {
    std::string state_file;                   ///< of serve-ctl; empty: it is not looked after
    std::string relaunch;                     ///< a line for /bin/sh; empty: one that died stays dead
    std::optional<double> relaunch_timeout_s; ///< default 600, with offload 900
    bool offload = false;
    int probes = 3;          ///< requests before one that lives counts as not answering
    double timeout_s = 20;   ///< for each of them
    std::size_t retries = 0; ///< probes more of a rate at which it died, before that is a fail
    ServiceClientOptions client;
};

/// Where and how a search is run.
struct SessionOptions {
    SearchOptions search;
    std::string journal;                 ///< path; empty: none
    std::optional<double> report_every;  ///< seconds between progress records, default 900, with offload 1800
    std::optional<double> probe_timeout; ///< seconds
    double cooldown_s = 0;               ///< between probes
    std::string reset_cache;             ///< a URL or a line for /bin/sh, before each probe; empty: none
    KeeperOptions service;
    bool next = false;    ///< instead of a search: the next rate alone
    bool summary = false; ///< instead of a search: the result of the records so far
    bool dry_run = false; ///< instead of a search: what it would do next

    /// Adds the options to a table of the cli layer, which this layer does not know.
    template <class Table>
    void describe(Table& table)
    {
        table.command(search.command);
        table.section("Search");
        table.add("low,l", search.low, "QPS", "rate probed first, thought to pass");
        table.add("high,H", search.high, "QPS", "rate thought to fail");
        table.add("slo,s", search.slo, "SECONDS", "latency that a passing rate stays below (6.5)");
        table.add("precision,p", search.precision, "QPS",
                  "step of the grid of rates (0.1; 0.01 unless --strategy is classic)");
        table.add("ceiling", search.ceiling, "QPS", "no rate above this one is probed (64 times HIGH)");
        table.flag("offload", search.offload, "KV cache offload is on: 16 rounds, tail 8");
        table.add("total-rounds,n", search.total_rounds, "COUNT", "rounds of a probe, told to COMMAND (8)");
        table.add("tail-window,t", search.tail_window, "COUNT", "rounds that decide, told to COMMAND (4)");
        table.add("seed", search.seed, "NUMBER", "told to COMMAND (1)");
        table.add("confirm", search.confirm, "COUNT",
                  "then run the best rate and the one above so often again (0)");
        table.section("Strategy");
        table.add("strategy,S", search.strategy, "HOW", "classic, probabilistic or certify (classic)");
        table.add("confidence,c", search.confidence, "LEVEL", "of each verdict, told to COMMAND (0.95)");
        table.add("rounds,r", search.rounds, "COUNT",
                  "certify: spend so many on making the interval narrower (100)");
        table.flag("common-random-numbers", search.common_numbers,
                   "give all probes that locate the edge the same seed");
        table.section("Budget");
        table.add("budget", search.budget, "HOW-MUCH",
                  "end after 12 probes or 200r rounds, or begin none after 8h, 90m, 60s");
        table.add("max-probes", search.max_probes, "COUNT", "end after so many probes");
        table.add("max-rounds", search.max_rounds, "COUNT", "begin no probe that would exceed so many");
        table.add("max-time", search.max_time, "SECONDS", "begin no probe after this time");
        table.add("probe-timeout", probe_timeout, "SECONDS", "a probe that takes longer fails");
        table.section("Between probes");
        table.add("cooldown", cooldown_s, "SECONDS", "wait so long (0)");
        table.add("reset-cache", reset_cache, "URL|CMD",
                  "post to URL, or have sh run CMD, before each probe");
        table.section("Service");
        table.add("service", service.state_file, "STATE", "look after it; its state file, by serve-ctl");
        table.add("relaunch", service.relaunch, "CMD", "have sh start it again when it has died");
        table.add("relaunch-timeout", service.relaunch_timeout_s, "SECONDS",
                  "for its first answer then (600, with --offload 900)");
        table.add("retry-died", service.retries, "COUNT",
                  "probe a rate at which it died so often again before it fails");
        table.add("service-probes", service.probes, "COUNT", "requests before it counts as not answering");
        table.add("service-timeout", service.timeout_s, "SECONDS", "for each of them");
        service.client.describe(table);
        table.section("Records");
        table.add("journal,j", journal, "FILE", "keep the search in FILE, or go on from there");
        table.add("report-every", report_every, "SECONDS",
                  "between progress records (900, with --offload 1800)");
        table.section("Instead of a search");
        table.flag("next", next, "print the next rate for the records so far; status 1: none");
        table.flag("summary", summary, "print the result of the records so far");
        table.flag("dry-run", dry_run, "print what would be probed, run nothing");
    }
};

/// Puts what `budget` says into max_probes, max_rounds or max_time. Throws UsageError.
inline void resolve_budget(SearchOptions& options)
{
    if (options.budget.empty())
        return;
    if (options.max_probes || options.max_time || options.max_rounds)
        throw UsageError("--budget cannot stand with --max-probes, --max-rounds or --max-time");
    std::string_view text = options.budget;
    if (const auto probes = parse_integer<std::size_t>(text)) {
        if (*probes < 1)
            throw UsageError("--budget", "must be at least one probe");
        options.max_probes = *probes;
    } else if (const auto rounds = parse_integer<std::size_t>(text.substr(0, text.size() - 1));
               rounds && text.ends_with('r')) {
        if (*rounds < 1)
            throw UsageError("--budget", "must be at least one round");
        options.max_rounds = *rounds;
    } else {
        constexpr std::string_view units = "smhd";
        constexpr double seconds[]{1, 60, 3600, 86400};
        const auto unit = units.find(text.back());
        text.remove_suffix(1);
        const auto number = parse_double(text);
        if (unit == std::string_view::npos || !number || !(*number > 0 && *number <= 1e9))
            throw UsageError(
                "--budget", "'" + printable(options.budget, 40) +
                                "' is no number of probes, no rounds as 200r, and no time as 8h, 90m, 3600s");
        options.max_time = *number * seconds[unit];
    }
    options.budget.clear();
}

/// Throws UsageError for values that make no sense, or no sense together.
inline void check_session(const SessionOptions& options)
{
    const auto& service = options.service;
    if (options.report_every && !(*options.report_every > 0))
        throw UsageError("--report-every", "must be above 0");
    if (options.probe_timeout && !(*options.probe_timeout > 0))
        throw UsageError("--probe-timeout", "must be above 0");
    if (!(options.cooldown_s >= 0 && options.cooldown_s <= 86400))
        throw UsageError("--cooldown", "must be between 0 and 86400 s");
    if (options.search.confirm.value_or(0) > 1000)
        throw UsageError("--confirm", "must be at most 1000");
    if (service.state_file.empty() && (!service.relaunch.empty() || service.retries > 0))
        throw UsageError(service.relaunch.empty() ? "--retry-died" : "--relaunch", "needs --service");
    if (service.retries > 0 && service.relaunch.empty())
        throw UsageError("--retry-died", "needs --relaunch");
    if (service.retries > 100)
        throw UsageError("--retry-died", "must be at most 100");
    if (service.probes < 1 || service.probes > 1000)
        throw UsageError("--service-probes", "must be between 1 and 1000");
    if (!(service.timeout_s > 0 && service.timeout_s <= 86400))
        throw UsageError("--service-timeout", "must be above 0 and at most 86400 s");
    if (service.relaunch_timeout_s &&
        !(*service.relaunch_timeout_s > 0 && *service.relaunch_timeout_s <= 1e7))
        throw UsageError("--relaunch-timeout", "must be above 0");
}

} // namespace slo::run

#endif
