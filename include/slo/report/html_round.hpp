// SPDX-License-Identifier: MIT
// One round as a page shows it, from its record, from an artifact, or from single requests.

#ifndef SLO_REPORT_HTML_ROUND_HPP
#define SLO_REPORT_HTML_ROUND_HPP

#include <slo/base/json.hpp>
#include <slo/stats/sketch.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace slo::report {

/// The distributions of a round's successes; within 0.5 % (stats::QuantileSketch).
struct LatencySketches {
    stats::QuantileSketch e2e_s, ttft_s, tpot_ms, itl_ms;

    void merge(const LatencySketches& other)
    {
        e2e_s.merge(other.e2e_s);
        ttft_s.merge(other.ttft_s);
        tpot_ms.merge(other.tpot_ms);
        itl_ms.merge(other.itl_ms);
    }
};

/// One round as the page shows it.
struct PageRound {
    std::int64_t number = 0;
    std::optional<double> target_qps, sent_qps, completed_qps;
    std::optional<double> e2e_p50_s, e2e_p90_s, e2e_p99_s, ttft_p50_s, ttft_p99_s;
    std::optional<double> lateness_p99_s, busy_pct, in_flight_max;
    bool saturated = false;
    bool warm_up = false;     ///< as the artifact has it
    LatencySketches sketches; ///< as far as the record has them
};

namespace detail {

inline std::optional<double> member_of(const json::object& record, std::string_view name,
                                       std::string_view member)
{
    const auto* object = object_at(record, name);
    return object ? number_at(*object, member) : std::nullopt;
}

inline bool is_true(const json::object& record, std::string_view name)
{
    const auto* member = find(record, name);
    return member && *member == true;
}

} // namespace detail

/// The round in a round record; its number is 0 where the record has none. `with_sketches`: these, too.
/// Throws InputError for a sketch that is not sound.
inline PageRound read_page_round(const json::object& record, bool with_sketches)
{
    PageRound round;
    round.number = integer_at(record, "measurement_round").value_or(0);
    round.target_qps = number_at(record, "target_qps");
    round.sent_qps = number_at(record, "wire_dispatch_qps");
    round.completed_qps = number_at(record, "completion_qps");
    round.e2e_p50_s = detail::member_of(record, "Latency", "p50");
    round.e2e_p90_s = detail::member_of(record, "Latency", "p90");
    round.e2e_p99_s = detail::member_of(record, "Latency", "p99");
    round.ttft_p50_s = detail::member_of(record, "TTFT", "p50");
    round.ttft_p99_s = detail::member_of(record, "TTFT", "p99");
    round.lateness_p99_s = detail::member_of(record, "client", "lateness_p99_s");
    round.busy_pct = detail::member_of(record, "client", "busy_pct");
    round.in_flight_max = detail::member_of(record, "client", "in_flight_max");
    if (const auto* client = object_at(record, "client"))
        round.saturated = detail::is_true(*client, "saturated");
    const auto* sketches = with_sketches ? object_at(record, "sketches") : nullptr;
    const auto read = [&](stats::QuantileSketch& place, std::string_view name) {
        if (const auto* sketch = sketches ? object_at(*sketches, name) : nullptr)
            place = stats::QuantileSketch::from_record(*sketch);
    };
    read(round.sketches.e2e_s, "Latency");
    read(round.sketches.ttft_s, "TTFT");
    read(round.sketches.tpot_ms, "TPOT");
    read(round.sketches.itl_ms, "ITL");
    return round;
}

/// The round in the compact series of an artifact; its number is 0 where the line has none.
inline PageRound kept_page_round(const json::object& line)
{
    const auto seconds = [&](std::string_view name) {
        const auto ms = number_at(line, name);
        return ms ? std::optional(*ms / 1000) : std::nullopt;
    };
    PageRound round;
    round.number = integer_at(line, "round").value_or(0);
    round.target_qps = number_at(line, "target_qps");
    round.sent_qps = number_at(line, "actual_qps");
    round.e2e_p50_s = seconds("e2e_p50_ms");
    round.e2e_p99_s = seconds("e2e_p99_ms");
    round.ttft_p50_s = seconds("ttft_p50_ms");
    round.ttft_p99_s = seconds("ttft_p99_ms");
    round.saturated = detail::is_true(line, "saturated");
    round.warm_up = detail::is_true(line, "warm_up");
    return round;
}

/// The round that single requests make up; rates are not known from them.
inline PageRound logged_page_round(int number, const LatencySketches& sketches)
{
    PageRound round;
    round.number = number;
    round.e2e_p50_s = sketches.e2e_s.quantile(0.5);
    round.e2e_p90_s = sketches.e2e_s.quantile(0.9);
    round.e2e_p99_s = sketches.e2e_s.quantile(0.99);
    round.ttft_p50_s = sketches.ttft_s.quantile(0.5);
    round.ttft_p99_s = sketches.ttft_s.quantile(0.99);
    return round;
}

} // namespace slo::report

#endif
