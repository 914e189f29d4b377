// SPDX-License-Identifier: MIT
// One reporting window, and what its requests add up to.

#ifndef SLO_RECORD_WINDOW_TOTALS_HPP
#define SLO_RECORD_WINDOW_TOTALS_HPP

#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/record/request.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::record {

/// How well the load generator itself kept up in a window.
struct ClientHealth {
    std::optional<double> lateness_p50_s; ///< how long after its time a request could be dispatched
    std::optional<double> lateness_p99_s;
    std::optional<double> lateness_max_s;
    std::optional<double> busy_pct; ///< CPU time of the process over wall time
    std::int64_t in_flight_max = 0;
    bool saturated = false; ///< the client, not the service, limited the load
};

/// One reporting window; all `_s` are seconds since the run's start.
struct RoundWindow {
    int number = 1; ///< 1-based
    double start_s = 0;
    double duration_s = 0; ///< as it really was: shorter where the run was interrupted
    bool continuous = true;
    std::optional<double> target_qps;
    std::string model;
    std::optional<double> e2e_slo_s;
    std::optional<double> ttft_slo_ms;
    std::optional<double> tpot_slo_ms;
    /// Requests written to the wire, and ended, within the window, whichever window they were due in;
    /// counted among those due in it where absent.
    std::optional<std::int64_t> wire_dispatched;
    std::optional<std::int64_t> completed;
    std::optional<ClientHealth> client;
    std::vector<std::string> flags; ///< "interrupted", "route_exhausted", "runaway", …
};

namespace detail {

/// Seconds between two moments of a request, where both happened.
inline std::optional<double> between(std::optional<double> from_s, std::optional<double> to_s)
{
    return from_s && to_s ? std::optional(*to_s - *from_s) : std::nullopt;
}

inline double tpot_ms(double first_token_s, double last_token_s, std::int64_t tokens)
{
    return 1000 * (last_token_s - first_token_s) / static_cast<double>(tokens - 1);
}

} // namespace detail

/// Time per output token in milliseconds, (last - first token) / (tokens - 1): one value for an answer with
/// one choice, one for each choice where there are several; none below two tokens.
inline std::vector<double> tpot_ms_of(const Request& request)
{
    std::vector<double> values;
    if (request.choices.size() > 1) {
        for (const auto& choice : request.choices)
            if (choice.tokens > 1 && choice.first_token_s && choice.last_token_s)
                values.push_back(detail::tpot_ms(*choice.first_token_s, *choice.last_token_s, choice.tokens));
    } else if (request.output_tokens.value_or(0) > 1 && request.first_token_s && request.last_token_s) {
        values.push_back(
            detail::tpot_ms(*request.first_token_s, *request.last_token_s, *request.output_tokens));
    }
    return values;
}

/// Counts, samples and sums over the requests due in one window.
class WindowTotals {
public:
    /// No more causes and finish reasons than this are told apart, so that a service cannot fill the record
    /// with its messages; the others are counted together.
    static constexpr std::size_t max_causes = 64;

    explicit WindowTotals(const RoundWindow& window) : window_(window) {}

    void add(const Request& request)
    {
        ++due;
        retries += request.retries;
        reconnects += request.reconnects;
        const auto within = [&](std::optional<double> moment_s) {
            return moment_s && *moment_s >= window_.start_s &&
                   *moment_s < window_.start_s + window_.duration_s;
        };
        sent += request.sent_s.has_value();
        dispatched_within += within(request.sent_s);
        const bool ended = request.status == RequestStatus::ok || request.status == RequestStatus::failed;
        completed_within += ended && within(request.end_s);
        ++by_status[static_cast<std::size_t>(request.status)];
        if (request.status == RequestStatus::ok)
            add_success(request);
        else
            add_failure(request);
    }

    std::int64_t count(RequestStatus status) const { return by_status[static_cast<std::size_t>(status)]; }

    std::int64_t due = 0, sent = 0, dispatched_within = 0, completed_within = 0;
    std::int64_t retries = 0, reconnects = 0;
    std::array<std::int64_t, request_status_names.size()> by_status{};
    std::array<std::int64_t, error_kind_names.size()> by_kind{};
    json::object causes;
    std::int64_t met_e2e = 0, met_ttft = 0, met_tpot = 0;
    double input_tokens = 0, output_tokens = 0;
    std::int64_t with_input_tokens = 0, with_output_tokens = 0;
    std::int64_t with_reasoning = 0, truncated = 0;
    json::object finish_reasons;
    std::vector<double> latency_s, server_latency_s, sequencer_wait_s, ttft_s, ttft_content_s, tpot_values_ms,
        itl_ms, throughput, content_chars, reasoning_chars, reasoning_tokens;

private:
    static void count_in(json::object& counts, std::string_view name)
    {
        const auto key = printable(name);
        if (auto* value = counts.if_contains(key))
            *value = value->get_int64() + 1;
        else if (counts.size() < max_causes)
            counts[key] = std::int64_t{1};
        else
            counts["(other)"] = counts["(other)"].is_int64() ? counts["(other)"].get_int64() + 1 : 1;
    }

    void add_failure(const Request& request)
    {
        auto kind = request.error_kind == ErrorKind::none ? ErrorKind::protocol : request.error_kind;
        if (request.status == RequestStatus::unfinished)
            kind = ErrorKind::cancelled;
        else if (request.status == RequestStatus::not_sent)
            kind = ErrorKind::client;
        ++by_kind[static_cast<std::size_t>(kind)];
        count_in(causes, request.error.empty() ? name_of(kind) : std::string_view(request.error));
    }

    void add_success(const Request& request)
    {
        const auto keep = [](std::vector<double>& sample, std::optional<double> value) {
            if (value && std::isfinite(*value))
                sample.push_back(*value);
        };
        const auto latency = detail::between(request.due_s, request.end_s);
        const auto server_latency = detail::between(request.sent_s, request.end_s);
        const auto ttft = detail::between(request.due_s, request.first_token_s);
        keep(latency_s, latency);
        keep(server_latency_s, server_latency);
        keep(sequencer_wait_s, detail::between(request.due_s, request.sent_s));
        keep(ttft_s, ttft);
        keep(ttft_content_s, detail::between(request.due_s, request.first_content_s));
        for (const double gap : request.itl_ms)
            keep(itl_ms, gap);
        if (request.output_tokens && server_latency && *server_latency > 0)
            keep(throughput, static_cast<double>(*request.output_tokens) / *server_latency);
        keep(content_chars, static_cast<double>(request.content_chars));
        keep(reasoning_chars, static_cast<double>(request.reasoning_chars));
        if (request.reasoning_tokens)
            keep(reasoning_tokens, static_cast<double>(*request.reasoning_tokens));

        const auto tpot = tpot_ms_of(request);
        for (const double value : tpot)
            keep(tpot_values_ms, value);
        met_e2e += latency && window_.e2e_slo_s && *latency <= *window_.e2e_slo_s;
        met_ttft += ttft && window_.ttft_slo_ms && *ttft <= *window_.ttft_slo_ms / 1000;
        met_tpot += !tpot.empty() && window_.tpot_slo_ms &&
                    *std::max_element(tpot.begin(), tpot.end()) <= *window_.tpot_slo_ms;

        input_tokens += static_cast<double>(request.input_tokens.value_or(0));
        with_input_tokens += request.input_tokens.has_value();
        output_tokens += static_cast<double>(request.output_tokens.value_or(0));
        with_output_tokens += request.output_tokens.has_value();
        with_reasoning += request.reasoning_chars > 0 || request.reasoning_tokens.value_or(0) > 0;
        bool cut = false;
        for (const auto& choice : request.choices) {
            if (choice.finish_reason.empty())
                continue;
            cut |= choice.finish_reason == "length";
            count_in(finish_reasons, choice.finish_reason);
        }
        truncated += cut;
    }

    const RoundWindow& window_;
};

} // namespace slo::record

#endif
