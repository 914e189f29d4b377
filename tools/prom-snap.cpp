// SPDX-License-Identifier: MIT
// prom-snap: the metrics pages of servers, at one moment or at an interval.

#include <slo/cli/main.hpp>
#include <slo/io/atomic_file.hpp>
#include <slo/io/signals.hpp>
#include <slo/net/library_version.hpp>
#include <slo/run/promql.hpp>
#include <slo/run/snapshot_options.hpp>
#include <slo/run/snapshot_samples.hpp>

namespace {
using namespace slo;

struct Options {
    run::SnapshotOptions snapshot;
    run::PromqlOptions promql;
};

void describe(cli::OptionTable& table, Options& o)
{
    o.snapshot.describe(table);
    o.promql.describe(table);
}

Exit take(const Options& o, cli::Streams& streams)
{
    run::check_promql(o.promql, o.snapshot);
    const bool from_prometheus = !o.promql.url.empty();
    const auto targets = run::checked_targets(o.snapshot, from_prometheus);
    net::Scraper scraper(run::scrape_options(o.snapshot, from_prometheus));
    if (o.snapshot.insecure)
        streams.note("certificates are not checked (--insecure)");
    io::StopSignal stop;
    if (o.snapshot.every_s) {
        io::JsonlWriter out(o.snapshot.output);
        out.give_up_when_readable(stop.fd());
        const auto result = run::sample(o.snapshot, scraper, targets, stop.fd(),
                                        [&](const json::object& record) { out.write(record); });
        if (result.skipped > 0)
            streams.note("samples skipped: " + std::to_string(result.skipped) +
                         " (the answers took longer than --every)");
    } else {
        io::AtomicFile file(o.snapshot.output);
        file.give_up_when_readable(stop.fd());
        const run::ScrapeRetries retries{o.snapshot.retries, 1};
        const auto pages = from_prometheus
                               ? run::promql_pages(scraper, o.promql, retries, stop.fd())
                               : run::PromqlPages{targets, scrape_all(scraper, targets, retries, stop.fd())};
        if (!stop.requested()) {
            run::write_snapshot(pages.targets, pages.scrapes,
                                [&](std::string_view text) { file.write(text); });
            file.commit();
        }
    }
    return stop.requested() ? Exit::undecided : Exit::ok;
}

} // namespace

int main(int argc, char** argv)
{
    return slo::cli::run_tool<Options>(
        {"prom-snap", "{--url URL... | --promql URL} [OPTION]...",
         "Saves the metrics pages of inference servers, or samples their gauges.", net::library_version()},
        describe, take, argc, argv);
}
