// SPDX-License-Identifier: MIT
// Artifacts of runs with few figures, and what comparing them comes to.

#ifndef SLO_TESTS_SUPPORT_COMPARED_RUNS_HPP
#define SLO_TESTS_SUPPORT_COMPARED_RUNS_HPP

#include <slo/artifact/artifact.hpp>
#include <slo/artifact/comparison.hpp>
#include <slo/base/text.hpp>
#include <slo/report/compare_groups.hpp>

#include <string>
#include <utility>
#include <vector>

namespace slo::test {

inline artifact::Artifact run(double tokens, const std::string& errors, const std::string& more = "")
{
    return artifact::parse_artifact(R"({"engine":{"name":"vllm"},"metrics":{"output_toks_per_s":)" +
                                        format_double(tokens) + R"(,"error_rate":)" + errors + "}" + more +
                                        "}",
                                    "a");
}

/// All metrics at a confidence of 95 % and a threshold of 5 %.
inline report::Comparison compared(std::vector<artifact::ResultGroup> groups)
{
    report::Comparison all;
    all.groups = std::move(groups);
    all.metrics = artifact::compare_metrics(all.groups, 0.95, 5);
    return all;
}

} // namespace slo::test

#endif
