// SPDX-License-Identifier: MIT
// What prom-snap is told, checked.

#ifndef SLO_RUN_SNAPSHOT_OPTIONS_HPP
#define SLO_RUN_SNAPSHOT_OPTIONS_HPP

#include <slo/base/error.hpp>
#include <slo/net/api_key.hpp>
#include <slo/net/scrape.hpp>
#include <slo/net/tls_files.hpp>
#include <slo/run/snapshot_samples.hpp>
#include <slo/run/snapshot_target.hpp>

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace slo::run {

/// The options of prom-snap as they came.
struct SnapshotOptions {
    std::vector<std::string> urls;
    std::vector<std::string> labels;  ///< "NAME=URL"
    std::vector<std::string> metrics; ///< empty: those sampled by default
    std::optional<double> every_s;
    std::optional<std::uint64_t> count;
    bool until_eof = false;
    double timeout_s = 20;
    unsigned retries = 0;
    std::size_t max_bytes = std::size_t{256} << 20;
    std::string api_key_file;
    bool no_api_key = false;
    std::string ca_file, certificate_file, key_file;
    bool insecure = false;
    std::string output = "-";

    /// Adds the options to a table of the cli layer, which this layer does not know.
    template <class Table>
    void describe(Table& table)
    {
        table.section("What");
        table.add_repeatable("url,u", urls, "URL", "metrics page to fetch; may be repeated");
        table.add_repeatable("label,l", labels, "NAME=URL", "the same under a name of its own");
        table.add("output,o", output, "FILE", "where to write, as a whole or not at all");
        table.section("Sampling");
        table.add("every", every_s, "SECONDS", "print chosen gauges at this interval, as JSON Lines");
        table.add("count", count, "COUNT", "end after so many moments");
        table.flag("until-eof", until_eof, "end when stdin ends");
        table.add_repeatable("metric,m", metrics, "NAME",
                             "sample this instead of the usual gauges; NAME* for all");
        table.section("Connection");
        table.add("timeout", timeout_s, "SECONDS", "for one whole answer");
        table.add("retry", retries, "COUNT", "ask again, a second later, when a server seems busy or down");
        table.add("max-bytes", max_bytes, "BYTES", "largest answer, unpacked");
        table.add("api-key-file", api_key_file, "FILE", "bearer key in its first line; else OPENAI_API_KEY");
        table.flag("no-api-key", no_api_key, "send no key");
        table.add("cacert", ca_file, "FILE", "PEM certificates to trust instead of the system's");
        table.add("cert", certificate_file, "FILE", "PEM certificate to show");
        table.add("key", key_file, "FILE", "PEM key of that certificate");
        table.flag("insecure", insecure, "do not check the server's certificate");
    }
};

/// The targets, once all options have been found to make sense together; none `from_prometheus`. Throws
/// UsageError.
inline std::vector<SnapshotTarget> checked_targets(const SnapshotOptions& options,
                                                   bool from_prometheus = false)
{
    if (!(options.timeout_s >= 0.001 && options.timeout_s <= 86400))
        throw UsageError("--timeout", "must be between 0.001 and 86400 s");
    if (options.every_s && !(*options.every_s >= 0.01 && *options.every_s <= 86400))
        throw UsageError("--every", "must be between 0.01 and 86400 s");
    if (options.every_s && !options.count && !options.until_eof)
        throw UsageError("--every", "wants --count or --until-eof");
    if (!options.every_s && (options.count || options.until_eof || !options.metrics.empty()))
        throw UsageError("--count, --until-eof and --metric want --every");
    if (options.every_s && options.retries > 0)
        throw UsageError("--retry", "cannot stand with --every: the next sample is the retry");
    if (options.count && *options.count == 0)
        throw UsageError("--count", "must be at least 1");
    if (options.retries > 1000)
        throw UsageError("--retry", "must be at most 1000");
    if (options.max_bytes == 0 || options.max_bytes > std::size_t{4} << 30)
        throw UsageError("--max-bytes", "must be between 1 and 4294967296");
    if (!options.key_file.empty() && options.certificate_file.empty())
        throw UsageError("--key", "wants --cert");
    if (options.no_api_key && !options.api_key_file.empty())
        throw UsageError("--no-api-key", "cannot stand with --api-key-file");
    if (from_prometheus)
        return {};
    return snapshot_targets(options.urls, options.labels);
}

/// How to connect. The bearer key is that of --api-key-file, else OPENAI_API_KEY, which is an engine's and
/// not for a Prometheus server; without either, none is sent. Throws UsageError, IoError, InputError.
inline net::ScrapeOptions scrape_options(const SnapshotOptions& options, bool from_prometheus = false)
{
    net::ScrapeOptions scrape;
    scrape.timeout_s = options.timeout_s;
    scrape.max_bytes = options.max_bytes;
    scrape.tls = {options.ca_file, options.certificate_file, options.key_file, options.insecure};
    net::check_tls_files(scrape.tls);
    const char* const environment = std::getenv("OPENAI_API_KEY");
    if (!options.api_key_file.empty() ||
        (!options.no_api_key && !from_prometheus && environment && *environment))
        scrape.bearer_key = net::find_api_key("", options.api_key_file);
    return scrape;
}

/// How often to sample and until when; --every is given.
inline SamplingPlan sampling_plan(const SnapshotOptions& options)
{
    return {options.every_s.value(), options.count, options.until_eof ? STDIN_FILENO : -1};
}

/// Samples as told and hands each record to `write`. Throws Error when no scrape succeeded.
template <class Write>
SamplingResult sample(const SnapshotOptions& options, net::Scraper& scraper,
                      const std::vector<SnapshotTarget>& targets, int stop_fd, Write&& write)
{
    const auto result = sample_at_interval(scraper, targets, SampledMetrics(options.metrics),
                                           sampling_plan(options), stop_fd, write);
    if (result.taken == 0 && result.failed > 0)
        throw Error("no scrape succeeded, the last: " + result.last_error);
    return result;
}

} // namespace slo::run

#endif
