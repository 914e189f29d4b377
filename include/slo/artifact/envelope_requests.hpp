// SPDX-License-Identifier: MIT
// The client's side of an artifact from request records: exact.

#ifndef SLO_ARTIFACT_ENVELOPE_REQUESTS_HPP
#define SLO_ARTIFACT_ENVELOPE_REQUESTS_HPP

#include <slo/artifact/client_side.hpp>
#include <slo/artifact/envelope_distribution.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/plan/client_totals.hpp>
#include <slo/record/request.hpp>
#include <slo/record/request_read.hpp>
#include <slo/record/round_window.hpp>
#include <slo/record/run_read.hpp>
#include <slo/record/window_totals.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::artifact {

/// A request with all that an artifact tells of it. Throws InputError as record::read_request().
inline record::Request read_full_request(const json::object& record)
{
    auto request = record::read_request(record);
    request.conv_id = std::string(string_at(record, "conv_id").value_or(""));
    request.input_tokens = record::detail::tokens_at(record, "input_tokens");
    request.cached_tokens = record::detail::tokens_at(record, "cached_tokens");
    if (const auto* choices = array_at(record, "choices"))
        for (std::size_t i = 0; i < choices->size(); ++i)
            request.choices[i].finish_reason =
                std::string(string_at((*choices)[i].get_object(), "finish_reason").value_or(""));
    if (const auto* gaps = array_at(record, "itl_ms")) {
        for (const auto& gap : *gaps) {
            const auto gap_ms = as_number(&gap);
            if (!gap_ms || !(*gap_ms >= 0))
                throw InputError("itl_ms", "has a gap that is no number of milliseconds");
            request.itl_ms.push_back(*gap_ms);
        }
    }
    return request;
}

/// Takes the records of the request logs of one run, shard after shard, in any order of their ends. The first
/// requests of a run are known only at its end, so that as many of them as the warm-up has are held back.
class RequestLog {
public:
    explicit RequestLog(const WarmUp& warm_up) : warm_up_(warm_up) {}

    /// A file begins: its run record comes first.
    void begin_file() { in_file_ = false; }

    /// Takes the next record. Throws InputError for one that does not belong here, and for a second run.
    void add(const json::object& record)
    {
        const auto schema = string_at(record, "schema").value_or("");
        if (schema.starts_with("sloutils.run/"))
            return add_run(record);
        if (schema != "sloutils.request/1")
            throw InputError("schema", "'" + printable(schema, 40) + "' does not belong to a request log");
        totals_of_all_.add(record);
        auto request = read_full_request(record);
        if (!totals_) {
            record::RoundTerms terms;
            terms.basis = basis_;
            totals_.emplace(terms);
        }
        ++due_in_round_[request.round];
        failed_ += request.status != record::RequestStatus::ok;
        last_end_s_ = std::max(last_end_s_, request.end_s.value_or(request.due_s));
        distribution_.add(request, basis_);
        if (request.round < warm_up_.first_round) {
            ++left_out_;
            return;
        }
        if (warm_up_.requests == 0)
            return count(request);
        held_.push({request.due_s, order_++, std::move(request)});
        if (held_.size() > static_cast<std::size_t>(warm_up_.requests)) {
            count(held_.top().request);
            held_.pop();
        }
    }

    /// The run records of the files, one each; a file without one has none.
    const std::vector<json::object>& runs() const noexcept { return runs_; }

    /// All requests, those of the warm-up too.
    const plan::ClientTotals& totals_of_all() const noexcept { return totals_of_all_; }
    std::int64_t failed_of_all() const noexcept { return failed_; }
    std::size_t requests() const noexcept { return distribution_.requests(); }
    const std::map<int, std::int64_t>& due_in_round() const noexcept { return due_in_round_; }

    /// When the last request of all ended, since the run's start.
    double last_end_s() const noexcept { return last_end_s_; }

    /// How late the measured requests were sent, for an artifact without round records: {lateness_p99_s,
    /// lateness_max_s}; whether the client was saturated is not known from that.
    json::value health() const
    {
        const auto waits = totals_ ? totals_->sequencer_wait_s.summary() : std::nullopt;
        if (!waits)
            return nullptr;
        return json::object{
            {"lateness_p99_s", waits->p99}, {"lateness_max_s", waits->max}, {"saturated", nullptr}};
    }

    /// How the run ended early, where it did: "interrupted", …
    const std::string& stopped_by() const noexcept { return stopped_by_; }

    /// What all this comes to; the last call. Where the warm-up would leave nothing, nothing is left out, and
    /// a note says so.
    ClientSide finish()
    {
        ClientSide client;
        auto warm_up = warm_up_;
        left_out_ += static_cast<std::int64_t>(held_.size());
        if (!held_.empty() && static_cast<std::size_t>(left_out_) == requests()) {
            client.notes.push_back("the run has " + std::to_string(requests()) +
                                   " requests, and all are warm-up: none was left out");
            warm_up.requests = 0;
            left_out_ -= static_cast<std::int64_t>(held_.size());
            for (; !held_.empty(); held_.pop())
                count(held_.top().request);
        }
        client.basis = basis_;
        client.warm_up_requests = left_out_;
        if (totals_ && totals_->due > 0)
            fill(client);
        else if (requests() > 0)
            client.notes.emplace_back("every request lies before the measured rounds");
        distribution_.finish(warm_up, client);
        return client;
    }

private:
    struct Held {
        double due_s = 0;
        std::size_t order = 0;
        record::Request request;

        bool operator<(const Held& other) const // the latest on top
        {
            return due_s != other.due_s ? due_s < other.due_s : order < other.order;
        }
    };

    void add_run(const json::object& record)
    {
        if (const auto stop = record::read_run_stop(record)) {
            stopped_by_ = stop->by;
            return;
        }
        if (in_file_)
            throw InputError("schema", "a second run begins here: its log must be a file of its own");
        in_file_ = true;
        const auto basis =
            record::latency_basis(string_at(record, "latency_basis").value_or("due")).value_or(basis_);
        if (totals_ && basis != basis_)
            throw InputError("latency_basis", "is another than that of the file before");
        basis_ = basis;
        runs_.push_back(record);
    }

    void count(const record::Request& request)
    {
        totals_->add(request);
        from_s_ = std::min(from_s_.value_or(request.due_s), request.due_s);
        to_s_ = std::max(to_s_.value_or(request.due_s), request.end_s.value_or(request.due_s));
        if (request.status != record::RequestStatus::ok)
            return;
        input_known_ &= request.input_tokens.has_value();
        output_known_ &= request.output_tokens.has_value();
        input_tokens_ += static_cast<double>(request.input_tokens.value_or(0));
        output_tokens_ += static_cast<double>(request.output_tokens.value_or(0));
    }

    void fill(ClientSide& client) const
    {
        const auto& totals = *totals_;
        client.from_s = from_s_;
        client.to_s = to_s_;
        client.counts.duration_s = *to_s_ - *from_s_;
        client.counts.completed = totals.count(record::RequestStatus::ok);
        client.counts.failed = totals.due - *client.counts.completed;
        if (input_known_)
            client.counts.input_tokens = input_tokens_;
        if (output_known_)
            client.counts.output_tokens = output_tokens_;
        client.latencies = {{"ttft_ms", latency_block(totals.ttft_s, 1000)},
                            {"tpot_ms", latency_block(totals.tpot_values_ms, 1)},
                            {"itl_ms", latency_block(totals.itl_ms, 1)},
                            {"e2e_ms", latency_block(totals.latency_s, 1000)}};
        client.exact = totals.ttft_s.exact() && totals.tpot_values_ms.exact() && totals.itl_ms.exact() &&
                       totals.latency_s.exact();
        for (std::size_t kind = 1; kind < record::error_kind_names.size(); ++kind)
            if (totals.by_kind[kind] > 0)
                client.errors[record::error_kind_names[kind].data()] = totals.by_kind[kind];
        client.finish_reasons = totals.finish_reasons;
    }

    WarmUp warm_up_;
    bool in_file_ = false;
    std::vector<json::object> runs_;
    record::LatencyBasis basis_ = record::LatencyBasis::due;
    std::string stopped_by_;
    plan::ClientTotals totals_of_all_;
    std::optional<record::WindowTotals> totals_; // of the measured ones
    RequestDistribution distribution_;
    std::priority_queue<Held> held_;
    std::map<int, std::int64_t> due_in_round_;
    std::size_t order_ = 0;
    std::int64_t left_out_ = 0, failed_ = 0;
    std::optional<double> from_s_, to_s_;
    double last_end_s_ = 0, input_tokens_ = 0, output_tokens_ = 0;
    bool input_known_ = true, output_known_ = true;
};

} // namespace slo::artifact

#endif
