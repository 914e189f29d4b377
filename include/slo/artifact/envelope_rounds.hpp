// SPDX-License-Identifier: MIT
// The rounds of a run: their series in an artifact, and the client's side where there are no request records.

#ifndef SLO_ARTIFACT_ENVELOPE_ROUNDS_HPP
#define SLO_ARTIFACT_ENVELOPE_ROUNDS_HPP

#include <slo/artifact/client_side.hpp>
#include <slo/artifact/envelope_round_row.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/plan/client_totals.hpp>
#include <slo/record/round.hpp>
#include <slo/stats/sketch.hpp>
#include <slo/stats/steady.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::artifact {

/// Takes the round records of one run, file after file: each file is a shard.
class RoundLog {
public:
    static constexpr std::int64_t most_rounds = 100'000;

    void begin_file()
    {
        last_number_ = 0;
        ++files_;
    }

    /// Takes a record; false for one of another kind. Throws InputError where another run begins: in the
    /// middle of a file, or with a file that is no shard of the run of the first.
    bool add(const json::object& record)
    {
        auto round = record::read_round(record);
        if (!round)
            return false;
        add(std::move(*round), record);
        totals_.add(record);
        return true;
    }

    /// Takes a round that was read already; `record` may be empty. Throws as above.
    void add(record::Round round, const json::object& record)
    {
        const auto number = round.measurement_round.value_or(last_number_ + 1);
        if (number <= last_number_ || number > most_rounds)
            throw InputError("measurement_round", "is " + std::to_string(number) + " after " +
                                                      std::to_string(last_number_) +
                                                      ": the rounds of another run begin here");
        if (last_number_ == 0)
            check_shard(round, find(record, "schema") != nullptr);
        auto& row = rows_[static_cast<int>(number)];
        if (files_ > 1 && row.round.target_qps && row.round.target_qps != round.target_qps)
            throw InputError("target_qps", "is another than that of the file before: these are two runs");
        last_number_ = number;
        if (round.duration_s)
            usual_length_s_ = round.duration_s;
        row.add(std::move(round), record);
    }

    bool empty() const noexcept { return rows_.empty(); }
    const std::map<int, RoundRow>& rows() const noexcept { return rows_; }
    const plan::ClientTotals& totals_of_all() const noexcept { return totals_; }

    /// The requests of all rounds without a success.
    std::int64_t failed_of_all() const
    {
        std::int64_t failed = 0;
        for (const auto& [number, row] : rows_)
            failed += row.failed;
        return failed;
    }

    /// The length of all rounds together; nothing where it is not told.
    std::optional<double> length_s() const
    {
        double sum = 0;
        for (const auto& [number, row] : rows_)
            if (const auto length = row.round.duration_s ? row.round.duration_s : usual_length_s_)
                sum += *length;
        return sum > 0 ? std::optional(sum) : std::nullopt;
    }

    /// The steady end of the series of latency medians, {"first", "size"} with rounds from 1; null where
    /// there is none of three rounds within 30 %.
    json::value steady() const
    {
        std::vector<double> p50s;
        std::vector<int> numbers;
        for (const auto& [number, row] : rows_) {
            if (const auto p50 = row.p50_latency_s()) {
                p50s.push_back(*p50);
                numbers.push_back(number);
            }
        }
        const auto start = stats::steady_start(p50s, 0.30, 3);
        if (!start)
            return nullptr;
        return json::object{{"first", numbers[*start]}, {"size", p50s.size() - *start}};
    }

    /// The first round that is measured: whole rounds are left out until the warm-up has had its requests.
    int first_measured(const WarmUp& warm_up) const
    {
        std::int64_t before = 0;
        for (const auto& [number, row] : rows_) {
            if (number >= warm_up.first_round && before >= warm_up.requests)
                return number;
            if (number >= warm_up.first_round)
                before += row.round.due.value_or(0);
        }
        return rows_.empty() ? 1 : rows_.rbegin()->first + 1;
    }

    /// The series of an artifact: a compact object for each round.
    json::array series(int first_measured) const
    {
        json::array rows;
        for (const auto& [number, row] : rows_)
            rows.push_back(row.to_json_object(number, number < first_measured));
        return rows;
    }

    /// The client's own health over all rounds; null where the rounds do not tell.
    json::value health() const
    {
        std::optional<double> p99, most, busy;
        std::int64_t in_flight = 0;
        std::int64_t saturated = 0;
        bool told = false;
        const auto raise = [](std::optional<double>& figure, const std::optional<double>& other) {
            if (other)
                figure = std::max(figure.value_or(*other), *other);
        };
        for (const auto& [number, row] : rows_) {
            raise(p99, row.lateness_p99_s);
            raise(most, row.lateness_max_s);
            raise(busy, row.busy_pct);
            in_flight = std::max(in_flight, row.in_flight_max);
            saturated += row.round.client_saturated;
            told |= row.lateness_p99_s.has_value();
        }
        if (!told)
            return nullptr;
        return json::object{{"lateness_p99_s", or_null(p99)}, {"lateness_max_s", or_null(most)},
                            {"busy_pct_max", or_null(busy)},  {"in_flight_max", in_flight},
                            {"saturated", saturated > 0},     {"saturated_rounds", saturated}};
    }

    /// The client's side of the rounds from the first measured one on: within the error of the sketches.
    /// Where the warm-up would leave nothing, nothing is left out, and a note says so.
    ClientSide client(const WarmUp& warm_up) const
    {
        ClientSide client;
        auto first = first_measured(warm_up);
        if (!rows_.empty() && first > rows_.rbegin()->first) {
            client.notes.emplace_back("all rounds are warm-up: none was left out");
            first = 1;
        }
        client.exact = false;
        stats::QuantileSketch latency, ttft, tpot, itl;
        bool sketched = true;
        std::optional<double> length = 0;
        double before_s = 0;
        for (const auto& [number, row] : rows_) {
            const auto length_s = row.round.duration_s ? row.round.duration_s : usual_length_s_;
            if (number < first) {
                client.warm_up_requests += row.round.due.value_or(0);
                before_s += length_s.value_or(0);
                continue;
            }
            client.basis = row.round.from_send ? record::LatencyBasis::send : record::LatencyBasis::due;
            length = length && length_s ? std::optional(*length + *length_s) : std::nullopt;
            sketched &= row.round.latency && row.round.ttft && row.round.tpot_ms && row.itl_ms;
            const auto merge = [](stats::QuantileSketch& all, const auto& one) {
                if (one)
                    all.merge(*one);
            };
            merge(latency, row.round.latency);
            merge(ttft, row.round.ttft);
            merge(tpot, row.round.tpot_ms);
            merge(itl, row.itl_ms);
            count(client, row);
        }
        client.counts.duration_s = length;
        if (length) {
            client.from_s = before_s;
            client.to_s = before_s + *length;
        }
        client.latencies = {{"ttft_ms", latency_block(ttft, 1000)},
                            {"tpot_ms", latency_block(tpot, 1)},
                            {"itl_ms", latency_block(itl, 1)},
                            {"e2e_ms", latency_block(latency, 1000)}};
        if (!sketched) {
            for (auto& block : client.latencies)
                block.value() = unknown_latency();
            client.notes.emplace_back("rounds without sketches: the latencies of the run are not known");
        }
        return client;
    }

private:
    static void count(ClientSide& client, const RoundRow& row)
    {
        auto& counts = client.counts;
        if (row.round.due && row.round.ok) {
            counts.completed = counts.completed.value_or(0) + *row.round.ok;
            counts.failed = counts.failed.value_or(0) + row.failed;
        }
        if (row.tokens_known) {
            counts.input_tokens = counts.input_tokens.value_or(0) + row.input_tokens;
            counts.output_tokens = counts.output_tokens.value_or(0) + row.output_tokens;
        }
        if (row.in_flight_max > 0)
            counts.in_flight_max = std::max(counts.in_flight_max.value_or(0), row.in_flight_max);
        add_counts(client.errors, row.errors);
        add_counts(client.finish_reasons, row.finish_reasons);
    }

    // Shards name themselves; records of older producers do not.
    void check_shard(const record::Round& round, bool names_shards)
    {
        if (files_ < 2 || !names_shards)
            shards_.insert(round.shard);
        else if (round.shard.empty() || !shards_.insert(round.shard).second)
            throw InputError("shard", "is " + (round.shard.empty() ? "missing" : round.shard + " again") +
                                          ": two files of rounds must be shards of one run");
    }

    std::map<int, RoundRow> rows_;
    plan::ClientTotals totals_;
    std::optional<double> usual_length_s_; // also that of a round in which nothing was due
    std::int64_t last_number_ = 0;
    int files_ = 0;
    std::set<std::string> shards_;
};

} // namespace slo::artifact

#endif
