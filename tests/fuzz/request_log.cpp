// SPDX-License-Identifier: MIT
// Any text as a request log: it is refused, or its rounds account for every request of it.

#include <slo/record/request_rounds.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

void require(bool condition)
{
    if (!condition)
        std::abort();
}

void require_sound(const slo::record::Round& round)
{
    require(round.due && round.ok && *round.ok >= 0 && *round.ok <= *round.due);
    require(round.p50_latency_s.has_value() == (*round.ok > 0));
    require(!round.p50_latency_s || (std::isfinite(*round.p50_latency_s) && *round.p50_latency_s >= 0));
    require(!round.duration_s || *round.duration_s > 0);
    std::int64_t failures = 0;
    for (const auto& [cause, count] : round.exceptions)
        failures += count;
    require(failures == *round.due - *round.ok);
    for (const auto& count : round.objectives)
        require(count.met >= 0 && count.met <= count.requests && count.requests <= *round.due);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace slo;
    static const std::vector<stats::Objective> objectives{
        stats::parse_objective("ttft:p99<0.8"), stats::parse_objective("goodput(e2e<6,tpot<0.05)>=95%")};
    record::RequestRounds log(objectives);
    std::string_view text(reinterpret_cast<const char*>(data), size);
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        try {
            const auto value = parse_json(line);
            if (const auto* record = value.if_object())
                log.add(*record);
        } catch (const Error&) {
            continue;
        }
    }
    try {
        std::int64_t due = 0;
        for (const auto& round : log.rounds()) {
            require_sound(round);
            due += *round.due;
        }
        require(due == static_cast<std::int64_t>(log.requests()));
    } catch (const InputError&) {
        return 0;
    }
    double last_s = 0;
    for (const auto& latency : log.latencies()) {
        require(latency.due_s >= last_s && latency.e2e_s().value_or(0) >= 0);
        last_s = latency.due_s;
    }
    return 0;
}
