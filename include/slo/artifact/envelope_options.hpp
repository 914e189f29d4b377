// SPDX-License-Identifier: MIT
// What envelope-build is told.

#ifndef SLO_ARTIFACT_ENVELOPE_OPTIONS_HPP
#define SLO_ARTIFACT_ENVELOPE_OPTIONS_HPP

#include <slo/base/error.hpp>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace slo::artifact {

/// The files of one run, and where its artifact goes. Empty: not given.
struct EnvelopeOptions {
    std::string sidecar, card;
    std::vector<std::string> rounds, requests, warmup;
    std::string run;
    std::string vllm_result, sglang_result, aiperf_result;
    std::string diff, before, after;
    std::vector<std::string> samples, gpu;
    double gpu_utc_offset_h = 0;
    std::string preflight, verdict, search;
    std::vector<std::string> quality, stability;
    double stability_warmup_min = 10;
    std::optional<double> slice_min;
    std::string cold_start;
    std::string label;
    bool steady = false, force = false;
    std::string output = "-";

    /// Binds the options in the order of --help.
    template <class Table>
    void describe(Table& table)
    {
        table.section("What ran");
        table.add("sidecar", sidecar, "FILE", "the deployment: benchmark.yaml");
        table.add("card", card, "FILE", "the workload card");
        table.add("label", label, "TEXT", "tells this configuration from others: engine.engine_config_tag");
        table.section("The client's side");
        table.add_list("rounds", rounds, "FILE", "round records of replay; several files are shards");
        table.add_list("requests", requests, "FILE", "its request records: exact figures");
        table.add("run", run, "FILE", "its run record, where no request records are given");
        table.add("vllm-result", vllm_result, "FILE", "result of vllm bench serve, instead");
        table.add("sglang-result", sglang_result, "FILE", "result of sglang.bench_serving, instead");
        table.add("aiperf-result", aiperf_result, "FILE", "export of AIPerf or genai-perf, instead");
        table.add_list("warmup", warmup, "FILE",
                       "round records of a warm-up sent before: so much less of the run is left out");
        table.flag("steady", steady, "measure from the steady window on, not after the card's warm-up");
        table.section("The server's side");
        table.add("diff", diff, "FILE", "record of prom-diff");
        table.add("before", before, "FILE", "snapshot of prom-snap before the run, with --after");
        table.add("after", after, "FILE", "and the one after it");
        table.add_list("samples", samples, "FILE", "gauges during the run: prom-snap --every");
        table.section("The machine");
        table.add_list("gpu", gpu, "FILE", "readings of GPUs: nvidia-smi CSV, DCGM pages, JSON Lines");
        table.add("gpu-utc-offset", gpu_utc_offset_h, "HOURS", "how far nvidia-smi's clock is ahead of UTC");
        table.add("preflight", preflight, "FILE", "record of gpu-preflight");
        table.section("More of the run");
        table.add("verdict", verdict, "FILE", "record of rounds-analyze");
        table.add("search", search, "FILE", "journal of bisect");
        table.add_list("quality", quality, "FILE", "results of quality evaluations");
        table.add_list("stability", stability, "FILE", "slices of a burn-in, in order");
        table.add("stability-warmup", stability_warmup_min, "MINUTES", "of the burn-in, left out");
        table.add("slice-minutes", slice_min, "MINUTES", "length of a slice, where the slices do not tell");
        table.add("cold-start", cold_start, "FILE", "times of a cold start");
        table.section("Output");
        table.add("output,o", output, "FILE|DIR/",
                  "where the artifact goes; in a folder its name is made up");
        table.flag("force", force, "write over a file that is there");
    }

    /// All files that are read, in no order.
    std::vector<std::string> inputs() const
    {
        std::vector<std::string> all;
        for (const auto* path : {&sidecar, &card, &run, &vllm_result, &sglang_result, &aiperf_result, &diff,
                                 &before, &after, &preflight, &verdict, &search, &cold_start})
            if (!path->empty())
                all.push_back(*path);
        for (const auto* list : {&rounds, &requests, &warmup, &samples, &gpu, &quality, &stability})
            all.insert(all.end(), list->begin(), list->end());
        return all;
    }

    /// Throws UsageError for options that do not go together.
    void check() const
    {
        if (sidecar.empty() || card.empty())
            throw UsageError(sidecar.empty() ? "--sidecar" : "--card", "is missing");
        const auto given = [](std::initializer_list<const std::string*> paths) {
            return std::count_if(paths.begin(), paths.end(), [](const auto* path) { return !path->empty(); });
        };
        const auto foreign = given({&vllm_result, &sglang_result, &aiperf_result});
        const bool ours = !rounds.empty() || !requests.empty();
        if (foreign > 1 || (foreign == 1 && (ours || !run.empty())))
            throw UsageError("the client's side is that of one client: replay's records or one result file");
        if (before.empty() != after.empty())
            throw UsageError("--before and --after want each other");
        if (!diff.empty() && !before.empty())
            throw UsageError("--diff", "excludes --before and --after");
        if (!ours && foreign == 0 && diff.empty() && before.empty())
            throw UsageError("nothing was measured: give --rounds, --requests, a result file or --diff");
        if (!warmup.empty() && !ours)
            throw UsageError("--warmup", "wants --rounds or --requests");
        if (steady && rounds.empty())
            throw UsageError("--steady", "wants --rounds");
        if (!(gpu_utc_offset_h >= -24 && gpu_utc_offset_h <= 24))
            throw UsageError("--gpu-utc-offset", "must be from -24 to 24");
        const auto all = inputs();
        if (std::count(all.begin(), all.end(), "-") > 1)
            throw UsageError("only one file can be standard input");
    }
};

} // namespace slo::artifact

#endif
