// SPDX-License-Identifier: MIT
// The trace context by which a server's traces name a request of a run.

#ifndef SLO_PLAN_TRACE_CONTEXT_HPP
#define SLO_PLAN_TRACE_CONTEXT_HPP

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

namespace slo::plan {

/// The value of the header `traceparent` for the request with this id, a UUID: its 32 digits are the trace's
/// id, so that the id in a request record finds the trace; the last 16 of them are the parent's. Version 00,
/// sampled. Source: W3C Trace Context, section 3.2.
inline std::string traceparent(std::string_view uuid)
{
    std::string digits;
    digits.reserve(32);
    std::copy_if(uuid.begin(), uuid.end(), std::back_inserter(digits), [](char c) { return c != '-'; });
    return "00-" + digits + "-" + digits.substr(digits.size() / 2) + "-01";
}

} // namespace slo::plan

#endif
