// SPDX-License-Identifier: MIT
// What a probe command printed, and what its exit status and its verdict come to together.

#ifndef SLO_RECORD_PROBE_OUTPUT_HPP
#define SLO_RECORD_PROBE_OUTPUT_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/record/probe_metrics.hpp>
#include <slo/record/search.hpp>
#include <slo/record/search_log.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo::record {

/// Collects the stdout of one probe as it comes. The last verdict record gives the figures; every other JSON
/// object is attached, up to a bound; everything else is counted.
class ProbeOutput {
public:
    /// `unmeasured_fails`: what gave no verdict counts as a fail, else as an invalid measurement.
    explicit ProbeOutput(bool unmeasured_fails = true) : unmeasured_fails_(unmeasured_fails) {}

    static constexpr std::size_t max_line_bytes = std::size_t{64} << 20;
    static constexpr std::size_t max_attachments = 256;
    static constexpr std::size_t max_attached_bytes = std::size_t{1} << 20;
    /// Attachments lie within a record, which must stay as shallow as parse_json() takes it.
    static constexpr std::size_t max_attachment_depth = 32;

    /// Takes in the next bytes, split anywhere.
    void feed(std::string_view bytes)
    {
        while (!bytes.empty()) {
            const auto end = bytes.find('\n');
            const auto part = bytes.substr(0, end);
            if (line_.size() + part.size() > max_line_bytes)
                too_long_ = true;
            if (too_long_)
                line_.clear();
            else
                line_ += part;
            if (end == std::string_view::npos)
                return;
            end_line();
            bytes.remove_prefix(end + 1);
        }
    }

    /// Round records seen so far, and the p50 latency in seconds of the latest one.
    std::size_t rounds() const noexcept { return rounds_; }
    std::optional<double> last_p50_s() const noexcept { return last_p50_s_; }

    /// The probe, from the command's exit status and its verdict. Where the two disagree, the worse one
    /// counts and a note says so. Throws Error for a status other than 0, 1 and 2, and for the verdict ERROR.
    SearchProbe judge(int exit_status, double slo_s)
    {
        end_of_output();
        if (exit_status < 0 || exit_status > 2)
            throw Error("ended with status " + std::to_string(exit_status) + meaning(exit_status));
        SearchProbe probe;
        probe.status = exit_status == 0 ? ProbeStatus::pass : ProbeStatus::fail;
        if (verdict_)
            weigh_verdict(exit_status, slo_s, probe);
        else
            probe.notes.push_back("no verdict record, status " + std::to_string(exit_status) +
                                  " alone decides");
        probe.measured = is_decided(probe.status) && (exit_status != 2 || said_fail());
        if (exit_status == 2 && probe.status == ProbeStatus::fail)
            probe.notes.push_back("no verdict possible (status 2), " + counted());
        if (!probe.measured && probe.status == ProbeStatus::fail)
            probe.status = unmeasured();
        attach(probe);
        return probe;
    }

    /// The probe of a command that was ended because it took too long: a fail without a figure.
    SearchProbe timed_out(double timeout_s)
    {
        return without_verdict("no verdict within " + format_double(timeout_s) + " s, " + counted());
    }

    /// The probe of a command that gave no verdict for the reason in `note`: a fail without a figure, or
    /// invalid.
    SearchProbe without_verdict(const std::string& note)
    {
        end_of_output();
        SearchProbe probe;
        probe.status = unmeasured();
        probe.measured = false;
        probe.notes.push_back(note);
        attach(probe);
        return probe;
    }

private:
    std::string counted() const
    {
        return unmeasured_fails_ ? "counted as a fail" : "counted as no measurement";
    }
    ProbeStatus unmeasured() const { return unmeasured_fails_ ? ProbeStatus::fail : ProbeStatus::invalid; }

    static std::string meaning(int exit_status)
    {
        if (exit_status == 127)
            return " (a command in it was not found)";
        if (exit_status == 126)
            return " (a command in it cannot be executed)";
        if (exit_status > 128 && exit_status <= 192)
            return " (killed by signal " + std::to_string(exit_status - 128) + ")";
        return "";
    }

    void end_of_output()
    {
        if (!line_.empty() || too_long_)
            end_line();
    }

    void end_line()
    {
        const auto line = std::exchange(line_, {});
        if (std::exchange(too_long_, false)) {
            if (++noise_ == 1)
                first_noise_ = "a line longer than 64 MiB";
            return;
        }
        const auto text = trim(line);
        if (text.empty())
            return;
        // Most noise is told without the cost of an exception.
        if (text.front() != '{')
            return add_noise(text);
        try {
            take(std::move(parse_json(text).as_object()), line.size());
        } catch (const JsonError&) {
            add_noise(text);
        }
    }

    void add_noise(std::string_view line)
    {
        if (++noise_ == 1)
            first_noise_ = "'" + printable(line, 60) + "'";
    }

    void take(json::object record, std::size_t bytes)
    {
        if (SearchLog::is_verdict(record, string_at(record, "schema").value_or(""))) {
            if (verdict_)
                keep(std::move(*verdict_), verdict_bytes_);
            verdict_ = std::move(record);
            verdict_bytes_ = bytes;
            return;
        }
        if (const auto* latency = object_at(record, "Latency")) {
            ++rounds_;
            last_p50_s_ = number_at(*latency, "p50");
        }
        keep(std::move(record), bytes);
    }

    void keep(json::object record, std::size_t bytes)
    {
        metrics_.take(record);
        if (attachments_.size() >= max_attachments || attached_bytes_ + bytes > max_attached_bytes ||
            json_depth(record) > max_attachment_depth) {
            ++left_out_;
            return;
        }
        attached_bytes_ += bytes;
        attachments_.push_back(std::move(record));
    }

    bool said_fail() const
    {
        return verdict_ && string_at(*verdict_, "status") == name_of(ProbeStatus::fail);
    }

    void weigh_verdict(int exit_status, double slo_s, SearchProbe& probe)
    {
        const auto name = std::string(string_at(*verdict_, "status").value_or(""));
        const auto verdict = probe_status_of(name);
        if (!verdict)
            throw Error("reported ERROR: " +
                        printable(string_at(*verdict_, "error").value_or("no reason given")));
        read_figures(*verdict_, probe);
        const bool passed = *verdict == ProbeStatus::pass;
        if (passed != (exit_status == 0)) {
            const bool as_fail = is_decided(*verdict) && exit_status != 2;
            probe.notes.push_back("verdict " + name + " but status " + std::to_string(exit_status) + ": " +
                                  (as_fail ? "counted as a fail" : counted()));
            if (passed)
                probe.evidence = {};
        }
        if (const auto objectives = probe.evidence.too_many_objectives)
            probe.notes.push_back("a verdict on " + std::to_string(objectives) +
                                  " objectives: margins are taken of " + std::to_string(most_objectives) +
                                  " at most");
        if (!passed)
            probe.status = *verdict;
        if (const auto judged_s = number_at(*verdict_, "slo_s"); judged_s && *judged_s != slo_s)
            probe.notes.push_back("judged against an SLO of " + format_double(*judged_s) +
                                  " s, searched for " + format_double(slo_s) + " s");
    }

    void attach(SearchProbe& probe)
    {
        metrics_.give(probe);
        if (noise_ > 0)
            probe.notes.push_back(std::to_string(noise_) + (noise_ == 1 ? " line" : " lines") +
                                  " of output no JSON object, the first: " + first_noise_);
        if (left_out_ > 0)
            probe.notes.push_back(std::to_string(left_out_) +
                                  " JSON objects of output not attached (too many, or too deep)");
        probe.attachments = std::exchange(attachments_, {});
    }

    bool unmeasured_fails_;
    std::string line_;
    bool too_long_ = false;
    std::optional<json::object> verdict_;
    std::size_t verdict_bytes_ = 0;
    json::array attachments_;
    std::size_t attached_bytes_ = 0;
    std::size_t left_out_ = 0;
    std::size_t noise_ = 0;
    std::string first_noise_;
    std::size_t rounds_ = 0;
    std::optional<double> last_p50_s_;
    ProbeMetrics metrics_;
};

} // namespace slo::record

#endif
