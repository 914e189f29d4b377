// SPDX-License-Identifier: MIT
// What a plan over cards becomes: steps in the order in which they are to be run.

#ifndef SLO_CARD_PLANNED_STEP_HPP
#define SLO_CARD_PLANNED_STEP_HPP

#include <slo/card/compiled_plan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slo::card {

/// One repetition of one step of a run.
struct PlannedStep {
    std::string run; ///< its label
    std::string phase;
    std::string catalog_id;
    std::size_t engine = 0; ///< of PlanFile::engines
    std::int64_t repetition = 1;
    std::vector<std::size_t> starts; ///< engines to be started before it
    double pause_s = 0;              ///< before it
    bool at_once = false;            ///< together with the step before it
    std::string folder;              ///< of all its files
    std::vector<Argv> before;        ///< what is captured right before its command
    std::vector<Argv> after;
    Argv artifact; ///< joins what came out into one artifact; empty where the engine has no sidecar
    Step step;
    std::optional<double> load_s; ///< how long its load lasts: requests over rate; nothing: nobody knows
};

/// What a run does not carry out of its card.
struct PlannedLoss {
    std::string run;
    NotExpressed loss;
};

/// The whole list.
struct ExpandedPlan {
    std::vector<std::string> phases;
    std::vector<PlannedStep> steps;
    std::vector<PlannedLoss> not_expressed;
    std::vector<std::string> notes;
    double known_s = 0;    ///< loads whose length is known, and pauses
    bool is_bound = false; ///< some load has no known length, so that it all takes longer
};

/// What an expansion is for.
struct PlanTarget {
    Tool tool = Tool::replay;
    std::vector<std::string> phases; ///< empty: all
    std::optional<std::int64_t> repetitions;
    std::string model; ///< empty: the engine's, else the sidecar's
    std::string tokenizer;
    std::int64_t seed = 1;
    std::string folder = "results";

    bool wants(const std::string& phase) const
    {
        return phases.empty() || std::find(phases.begin(), phases.end(), phase) != phases.end();
    }
};

} // namespace slo::card

#endif
