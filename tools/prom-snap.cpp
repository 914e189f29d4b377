// SPDX-License-Identifier: MIT
// prom-snap: the metrics pages of servers, at one moment or at an interval.

#include <slo/cli/main.hpp>
#include <slo/io/atomic_file.hpp>
#include <slo/io/signals.hpp>
#include <slo/net/library_version.hpp>
#include <slo/run/snapshot_options.hpp>
#include <slo/run/snapshot_samples.hpp>

namespace {
using namespace slo;

struct Options {
    run::SnapshotOptions snapshot;
    std::string output = "-";
};

void describe(cli::OptionTable& table, Options& o)
{
    auto& s = o.snapshot;
    table.section("What");
    table.add_repeatable("url,u", s.urls, "URL", "metrics page to fetch; may be repeated");
    table.add_repeatable("label,l", s.labels, "NAME=URL", "the same under a name of its own");
    table.add("output,o", o.output, "FILE", "where to write, as a whole or not at all");
    table.section("Sampling");
    table.add("every", s.every_s, "SECONDS", "print chosen gauges at this interval, as JSON Lines");
    table.add("count", s.count, "COUNT", "end after so many moments");
    table.flag("until-eof", s.until_eof, "end when stdin ends");
    table.add_repeatable("metric,m", s.metrics, "NAME",
                         "sample this instead of the usual gauges; NAME* for all");
    table.section("Connection");
    table.add("timeout", s.timeout_s, "SECONDS", "for one whole answer");
    table.add("retry", s.retries, "COUNT", "ask again, a second later, when a server seems busy or down");
    table.add("max-bytes", s.max_bytes, "BYTES", "largest answer, unpacked");
    table.add("api-key-file", s.api_key_file, "FILE", "bearer key in its first line; else OPENAI_API_KEY");
    table.flag("no-api-key", s.no_api_key, "send no key");
    table.add("cacert", s.ca_file, "FILE", "PEM certificates to trust instead of the system's");
    table.add("cert", s.certificate_file, "FILE", "PEM certificate to show");
    table.add("key", s.key_file, "FILE", "PEM key of that certificate");
    table.flag("insecure", s.insecure, "do not check the server's certificate");
}

Exit take(const Options& o, cli::Streams& streams)
{
    const auto targets = run::checked_targets(o.snapshot);
    net::Scraper scraper(run::scrape_options(o.snapshot));
    if (o.snapshot.insecure)
        streams.note("certificates are not checked (--insecure)");
    io::StopSignal stop;
    if (o.snapshot.every_s) {
        io::JsonlWriter out(o.output);
        out.give_up_when_readable(stop.fd());
        const auto result = run::sample(o.snapshot, scraper, targets, stop.fd(),
                                        [&](const json::object& record) { out.write(record); });
        if (result.skipped > 0)
            streams.note("samples skipped: " + std::to_string(result.skipped) +
                         " (the answers took longer than --every)");
    } else {
        io::AtomicFile file(o.output);
        file.give_up_when_readable(stop.fd());
        const auto pages = run::scrape_all(scraper, targets, {o.snapshot.retries, 1}, stop.fd());
        if (!stop.requested()) {
            run::write_snapshot(targets, pages, [&](std::string_view text) { file.write(text); });
            file.commit();
        }
    }
    return stop.requested() ? Exit::undecided : Exit::ok;
}

} // namespace

int main(int argc, char** argv)
{
    return slo::cli::run_tool<Options>(
        {"prom-snap", "--url URL... [OPTION]...",
         "Saves the metrics pages of inference servers, or samples their gauges.", net::library_version()},
        describe, take, argc, argv);
}
