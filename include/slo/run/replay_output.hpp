// SPDX-License-Identifier: MIT
// What a replay writes: round records, request records, the per-request table.

#ifndef SLO_RUN_REPLAY_OUTPUT_HPP
#define SLO_RUN_REPLAY_OUTPUT_HPP

#include <slo/base/clock.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/base/version.hpp>
#include <slo/io/jsonl.hpp>
#include <slo/record/request.hpp>
#include <slo/record/round_summary.hpp>
#include <slo/run/api_key.hpp>
#include <slo/run/collector.hpp>
#include <slo/run/replay_options.hpp>

#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo::run {

/// The leading record of a request log: what was run, when, where; without secrets.
inline json::object run_record(const ReplayOptions& options, const ReplayPlan& plan, std::uint64_t seed,
                               std::size_t rows, double start_epoch_s)
{
    char host[256] = {};
    ::gethostname(host, sizeof host - 1);
    const auto& sampling = options.sampling;
    json::object config{
        {"route", plan.input},
        {"sample_range", {options.sample_range[0], options.sample_range[1]}},
        {"preselected_route", options.preselected_route},
        {"api_base", without_credentials(options.api_base)},
        {"model", options.model},
        {"use_chat", options.use_chat},
        {"max_tokens", sampling.max_tokens},
        {"temperature", sampling.temperature},
        {"top_p", sampling.top_p},
        {"top_k", sampling.top_k},
        {"min_p", plan.request.send_min_p ? json::value(sampling.min_p) : json::value(nullptr)},
        {"frequency_penalty", sampling.frequency_penalty},
        {"presence_penalty", sampling.presence_penalty},
        {"repetition_penalty", sampling.repetition_penalty},
        {"prefer_log_body", options.prefer_log_body},
        {"forward_kv_evict", options.forward_kv_evict},
        {"extra_body", plan.request.extra_body},
        {"omit_none_extra_body", options.omit_none_extra_body},
        {"replay_mode", options.replay_mode},
        {"continuous_qps_window", options.continuous_qps_window},
        {"target_qps",
         plan.mode == ReplayMode::timestamp ? json::value(nullptr) : json::value(plan.target_qps)},
        {"round_duration_s", options.round_duration_s},
        {"round_drain_timeout_s", options.round_drain_timeout_s},
        {"max_rounds", or_null(options.max_rounds)},
        {"serialize_conversations", options.serialize_conversations},
        {"connect_timeout_s", options.connect_timeout_s},
        {"request_timeout_s", options.request_timeout_s},
        {"e2e_slo_s", or_null(options.e2e_slo_s)},
        {"ttft_slo_ms", or_null(options.ttft_slo_ms)},
        {"tpot_slo_ms", or_null(options.tpot_slo_ms)}};
    return {{"schema", "sloutils.run/1"},
            {"tool", "replay"},
            {"version", version},
            {"host", host},
            {"start", iso8601_utc(start_epoch_s)},
            {"start_epoch_s", start_epoch_s},
            {"seed", seed},
            {"rows", rows},
            {"latency_basis", "due"},
            {"transport", "curl"},
            {"config", std::move(config)}};
}

/// The table of --detailed-logs: a row for each request that succeeded. Times are seconds since the run's
/// start; ttft counts from the due time, tpot is per token.
class DetailedLog {
public:
    static constexpr std::string_view header =
        "request_id,conversation_id,send_time,ttft_time,total_time,tokens_in,tokens_out,ttft,tpot\n";

    /// Creates detailed_results_YYYYmmdd_HHMMSS.csv (local time) in the directory part of `hint`. Throws
    /// IoError.
    explicit DetailedLog(const std::string& hint) : out_(path_for(hint, std::time(nullptr)))
    {
        out_.write_text(header);
    }

    static std::string path_for(const std::string& hint, std::time_t now)
    {
        const auto slash = hint.rfind('/');
        std::tm parts{};
        ::localtime_r(&now, &parts);
        char name[64];
        const auto length = std::strftime(name, sizeof name, "detailed_results_%Y%m%d_%H%M%S.csv", &parts);
        return (slash == std::string::npos ? "" : hint.substr(0, slash + 1)) + std::string(name, length);
    }

    static std::string row(const record::Request& request)
    {
        using Time = std::optional<double>;
        const auto cell = [](const Time& value) {
            return value ? "," + format_double(*value) : std::string(",");
        };
        const auto count = [](const auto& value) {
            return value ? "," + std::to_string(*value) : std::string(",");
        };
        const auto tokens = request.output_tokens.value_or(0);
        const bool spaced = tokens > 1 && request.first_token_s && request.last_token_s;
        return quoted(request.id) + "," + quoted(request.conv_id) + cell(request.sent_s) +
               cell(request.first_token_s) + cell(request.end_s) + count(request.input_tokens) +
               count(request.output_tokens) +
               cell(request.first_token_s ? Time(*request.first_token_s - request.due_s) : Time()) +
               cell(spaced ? Time((*request.last_token_s - *request.first_token_s) /
                                  static_cast<double>(tokens - 1))
                           : Time()) +
               "\n";
    }

    void add(const FinishedWindow& finished)
    {
        std::string rows;
        for (const auto& request : finished.requests) {
            if (request.status == record::RequestStatus::ok)
                rows += row(request);
        }
        out_.write_text(rows);
    }

private:
    // RFC 4180.
    static std::string quoted(const std::string& text)
    {
        if (text.find_first_of(",\"\r\n") == std::string::npos)
            return text;
        std::string cell = "\"";
        for (const char c : text)
            cell += c == '"' ? std::string("\"\"") : std::string(1, c);
        return cell + "\"";
    }

    io::JsonlWriter out_;
};

/// Writes each finished window to everything that was asked for. Used on the recorder's thread.
class ReplayOutput {
public:
    /// Opens the files; round records go to `out` where no file is named. Throws IoError.
    ReplayOutput(const ReplayOptions& options, io::JsonlWriter& out) : rounds_(&out)
    {
        if (!options.json_output.empty())
            rounds_ = &round_file_.emplace(options.json_output, io::OpenMode::append);
        if (!options.requests_out.empty())
            requests_.emplace(options.requests_out);
        if (!options.detailed_logs.empty())
            detailed_.emplace(options.detailed_logs);
    }

    /// Writes the leading record of the request log. Throws IoError.
    void begin(const json::object& run)
    {
        if (requests_)
            requests_->write(run);
    }

    /// Throws ClosedPipe, IoError; the log of requests is written first, so that it is whole.
    void write(const FinishedWindow& finished)
    {
        if (requests_) {
            std::string lines;
            for (const auto& request : finished.requests)
                lines += to_json(record::to_record(request)) + '\n';
            requests_->write_text(lines);
        }
        if (detailed_)
            detailed_->add(finished);
        const auto record = record::summarize_round(finished.window, finished.requests);
        const auto* latency = object_at(record, "Latency");
        last_p50_s_ = (latency ? number_at(*latency, "p50") : std::nullopt)
                          .value_or(std::numeric_limits<double>::quiet_NaN());
        rounds_->write(record);
    }

    /// Median latency of the window written last; from any thread.
    std::optional<double> last_p50_s() const noexcept
    {
        const double p50_s = last_p50_s_;
        return std::isnan(p50_s) ? std::nullopt : std::optional(p50_s);
    }

private:
    io::JsonlWriter* rounds_;
    std::optional<io::JsonlWriter> round_file_;
    std::optional<io::JsonlWriter> requests_;
    std::optional<DetailedLog> detailed_;
    std::atomic<double> last_p50_s_ = std::numeric_limits<double>::quiet_NaN();
};

} // namespace slo::run

#endif
