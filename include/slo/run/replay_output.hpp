// SPDX-License-Identifier: MIT
// What a replay writes: round records, request records, the per-request table.

#ifndef SLO_RUN_REPLAY_OUTPUT_HPP
#define SLO_RUN_REPLAY_OUTPUT_HPP

#include <slo/base/clock.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/io/atomic_file.hpp>
#include <slo/io/jsonl.hpp>
#include <slo/io/output_files.hpp>
#include <slo/record/prom_textfile.hpp>
#include <slo/record/request.hpp>
#include <slo/record/round_summary.hpp>
#include <slo/record/run_totals.hpp>
#include <slo/record/window_totals.hpp>
#include <slo/run/replay_options.hpp>
#include <slo/run/round_merger.hpp>
#include <slo/run/run_sink.hpp>
#include <slo/run/runaway_watch.hpp>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::run {

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

    void add(const std::vector<record::Request>& requests)
    {
        std::string rows;
        for (const auto& request : requests) {
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

/// Writes everything that was asked for: requests as they end, rounds as they are over. Used on the
/// recorder's thread.
class ReplayOutput final : public RunSink {
public:
    /// Opens the files; where none is named for them, round records go to `out`, unless a summary of the run
    /// is to stand there; with --until-decided to both. `lanes`: how many event loops hand their windows on.
    /// Throws IoError.
    ReplayOutput(const ReplayOptions& options, const record::RoundTerms& terms, int lanes,
                 io::JsonlWriter& out)
        : rounds_(options.summary_format.empty() && !options.until_decided ? &out : nullptr),
          decider_(options.until_decided ? &out : nullptr), prom_textfile_(options.prom_textfile),
          merger_(terms, lanes, [this](const auto& window, const auto& totals, const auto& client) {
              write_round(window, totals, client);
          })
    {
        if (!options.json_output.empty())
            rounds_ = &round_file_.emplace(options.json_output, io::OpenMode::append);
        if (!options.requests_out.empty())
            requests_.emplace(options.requests_out);
        if (!options.detailed_logs.empty())
            detailed_.emplace(options.detailed_logs);
        // Whether it can be written is to be known before the run, not after its first round.
        if (io::is_kept_file(prom_textfile_))
            io::AtomicFile{prom_textfile_};
    }

    /// Lets `watch`, which must outlive the run, see what is written.
    void show_to(RunawayWatch& watch) noexcept { watch_ = &watch; }

    /// See JsonlWriter::give_up_when_readable().
    void give_up_when_readable(int fd)
    {
        for (auto* rounds : {rounds_, decider_})
            if (rounds)
                rounds->give_up_when_readable(fd);
        if (requests_)
            requests_->give_up_when_readable(fd);
    }

    /// Writes the leading record of the request log. Throws IoError.
    void begin(const json::object& run)
    {
        if (requests_)
            requests_->write(run);
    }

    /// Writes the closing record of the request log of a run that ended early: by which flag, and so many
    /// seconds after its start, where that is known. Once the recorder has finished. Throws ClosedPipe,
    /// IoError.
    void stopped(std::string_view by, std::optional<double> at_s)
    {
        if (requests_)
            requests_->write(
                {{"schema", "sloutils.run/1"}, {"stopped", json_text(by)}, {"stopped_s", or_null(at_s)}});
    }

    /// True once the reader that --until-decided speaks of was given a round; from any thread.
    bool has_told_decider() const noexcept { return decider_told_; }

    /// Throws ClosedPipe, IoError; the requests count in their rounds all the same.
    void requests(std::vector<record::Request>&& batch) override
    {
        for (const auto& request : batch)
            merger_.add(request);
        if (watch_)
            watch_->ended(batch);
        if (requests_) {
            std::string lines;
            for (const auto& request : batch)
                lines += to_json(record::to_record(request)) + '\n';
            requests_->write_text(lines);
        }
        if (detailed_)
            detailed_->add(batch);
    }

    /// Throws ClosedPipe, IoError.
    void window(LaneWindow&& window) override { merger_.close(std::move(window)); }

    /// Throws ClosedPipe, IoError.
    void end() override { merger_.end(); }

    /// Median latency of the window written last; from any thread.
    std::optional<double> last_p50_s() const noexcept
    {
        const double p50_s = last_p50_s_;
        return std::isnan(p50_s) ? std::nullopt : std::optional(p50_s);
    }

    /// What all rounds add up to; once the recorder has finished.
    const record::RunTotals& run_totals() const noexcept { return run_totals_; }

    /// What went wrong with the textfile first; empty when nothing did. Once the recorder has finished.
    const std::string& textfile_fault() const noexcept { return textfile_fault_; }

private:
    // For people who watch: a run is not lost to it.
    void write_textfile(const std::string& text)
    {
        try {
            io::AtomicFile file(prom_textfile_);
            file.write(text);
            file.commit();
        } catch (const IoError& error) {
            if (textfile_fault_.empty())
                textfile_fault_ = error.what();
        }
    }

    // When its reader is gone, it has what it needs: what else is written goes on.
    void hand_to_decider(const json::object& record)
    {
        if (!decider_)
            return;
        decider_told_ = true; // before it can go away
        try {
            decider_->write(record);
        } catch (const ClosedPipe&) {
            decider_ = nullptr;
        }
    }

    void write_round(const record::RoundWindow& window, const record::WindowTotals& totals,
                     const ClientWindow& client)
    {
        run_totals_.add(window, totals, client.lateness_s);
        if (watch_)
            watch_->finished(totals);
        const auto record = record::round_record(window, totals);
        const auto* latency = object_at(record, "Latency");
        last_p50_s_ = (latency ? number_at(*latency, "p50") : std::nullopt)
                          .value_or(std::numeric_limits<double>::quiet_NaN());
        hand_to_decider(record);
        if (rounds_)
            rounds_->write(record);
        if (!prom_textfile_.empty())
            write_textfile(record::prom_textfile(run_totals_, window, totals, wall_clock_s()));
    }

    io::JsonlWriter* rounds_;
    io::JsonlWriter* decider_; // of --until-decided, while it is there
    std::atomic<bool> decider_told_ = false;
    std::optional<io::JsonlWriter> round_file_;
    std::optional<io::JsonlWriter> requests_;
    std::optional<DetailedLog> detailed_;
    std::string prom_textfile_;
    std::string textfile_fault_;
    RunawayWatch* watch_ = nullptr;
    RoundMerger merger_;
    record::RunTotals run_totals_;
    std::atomic<double> last_p50_s_ = std::numeric_limits<double>::quiet_NaN();
};

} // namespace slo::run

#endif
