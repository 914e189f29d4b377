// SPDX-License-Identifier: MIT
// prom-diff: what a server's metrics did between two snapshots.

#include <slo/cli/main.hpp>
#include <slo/net/library_version.hpp>
#include <slo/run/diff_report.hpp>

namespace {
using namespace slo;

using Options = run::DiffReportOptions;

void describe(cli::OptionTable& table, Options& o)
{
    table.positional(o.files);
    table.section("Snapshots");
    table.add("before", o.before, "FILE", "the snapshot taken before the run");
    table.add("after", o.after, "FILE", "the snapshot taken after the run");
    table.add_list("log", o.logs, "FILE", "logs of the engine, for a hit rate where there are no counters");
    table.add_list("gpu", o.gpus, "FILE", "samples of a GPU exporter, or tables of nvidia-smi");
    table.section("Metrics by hand");
    table.add("hit-metric", o.diff.hit_metric, "NAME", "the counter of prefix-cache hits");
    table.add("query-metric", o.diff.query_metric, "NAME", "the counter of prefix-cache lookups");
    table.section("Against the client");
    table.add_list("rounds", o.rounds, "FILE", "round or request records of the run, to reconcile with");
    table.add("tolerance", o.tolerance, "FRACTION", "how far the two sides may be apart");
    table.add("requests-basis", o.requests_basis, "WHAT",
              "what the server counts of n choices: request, choice, choice_plus_one");
    table.add("canary", o.canary, "URL", "API base; one request with n = 2 tells what the server counts");
    table.add("model", o.model, "NAME", "of the canary; else the first that the server names");
    table.add("api-key-file", o.api_key_file, "FILE",
              "of the canary: key in its first line; else OPENAI_API_KEY");
}

Exit diff_metrics(const Options& o, cli::Streams& streams)
{
    const auto options = run::checked(o);
    run::DiffReport report;
    try {
        report = run::report_diff(options);
    } catch (const UsageError&) {
        throw;
    } catch (const Error& error) {
        record::Diff diff;
        diff.status = record::DiffStatus::error;
        diff.error = error.what();
        streams.out.write(record::to_record(diff));
        throw;
    }
    streams.out.write(report.record);
    if (report.status == record::DiffStatus::error)
        throw InputError(report.error);
    return record::exit_of(report.status);
}

} // namespace

int main(int argc, char** argv)
{
    return slo::cli::run_tool<Options>(
        {"prom-diff", "[OPTION]... BEFORE AFTER",
         "Says what a server's metrics did between two snapshots: cache hits, latencies, restarts.",
         net::library_version()},
        describe, diff_metrics, argc, argv);
}
