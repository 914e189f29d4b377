// SPDX-License-Identifier: MIT
// What the requests of one reporting window add up to.

#ifndef SLO_RECORD_WINDOW_TOTALS_HPP
#define SLO_RECORD_WINDOW_TOTALS_HPP

#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/record/objective_count.hpp>
#include <slo/record/request.hpp>
#include <slo/record/round_window.hpp>
#include <slo/stats/objective.hpp>
#include <slo/stats/sample.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::record {

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
            if (choice.tokens.value_or(0) > 1 && choice.first_token_s && choice.last_token_s)
                values.push_back(
                    detail::tpot_ms(*choice.first_token_s, *choice.last_token_s, *choice.tokens));
    } else if (request.output_tokens.value_or(0) > 1 && request.first_token_s && request.last_token_s) {
        values.push_back(
            detail::tpot_ms(*request.first_token_s, *request.last_token_s, *request.output_tokens));
    }
    return values;
}

/// What the objectives of a run ask of a request. A success without token times misses every limit for them,
/// save for an answer of one token, which has no time per output token.
inline stats::Measured measured_of(const Request& request, LatencyBasis basis)
{
    const auto basis_s = basis == LatencyBasis::due ? std::optional(request.due_s) : request.sent_s;
    stats::Measured measured;
    measured.ok = request.status == RequestStatus::ok;
    measured.e2e_s = detail::between(basis_s, request.end_s);
    measured.ttft_s = detail::between(basis_s, request.first_token_s);
    const auto tpot = tpot_ms_of(request);
    if (!tpot.empty())
        measured.tpot_s = *std::max_element(tpot.begin(), tpot.end()) / 1000;
    else if (request.output_tokens.value_or(0) > static_cast<std::int64_t>(request.choices.size()) &&
             request.output_tokens.value_or(0) > 1)
        measured.tpot_s = std::numeric_limits<double>::infinity();
    return measured;
}

/// Counts, samples and sums over the requests due in one window; some 80 bytes a request and 8 a token,
/// bounded by stats::Sample.
class WindowTotals {
public:
    /// No more causes and finish reasons than this are told apart, so that a service cannot fill the record
    /// with its messages; the others are counted together.
    static constexpr std::size_t max_causes = 64;

    /// Gaps between tokens of which all are kept: a request has many.
    static constexpr std::size_t most_exact_gaps = std::size_t{1} << 19;
    /// The same of those figures that an SLO can be about.
    static constexpr std::size_t most_exact_latencies = std::size_t{1} << 18;

    explicit WindowTotals(const RoundTerms& terms) : terms_(terms)
    {
        for (const auto& objective : terms.objectives)
            objectives.push_back({stats::to_text(objective), 0, 0});
    }

    /// Takes one request in; the order does not matter.
    void add(const Request& request)
    {
        ++due;
        retries += request.retries;
        reconnects += request.reconnects;
        sent += request.sent_s.has_value();
        if (request.end_s)
            last_end_s = std::max(last_end_s.value_or(*request.end_s), *request.end_s);
        ++by_status[static_cast<std::size_t>(request.status)];
        if (request.status == RequestStatus::ok)
            add_success(request);
        else
            add_failure(request);
        if (!objectives.empty())
            count_objectives(request);
    }

    std::int64_t count(RequestStatus status) const { return by_status[static_cast<std::size_t>(status)]; }

    const RoundTerms& terms() const noexcept { return terms_; }

    std::int64_t due = 0, sent = 0;
    std::optional<double> last_end_s;
    std::int64_t retries = 0, reconnects = 0;
    std::array<std::int64_t, request_status_names.size()> by_status{};
    std::array<std::int64_t, error_kind_names.size()> by_kind{};
    json::object causes;
    std::int64_t met_e2e = 0, met_ttft = 0, met_tpot = 0;
    std::int64_t met_all = 0;               ///< every SLO that there is
    std::vector<ObjectiveCount> objectives; ///< in the order of the terms
    std::int64_t with_reasoning = 0, truncated = 0;
    json::object finish_reasons;
    stats::Sample latency_s{most_exact_latencies}, ttft_s{most_exact_latencies};
    stats::Sample tpot_values_ms{most_exact_latencies};
    stats::Sample server_latency_s, sequencer_wait_s, ttft_content_s, throughput, content_chars,
        reasoning_chars, reasoning_tokens;
    stats::Sample itl_ms{most_exact_gaps};
    stats::Sample input_tokens{0}, output_tokens{0}; ///< a request; of the successes

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

    void count_objectives(const Request& request)
    {
        const auto measured = measured_of(request, terms_.basis);
        for (std::size_t i = 0; i < objectives.size(); ++i) {
            const auto met = stats::meets(terms_.objectives[i], measured);
            objectives[i].requests += met.has_value();
            objectives[i].met += met.value_or(false);
        }
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
        const auto keep = [](stats::Sample& sample, std::optional<double> value) {
            if (value)
                sample.add(*value);
        };
        const auto basis_s =
            terms_.basis == LatencyBasis::due ? std::optional(request.due_s) : request.sent_s;
        const auto latency = detail::between(basis_s, request.end_s);
        const auto server_latency = detail::between(request.sent_s, request.end_s);
        const auto ttft = detail::between(basis_s, request.first_token_s);
        keep(latency_s, latency);
        keep(server_latency_s, server_latency);
        keep(sequencer_wait_s, detail::between(request.due_s, request.sent_s));
        keep(ttft_s, ttft);
        keep(ttft_content_s, detail::between(basis_s, request.first_content_s));
        for (const double gap : request.itl_ms)
            itl_ms.add(gap);
        if (request.output_tokens && server_latency && *server_latency > 0)
            keep(throughput, static_cast<double>(*request.output_tokens) / *server_latency);
        keep(content_chars, static_cast<double>(request.content_chars));
        keep(reasoning_chars, static_cast<double>(request.reasoning_chars));
        if (request.reasoning_tokens)
            keep(reasoning_tokens, static_cast<double>(*request.reasoning_tokens));

        const auto tpot = tpot_ms_of(request);
        for (const double value : tpot)
            tpot_values_ms.add(value);
        const bool e2e = latency && terms_.e2e_slo_s && *latency <= *terms_.e2e_slo_s;
        const bool first = ttft && terms_.ttft_slo_ms && *ttft <= *terms_.ttft_slo_ms / 1000;
        const bool pace = !tpot.empty() && terms_.tpot_slo_ms &&
                          *std::max_element(tpot.begin(), tpot.end()) <= *terms_.tpot_slo_ms;
        met_e2e += e2e;
        met_ttft += first;
        met_tpot += pace;
        met_all +=
            (e2e || !terms_.e2e_slo_s) && (first || !terms_.ttft_slo_ms) && (pace || !terms_.tpot_slo_ms);

        if (request.input_tokens)
            input_tokens.add(static_cast<double>(*request.input_tokens));
        if (request.output_tokens)
            output_tokens.add(static_cast<double>(*request.output_tokens));
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

    RoundTerms terms_;
};

} // namespace slo::record

#endif
