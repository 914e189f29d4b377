// SPDX-License-Identifier: MIT
// The rules of the validity gate: which class needs each, and where it is stricter than the classic gate.

#ifndef SLO_ARTIFACT_VALIDITY_TABLE_HPP
#define SLO_ARTIFACT_VALIDITY_TABLE_HPP

#include <slo/base/error.hpp>

#include <array>
#include <string>
#include <string_view>

namespace slo::artifact {

/// What an artifact can be good for, the least first.
enum class Class { invalid, smoke, baseline, production };

/// The name of a class as `validity.classification` has it.
constexpr std::string_view name_of(Class what) noexcept
{
    constexpr std::array<std::string_view, 4> names{"invalid_or_incomplete", "valid_smoke_only",
                                                    "valid_controlled_baseline",
                                                    "valid_production_representative"};
    return names[static_cast<std::size_t>(what)];
}

/// The lowest class that needs a rule kept; `none` needs it: a broken one is a warning.
enum class Need { every_class, baseline, production, none };

/// What a broken rule costs, in one word: invalid, smoke_only, not_production or warning.
constexpr std::string_view severity_of(Need need) noexcept
{
    constexpr std::array<std::string_view, 4> names{"invalid", "smoke_only", "not_production", "warning"};
    return names[static_cast<std::size_t>(need)];
}

/// One rule of the gate.
struct RuleRow {
    std::string_view id;
    Need need;
    std::string_view wants;   ///< one phrase
    std::string_view classic; ///< what the classic gate does there; "the same" where ours is no stricter
    std::string_view reason;  ///< why ours is stricter; empty where it is not
    std::string_view next;    ///< what to do about a broken one
};

inline constexpr std::array validity_rules{
    // What the artifact says by itself.
    RuleRow{"schema", Need::every_class, "the artifact keeps the JSON Schema of the v1 envelope",
            "not looked at", "a field that is missing or of another type is no evidence",
            "build the artifact with envelope-build"},
    RuleRow{"identity", Need::every_class,
            "version, id, time, tool, model, engine, image, machine and card are named",
            "null counts as missing, an empty text does not", "an empty name says nothing about what ran",
            "complete the sidecar"},
    RuleRow{
        "metrics", Need::every_class,
        "requests, error rate, duration, throughput, and p50 and p99 of TTFT, TPOT, ITL and E2E are there",
        "ITL may be missing", "ITL is one of the four latencies that an artifact promises",
        "measure again with the request records kept"},
    RuleRow{"nonzero", Need::every_class,
            "something was measured: no request count, duration or latency of 0", "0 counts as measured",
            "0 is what a missing value was turned into, not a latency",
            "measure again; nothing was measured"},
    RuleRow{
        "agreement", Need::every_class,
        "the numbers agree: error rate, throughput, order of percentiles, TTFT within E2E, times of the run",
        "not looked at", "numbers that contradict one another come from two runs or from no run",
        "build the artifact from the files of one run"},
    RuleRow{"figures-agree", Need::every_class,
            "the latencies of metrics are those of extensions.sloutils.client", "not looked at",
            "a figure that was changed by hand is no measurement",
            "build the artifact from the files of one run"},
    RuleRow{"error-rate", Need::every_class, "at most half of the requests failed", "not looked at",
            "the latency of few survivors is not that of the service", "find out why requests fail"},
    RuleRow{"error-limit", Need::baseline, "the error rate keeps error_rate_max of card and sidecar",
            "not looked at", "latency below an error limit that is not kept cannot be compared",
            "find out why requests fail, or lower the rate"},
    RuleRow{"completed", Need::baseline, "at least 10 requests completed",
            "a warning, for whole numbers alone", "no percentile of fewer than 10 requests means anything",
            "send more requests"},
    RuleRow{"ttft-tail", Need::none, "p99/p50 of TTFT is at most 3, or what the card allows", "the same", "",
            "look for stalls, preemption or cold requests in the run"},
    RuleRow{"reconciled", Need::every_class,
            "client and server do not contradict each other by more than 5 % of the requests",
            "looked at for one tool's name alone; what was counted is never compared again",
            "a self-declared name must not switch a check off",
            "find the requests that one side did not see"},
    RuleRow{"server-side", Need::production, "the server's count was taken and reconciles with the client's",
            "looked at for one tool's name alone", "any other name passed without a server's word",
            "scrape the server before and after the run (prom-snap)"},
    RuleRow{"declared-figures", Need::every_class,
            "no figure of a measurement comes from the card or the sidecar",
            "what the card says of its data counts as measured", "a declaration is no measurement",
            "measure what the card only declares"},
    RuleRow{"measured-figures", Need::production,
            "each metric was measured by client, server or GPU, or computed from what was",
            "source_tool.name decides", "source_tool is a text that anyone can write",
            "build the artifact with envelope-build from the records of the run"},
    RuleRow{"sources", Need::production, "the files behind the figures are listed with digest and count",
            "not looked at", "figures without the records they came from cannot be checked by others",
            "build the artifact with envelope-build from the records of the run"},
    RuleRow{"digests", Need::every_class, "--sources: each listed file has the digest and the count it had",
            "not looked at", "records that changed since are not those that were measured",
            "restore the files of the run"},
    RuleRow{"digests-checked", Need::production,
            "--strict-production: the sources were checked with --sources", "strict only turns failures on",
            "a digest that nobody computes again proves nothing", "give --sources DIR"},
    RuleRow{"age", Need::every_class, "--max-age: the artifact is no older, and not of tomorrow",
            "not looked at", "engines change faster than files do", "measure again"},
    RuleRow{"client-health", Need::production, "the client was measured, and was not the limit",
            "not looked at", "a saturated client measures itself", "use a faster client machine, or shards"},
    RuleRow{"steady", Need::production, "at least 3 rounds stand in a steady window", "not looked at",
            "one window, warm-up or a trend among it, is no steady state", "run more rounds"},
    RuleRow{"dataset", Need::production, "the data set is real or a replayed trace", "the same", "",
            "run the card with real requests, or claim a baseline"},
    RuleRow{"dataset-known", Need::none,
            "the type of the data set is one that says where the requests come from", "the same", "",
            "document where the requests come from"},
    RuleRow{"gpu", Need::production, "GPU telemetry of the run is there, by known names, not 0 throughout",
            "looked at for one tool's name alone; any value under any name will do",
            "{\"a\": 0} is no telemetry", "sample the GPUs during the run"},
    RuleRow{"hardware", Need::production, "no XID, no uncorrectable ECC error, no diverging golden answer",
            "not looked at", "a failing card is no representative one", "replace the card and measure again"},
    RuleRow{"quality", Need::every_class, "the quality gate did not fail", "not looked at",
            "speed at broken quality is not the service's", "mend the quality, then measure"},
    RuleRow{"stability", Need::every_class, "the drift gate did not fail; no unrecoverable errors",
            "not looked at; the classic burn-in ends with 0 in any case",
            "a drifting service has no one figure", "let the service come to rest, then measure"},
    RuleRow{"slo", Need::production, "the SLO was judged: a target and a figure in each row", "not looked at",
            "a missing figure passed every SLO", "give the sidecar an slo block and measure again"},
    RuleRow{"slo-rows", Need::every_class,
            "each row of the SLO has the figure of metrics and the verdict of its numbers, and overall_pass "
            "that of the rows",
            "not looked at", "a verdict that was changed by hand is none",
            "build the artifact from the files of one run"},
    RuleRow{"slo-kept", Need::none, "the SLO is kept", "not looked at",
            "a valid measurement of a service that is too slow should say so", "lower the rate"},
    // What the card says of it.
    RuleRow{"card", Need::baseline, "a card says what had to be run and measured",
            "the same (it ends without one)", "", "give --card CARD"},
    RuleRow{"card-id", Need::every_class, "artifact and card have one catalog_id", "not compared",
            "another card's demands say nothing", "give the card that was run"},
    RuleRow{"card-digest", Need::baseline,
            "the card is the one the artifact was built with; one of other bytes and no other data set is a "
            "warning",
            "not compared", "a card that was changed after the run demands something else",
            "give the card that was run, or build the artifact again"},
    RuleRow{"card-dataset", Need::every_class, "artifact and card have one type of data set",
            "not compared; the card's type stands in for a missing one", "other data are another workload",
            "give the card that was run"},
    RuleRow{"card-load", Need::baseline, "type and figures of the load are those of the card", "not compared",
            "another load is another workload", "run the load that the card says"},
    RuleRow{"warm-up", Need::baseline, "as many requests were left out as warm-up as the card says",
            "not looked at", "cold caches and kernels would be measured",
            "run the warm-up that the card says"},
    RuleRow{"repeats", Need::production,
            "as many runs are given as statistics.min_repeats of the card asks for", "not looked at",
            "one run says nothing of the spread between runs",
            "give the artifacts of all repetitions in one call"},
    RuleRow{"smoke-card", Need::baseline, "neither catalog_id nor use_case has the word smoke",
            "the letters \"smoke\" anywhere in the card's prose make any artifact a smoke test",
            "prose is no class; a smoke test is not a baseline whatever is claimed",
            "run a card that is no smoke test"},
    RuleRow{"required-metrics", Need::every_class,
            "each metric that the card requires, in any block, has a number in it",
            "blocks other than cache_stats and distribution are skipped, † names never found, {} will do",
            "what is required must be resolvable, and an empty table has no figures",
            "measure what the card requires"},
    RuleRow{"required-measured", Need::production, "each metric that the card requires was measured",
            "the card's observed_distribution counts", "a card's own figure is no measurement of this run",
            "build the artifact with envelope-build from the records of the run"},
    RuleRow{"required-config", Need::baseline, "the engine runs as required_config of the card says",
            "not looked at", "another configuration is another service", "start the engine as the card says"},
    RuleRow{"reliability", Need::production,
            "none of the card's reliability flags applies (its action says what it costs)", "not looked at",
            "the card says what makes its figures unreliable", "read the flag's reason in the card"},
};

/// The row of a rule. Throws Error for an id that is not in the table.
constexpr const RuleRow& rule_row(std::string_view id)
{
    for (const auto& row : validity_rules) {
        if (row.id == id)
            return row;
    }
    throw Error("no such rule: " + std::string(id));
}

/// What the gate as a whole does differently: (id, classic, ours, reason), as --list-rules shows them.
struct GateRow {
    std::string_view id;
    std::string_view classic;
    std::string_view ours;
    std::string_view reason;
};
inline constexpr std::array validity_gate_rows{
    GateRow{"fails-closed", "failures without a production claim still give a valid baseline, status 0",
            "any failure gives invalid_or_incomplete, status 1", "an empty artifact is no baseline"},
    GateRow{"claim-smoke", "--claim smoke has no effect", "--claim smoke selects valid_smoke_only",
            "who claims less must be able to say so"},
    GateRow{"missing-file",
            "a file that is not there, or is not JSON (NaN), ends with the status of an invalid one",
            "status 3, and a line that says so", "not read is not judged"},
};

/// The text of --list-rules: one line a rule with the columns id, what a broken one costs, ours, classic, and
/// why ours is stricter ("-": it is not), a tab between them.
inline std::string list_validity_rules()
{
    std::string text;
    const auto line = [&](std::string_view id, std::string_view cost, std::string_view ours,
                          std::string_view classic, std::string_view reason) {
        for (const auto cell : {id, cost, ours, classic})
            text += std::string(cell) + "\t";
        text += std::string(reason.empty() ? "-" : reason) + "\n";
    };
    for (const auto& row : validity_rules)
        line(row.id, severity_of(row.need), row.wants, row.classic, row.reason);
    for (const auto& row : validity_gate_rows)
        line(row.id, "gate", row.ours, row.classic, row.reason);
    return text;
}

} // namespace slo::artifact

#endif
