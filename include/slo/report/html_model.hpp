// SPDX-License-Identifier: MIT
// What a page is about: the records of one run or search, taken together in bounded memory.

#ifndef SLO_REPORT_HTML_MODEL_HPP
#define SLO_REPORT_HTML_MODEL_HPP

#include <slo/artifact/artifact.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/record/request_read.hpp>
#include <slo/record/round_window.hpp>
#include <slo/record/window_totals.hpp>
#include <slo/report/chart.hpp>
#include <slo/report/html_round.hpp>
#include <slo/report/report_input.hpp>
#include <slo/report/search_view.hpp>
#include <slo/stats/sketch.hpp>
#include <slo/stats/steady.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::report {

/// A range of rounds, as indices from 0.
struct RoundRange {
    std::size_t first = 0;
    std::size_t size = 0;
    std::string told_by; ///< "the verdict", "the artifact", or the rule of rounds-analyze
};

/// A file that the page rests on.
struct PageSource {
    std::map<std::string, std::size_t> records; ///< by kind
    std::string sha256;                         ///< empty for a pipe, which cannot be read twice
};

/// Takes records of any mix and order.
class HtmlModel {
public:
    /// More rounds are refused; those of a request log beyond as many are taken for one.
    static constexpr std::size_t most_rounds = 100'000;
    static constexpr int most_sketched_rounds = 4096;
    /// The rule of rounds-analyze for the steady end, as it is unless told otherwise.
    static constexpr double steady_tolerance = 0.30;
    static constexpr std::size_t steady_least = 3;

    SearchView search;
    std::vector<PageRound> rounds;              ///< of round records, or of the request log
    std::map<int, LatencySketches> of_requests; ///< by round
    std::map<std::string, std::int64_t> counts; ///< due, ok, failed, …
    std::map<std::string, std::int64_t> errors; ///< by kind
    std::map<std::string, std::int64_t> finish_reasons;
    std::map<std::string, std::int64_t> causes; ///< of failures, in words
    std::optional<json::object> verdict, diff, run, preflight;
    std::optional<artifact::Artifact> envelope;
    std::map<std::string, PageSource> sources; ///< by the name of the file
    std::vector<Chart> gpu_charts;

    /// Takes in one record. Throws Error for one that does not belong to those before it.
    void take(Record&& record)
    {
        ++sources[record.file].records[std::string(name_of(record.kind))];
        switch (record.kind) {
        case Kind::search:
            search.take(record.object);
            break;
        case Kind::round:
            take_round(record.object);
            break;
        case Kind::request:
            take_request(record.object);
            break;
        case Kind::run:
            if (!find(record.object, "stopped"))
                keep_one(run, std::move(record.object), "run");
            break;
        case Kind::verdict:
            verdict = std::move(record.object); // a later one is of more rounds
            break;
        case Kind::diff:
            keep_one(diff, std::move(record.object), "metrics diff");
            break;
        case Kind::preflight:
            preflight = std::move(record.object);
            break;
        case Kind::envelope:
            if (envelope)
                throw Error("a second artifact: a page shows one; report compare lays several side by side");
            envelope.emplace(std::move(record.object), record.file);
            break;
        default:
            break;
        }
    }

    /// One of the counts; nothing where no record told of it.
    std::optional<double> counted(const std::string& name) const
    {
        const auto found = counts.find(name);
        return found == counts.end() ? std::nullopt : std::optional(static_cast<double>(found->second));
    }

    /// Called once after the last record: rounds and counts from the request log where there are no round
    /// records.
    void finish()
    {
        if (rounds.empty()) {
            counts = std::move(request_counts_);
            errors = std::move(request_errors_);
            causes = std::move(request_causes_);
            finish_reasons = std::move(request_finish_);
            for (const auto& [number, sketches] : of_requests)
                rounds.push_back(logged_page_round(number, sketches));
        }
        if (rounds.empty() && envelope)
            take_envelope(*envelope);
        std::stable_sort(rounds.begin(), rounds.end(),
                         [](const PageRound& a, const PageRound& b) { return a.number < b.number; });
    }

    /// The steady end of the rounds: as the verdict has it, else the artifact, else by the rule of
    /// rounds-analyze.
    std::optional<RoundRange> steady() const
    {
        const auto fits = [&](std::optional<std::int64_t> first, std::optional<std::int64_t> size) {
            const auto count = static_cast<std::int64_t>(rounds.size());
            return first && size && *first >= 0 && *size > 0 && *first < count && *size <= count - *first;
        };
        const auto range = [](std::int64_t first, std::int64_t size, const char* by) {
            return RoundRange{static_cast<std::size_t>(first), static_cast<std::size_t>(size), by};
        };
        if (verdict) {
            const auto first = integer_at(*verdict, "steady_window_start_idx");
            const auto size = integer_at(*verdict, "steady_window_size");
            if (fits(first, size))
                return range(*first, *size, "the verdict");
        }
        if (const auto* window = envelope ? envelope->object("extensions.sloutils.steady") : nullptr) {
            auto first = integer_at(*window, "first"); // a round's number, from 1
            const auto size = integer_at(*window, "size");
            if (first && fits(*first - 1, size))
                return range(*first - 1, *size, "the artifact");
        }
        std::vector<double> medians;
        for (const auto& round : rounds) {
            if (!round.e2e_p50_s)
                return std::nullopt;
            medians.push_back(*round.e2e_p50_s);
        }
        const auto start = stats::steady_start(medians, steady_tolerance, steady_least);
        if (!start)
            return std::nullopt;
        return RoundRange{*start, medians.size() - *start, "the rule of rounds-analyze"};
    }

    /// True where latencies count from the moment of sending, not from the due time.
    bool from_send() const { return run && string_at(*run, "latency_basis") == "send"; }

    /// The distributions over the rounds of a range, or over all; from single requests where there are any.
    LatencySketches distributions(const std::optional<RoundRange>& range) const
    {
        LatencySketches all;
        for (std::size_t i = 0; i < rounds.size(); ++i) {
            if (range && (i < range->first || i >= range->first + range->size))
                continue;
            const auto logged = of_requests.find(static_cast<int>(rounds[i].number));
            if (logged != of_requests.end())
                all.merge(logged->second);
            else if (of_requests.empty())
                all.merge(rounds[i].sketches);
        }
        return all;
    }

private:
    static void keep_one(std::optional<json::object>& place, json::object&& object, const std::string& what)
    {
        if (place)
            throw Error("a second " + what + " record: a page is about one run");
        place = std::move(object);
    }

    static void count(std::map<std::string, std::int64_t>& counts, std::string_view name, std::int64_t by = 1)
    {
        constexpr std::size_t most_names = record::WindowTotals::max_causes;
        const auto key = printable(name, 200);
        if (by <= 0)
            return;
        const bool has_place = counts.size() < most_names || counts.count(key) > 0;
        auto& sum = counts[has_place ? key : "(others)"];
        sum += std::min(by, std::numeric_limits<std::int64_t>::max() - sum);
    }

    static void count_members(std::map<std::string, std::int64_t>& counts, const json::object& record,
                              std::string_view name)
    {
        if (const auto* members = object_at(record, name))
            for (const auto& member : *members)
                count(counts, {member.key().data(), member.key().size()},
                      integer_at(*members, {member.key().data(), member.key().size()}).value_or(0));
    }

    void take_round(const json::object& record)
    {
        constexpr std::size_t most_sketched = 4096;
        auto round = read_page_round(record, rounds.size() < most_sketched);
        if (round.number == 0)
            round.number = static_cast<std::int64_t>(rounds.size()) + 1;
        if (!numbers_.insert(round.number).second)
            throw Error(
                "round " + std::to_string(round.number) +
                " is there twice: a page shows one run, and the shards of a run must be merged before");
        if (rounds.size() == most_rounds)
            throw Error("more than " + std::to_string(most_rounds) + " rounds");
        count_members(counts, record, "counts");
        count_members(errors, record, "errors");
        count_members(finish_reasons, record, "finish_reasons");
        count_members(causes, record, "exceptions");
        rounds.push_back(std::move(round));
    }

    void take_request(const json::object& record)
    {
        const auto request = record::read_request(record);
        count(request_counts_, "due");
        count(request_counts_, name_of(request.status));
        if (request.sent_s)
            count(request_counts_, "sent");
        if (request.status != record::RequestStatus::ok) {
            count(request_errors_, name_of(request.error_kind));
            if (!request.error.empty())
                count(request_causes_, request.error);
            of_requests[std::min(request.round, most_sketched_rounds)]; // a round is there where nothing
            return;                                                     // succeeded, too
        }
        const auto measured =
            measured_of(request, from_send() ? record::LatencyBasis::send : record::LatencyBasis::due);
        auto& sketches = of_requests[std::min(request.round, most_sketched_rounds)];
        if (measured.e2e_s)
            sketches.e2e_s.add(*measured.e2e_s);
        if (measured.ttft_s)
            sketches.ttft_s.add(*measured.ttft_s);
        for (const double tpot_ms : tpot_ms_of(request))
            sketches.tpot_ms.add(tpot_ms);
        if (const auto* gaps = array_at(record, "itl_ms"))
            for (const auto& gap : *gaps)
                if (const auto gap_ms = as_number(&gap))
                    sketches.itl_ms.add(*gap_ms);
        if (const auto* choices = array_at(record, "choices"))
            for (const auto& choice : *choices)
                if (const auto* members = choice.if_object())
                    count(request_finish_, string_at(*members, "finish_reason").value_or("none named"));
    }

    // The compact series and the sums that an artifact keeps of its rounds.
    void take_envelope(const artifact::Artifact& artifact)
    {
        const auto* series = artifact.array("extensions.sloutils.rounds");
        for (const auto& value : series ? *series : json::array()) {
            const auto* line = value.if_object();
            if (!line || rounds.size() == most_rounds)
                continue;
            auto round = kept_page_round(*line);
            if (round.number == 0)
                round.number = static_cast<std::int64_t>(rounds.size()) + 1;
            rounds.push_back(std::move(round));
        }
        if (const auto* totals = artifact.object("metrics")) {
            count(counts, "ok", integer_at(*totals, "completed").value_or(0));
            count(counts, "failed", integer_at(*totals, "failed").value_or(0));
        }
        if (const auto* kept = artifact.object("extensions.sloutils")) {
            count_members(errors, *kept, "errors");
            count_members(finish_reasons, *kept, "finish_reasons");
        }
    }

    std::set<std::int64_t> numbers_;
    std::map<std::string, std::int64_t> request_counts_, request_errors_, request_causes_, request_finish_;
};

} // namespace slo::report

#endif
