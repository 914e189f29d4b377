// SPDX-License-Identifier: MIT
// Trace contexts by which a server's traces name the requests of a run.

#ifndef SLO_PLAN_TRACE_CONTEXT_HPP
#define SLO_PLAN_TRACE_CONTEXT_HPP

#include <slo/base/random.hpp>

#include <cstdint>
#include <string>

namespace slo::plan {

/// Values of the header `traceparent`, determined by a seed: version 00, a trace of its own for each request,
/// sampled. Source: W3C Trace Context, section 3.2.
class TraceContexts {
public:
    explicit TraceContexts(std::uint64_t seed) : random_(seed) {}

    /// The next one, 55 characters.
    std::string next()
    {
        std::string text = "00-";
        text.reserve(55);
        append_hex(text, random_.bits());
        append_hex(text, not_zero());
        text += '-';
        append_hex(text, not_zero());
        text += "-01";
        return text;
    }

private:
    // An id that is all zeros is invalid.
    std::uint64_t not_zero()
    {
        std::uint64_t bits = 0;
        while (bits == 0)
            bits = random_.bits();
        return bits;
    }

    static void append_hex(std::string& text, std::uint64_t bits)
    {
        constexpr char digits[] = "0123456789abcdef";
        for (int shift = 60; shift >= 0; shift -= 4)
            text += digits[bits >> shift & 15];
    }

    Random random_;
};

} // namespace slo::plan

#endif
