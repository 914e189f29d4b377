// SPDX-License-Identifier: MIT
// What the options of a replay must keep to, each for itself and beside each other.

#ifndef SLO_RUN_REPLAY_CHECKS_HPP
#define SLO_RUN_REPLAY_CHECKS_HPP

#include <slo/base/error.hpp>
#include <slo/io/output_files.hpp>
#include <slo/run/replay_options.hpp>

#include <sys/stat.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace slo::run::detail {

inline void require(bool condition, const char* option, const char* reason)
{
    if (!condition)
        throw UsageError(option, reason);
}

inline bool is_between(double low, std::optional<double> value, double high) noexcept
{
    return !value || (*value >= low && *value <= high);
}

inline void check_numbers(const ReplayOptions& options)
{
    require(options.target_qps.value_or(1) > 0, "--target-qps", "must be above 0");
    require(options.round_duration_s >= 1 && options.round_duration_s <= 10'000'000, "--round-duration",
            "must be from 1 to 10000000 seconds");
    require(options.round_drain_timeout_s >= 0 && options.round_drain_timeout_s <= 10'000'000,
            "--round-drain-timeout", "must be from 0 to 10000000 seconds");
    const int rounds = options.max_rounds.value_or(1);
    require(rounds >= 1 && rounds <= 1'000'000, "--max-rounds", "must be from 1 to 1000000");
    using Seconds = std::optional<double>;
    for (const auto& [value, name] : {std::pair(Seconds(options.request_timeout_s), "--request-timeout"),
                                      std::pair(Seconds(options.connect_timeout_s), "--connect-timeout"),
                                      std::pair(options.first_token_timeout_s, "--first-token-timeout"),
                                      std::pair(Seconds(options.expected_latency_s), "--expected-latency")})
        require(is_between(0.001, value, 1'000'000), name, "must be from 0.001 to 1000000 seconds");
    for (const auto& [value, name] : {std::pair(options.concurrency, "--concurrency"),
                                      std::pair(options.max_in_flight, "--max-in-flight")})
        require(is_between(1, value, 1'000'000), name, "must be from 1 to 1000000");
    require(options.threads >= 1 && options.threads <= 256, "--threads", "must be from 1 to 256");
    require(options.e2e_slo_s.value_or(1) > 0, "--e2e-slo", "must be above 0");
    require(options.ttft_slo_ms.value_or(1) > 0, "--ttft-slo", "must be above 0");
    require(options.tpot_slo_ms.value_or(1) > 0, "--tpot-slo", "must be above 0");
}

// No file may be written over by another.
inline void check_files(const ReplayOptions& options, const std::string& input)
{
    const std::array<std::pair<const std::string*, const char*>, 4> outputs{
        {{&options.json_output, "--json-output"},
         {&options.requests_out, "--requests-out"},
         {&options.schedule_out, "--schedule-out"},
         {&options.prom_textfile, "--prom-textfile"}}};
    require(options.prom_textfile != "-", "--prom-textfile", "must be a file: stdout is for records");
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const auto& [path, name] = outputs[i];
        for (std::size_t other = 0; other < i; ++other)
            if (io::is_same_file(*path, *outputs[other].first))
                throw UsageError(name, "cannot be the file of " + std::string(outputs[other].second));
        require(!io::is_kept_file(*path) || !io::is_same_file(*path, input), name, "cannot be the route");
    }
}

// Without a reader of the rounds there is nobody to say when the verdict stands.
inline void check_until_decided(const ReplayOptions& options)
{
    require(options.summary_format.empty(), "--until-decided",
            "cannot stand with --as: the rounds must go to standard output");
    for (const auto* path : {&options.json_output, &options.requests_out, &options.schedule_out})
        require(*path != "-", "--until-decided", "takes standard output for the rounds alone");
}

// Only of a pipe or a socket can be told that its reader has gone.
inline void check_has_reader(int out_fd)
{
    struct stat status {};
    const bool is_pipe =
        ::fstat(out_fd, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
    require(is_pipe, "--until-decided",
            "needs a pipe on standard output, to a reader that goes away when its verdict stands");
}

// Whole answers have no token with a time.
inline void check_whole_answers(const ReplayOptions& options)
{
    for (const auto& [given, name] :
         {std::pair(options.first_token_timeout_s.has_value(), "--first-token-timeout"),
          std::pair(options.ttft_slo_ms.has_value(), "--ttft-slo"),
          std::pair(options.tpot_slo_ms.has_value(), "--tpot-slo")})
        require(!given, name, "cannot stand with --no-stream: whole answers have no token times");
}

// A number of users in place of a rate.
inline void check_closed_loop(const ReplayOptions& options)
{
    require(!options.target_qps, "--concurrency", "cannot stand with --target-qps");
    require(options.replay_mode != "qps", "--concurrency", "cannot stand with --replay-mode qps");
    require(!options.max_in_flight, "--concurrency", "cannot stand with --max-in-flight");
}

} // namespace slo::run::detail

#endif
