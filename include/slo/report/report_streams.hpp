// SPDX-License-Identifier: MIT
// Where a report goes: the same for every verb.

#ifndef SLO_REPORT_REPORT_STREAMS_HPP
#define SLO_REPORT_REPORT_STREAMS_HPP

#include <slo/io/jsonl.hpp>

#include <functional>
#include <string>

namespace slo::report {

/// Text or records to stdout, sentences for people to stderr.
struct ReportStreams {
    io::JsonlWriter& out;
    std::function<void(const std::string&)> note;
};

} // namespace slo::report

#endif
