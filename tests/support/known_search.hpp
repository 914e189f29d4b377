// SPDX-License-Identifier: MIT
// A search that several tests ask about.

#ifndef SLO_TESTS_SUPPORT_KNOWN_SEARCH_HPP
#define SLO_TESTS_SUPPORT_KNOWN_SEARCH_HPP

#include <slo/record/search.hpp>
#include <slo/run/search_options.hpp>

namespace slo::test {

/// From 8.5 to 10.5 requests a second, with a command in which not all braces are places.
inline run::SearchOptions options()
{
    run::SearchOptions options;
    options.low = 8.5;
    options.high = 10.5;
    options.command = {"./probe", "--rate={qps},{qps}", "{qps", "{QPS}"};
    return options;
}

/// A probe of that rate.
inline record::SearchProbe probe(double qps, bool pass)
{
    record::SearchProbe probe;
    probe.qps = qps;
    probe.status = pass ? record::ProbeStatus::pass : record::ProbeStatus::fail;
    return probe;
}

} // namespace slo::test

#endif
