// SPDX-License-Identifier: MIT
// Whether this machine and its cards are fit for a measurement.

#ifndef SLO_RUN_GPU_PREFLIGHT_HPP
#define SLO_RUN_GPU_PREFLIGHT_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/io/signals.hpp>
#include <slo/plan/pcie_link.hpp>
#include <slo/plan/preflight_rules.hpp>
#include <slo/record/gpu_facts.hpp>
#include <slo/record/preflight.hpp>
#include <slo/run/gpu_preflight_options.hpp>
#include <slo/run/gpu_survey.hpp>

#include <utility>
#include <vector>

namespace slo::run {

/// What a preflight ends with.
struct GpuPreflight {
    record::PreflightFacts facts;
    std::vector<record::LinkVerdict> links; ///< one a card
    std::vector<record::Issue> issues;
    Exit exit = Exit::ok;

    json::object to_record() const { return record::to_record(facts, links, issues, exit); }
};

/// Judges the facts; an interrupted survey has status 2 whatever it found.
inline GpuPreflight judged(record::PreflightFacts facts)
{
    GpuPreflight done;
    done.issues = plan::judge_machine(facts);
    done.exit = facts.interrupted ? Exit::undecided : record::exit_of(done.issues);
    // The bridges of a virtual machine are made up.
    const bool trust_bridges = facts.host.hypervisor.empty();
    for (const auto& gpu : facts.gpus)
        done.links.push_back({plan::link_minimum(gpu), plan::judge_link(gpu, trust_bridges)});
    done.facts = std::move(facts);
    return done;
}

/// Surveys the machine and judges it. Throws UsageError and IoError.
inline GpuPreflight gpu_preflight(const GpuPreflightOptions& options)
{
    io::StopSignal stop;
    return judged(GpuSurvey(options, stop).facts());
}

} // namespace slo::run

#endif
