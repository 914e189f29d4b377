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
};

/// The targets, once all options have been found to make sense together. Throws UsageError.
inline std::vector<SnapshotTarget> checked_targets(const SnapshotOptions& options)
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
    return snapshot_targets(options.urls, options.labels);
}

/// How to connect. The bearer key is that of --api-key-file, else OPENAI_API_KEY; without either, none is
/// sent. Throws UsageError, IoError, InputError.
inline net::ScrapeOptions scrape_options(const SnapshotOptions& options)
{
    net::ScrapeOptions scrape;
    scrape.timeout_s = options.timeout_s;
    scrape.max_bytes = options.max_bytes;
    scrape.tls = {options.ca_file, options.certificate_file, options.key_file, options.insecure};
    net::check_tls_files(scrape.tls);
    const char* const environment = std::getenv("OPENAI_API_KEY");
    if (!options.api_key_file.empty() || (!options.no_api_key && environment && *environment))
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
