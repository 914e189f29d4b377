// SPDX-License-Identifier: MIT
// What is sent: the data set of a card, one workload for each context, scenario or pair it names.

#ifndef SLO_CARD_DATASET_WORKLOAD_HPP
#define SLO_CARD_DATASET_WORKLOAD_HPP

#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/card/card_view.hpp>
#include <slo/card/compiled_plan.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::card {

/// One kind of requests.
struct Workload {
    enum class Kind {
        random,        ///< prompts that share nothing
        shared_prefix, ///< groups of prompts that begin alike
        trace,         ///< what somebody recorded
        sessions       ///< conversations
    };
    Kind kind = Kind::random;
    std::string label;       ///< before the load's in a step's label; empty: the only one
    json::value context_len; ///< tokens that tell it from the others, or null
    Count input;             ///< tokens of a prompt; of a session's first message
    Count output;
    Count prefix; ///< tokens that a group shares; the system prompt of all sessions
    Count suffix; ///< tokens of a prompt's own; of a session's later messages
    std::int64_t groups = 4;
    std::optional<double> zipf; ///< the exponent of the groups' popularity; nothing: all alike
    Count turns;                ///< requests of a session
    Count think_s;              ///< between them
    std::string source;         ///< of a trace
    std::string path;
    std::int64_t sample_size = 0; ///< rows of a trace to take; 0: as many as are needed
    bool exact_output = true;     ///< answers go on to their length, whatever the model wants
    std::optional<double> range_ratio;
};

/// The data set, compiled as far as no tool matters.
struct Dataset {
    std::vector<Workload> workloads;
    std::string orchestrator; ///< what would have to run it; empty: a tool's command line does
    json::object summary;
};

namespace detail {

inline json::object mean_of(std::int64_t tokens)
{
    return {{"mean", tokens}};
}

// What all kinds of data sets are read with. Replay carries out distributions, the other tools means.
class DatasetParts {
protected:
    DatasetParts(CardView& card, Tool tool) : card_(card), spread_(tool == Tool::replay) {}

    std::optional<Count> count(const std::string& key) { return card_.count("dataset." + key, spread_); }
    std::optional<double> number(const std::string& key) { return card_.number("dataset." + key); }

    Count count_or(const std::string& key, double fallback)
    {
        return count(key).value_or(constant_count(fallback));
    }

    // Answers end where the model ends them, or after so many tokens whatever it wants.
    void read_output()
    {
        if (card_.text("dataset.output") != "run-to-eos")
            return;
        base_.exact_output = false;
        card_.lose("dataset.output", "answers end by themselves, but a request must name a greatest length: "
                                     "osl_reference, else output_tokens");
    }

    Count output(double fallback)
    {
        if (const auto reference = number("osl_reference"); reference && !base_.exact_output)
            return constant_count(*reference);
        return count_or("output_tokens", fallback);
    }

    // One workload for each context that the card names; `place` puts its length where it belongs.
    template <class Place>
    void for_each_context(Workload workload, Place&& place)
    {
        if (const auto* tiers = card_.list("dataset.context_tiers"); tiers && !tiers->empty()) {
            for (const auto& tier : *tiers)
                set_.workloads.push_back(of_tier(workload, tier.get_object(), place));
            return;
        }
        const auto* lengths = card_.list("dataset.context_lengths");
        if (!lengths || lengths->size() < 2) {
            set_.workloads.push_back(std::move(workload));
            return;
        }
        for (const auto& length : *lengths) {
            const auto tokens = static_cast<std::int64_t>(as_number(&length).value_or(0));
            auto one = workload;
            one.label = "ctx" + std::to_string(tokens);
            one.context_len = tokens;
            place(one, static_cast<double>(tokens));
            set_.workloads.push_back(std::move(one));
        }
    }

    template <class Place>
    static Workload of_tier(Workload workload, const json::object& tier, Place&& place)
    {
        if (const auto output = number_at(tier, "output_tokens"))
            workload.output = constant_count(*output);
        if (const auto question = number_at(tier, "question_tokens"))
            workload.suffix = constant_count(*question);
        if (const auto prefix = number_at(tier, "prefix_tokens")) {
            const auto tokens = static_cast<std::int64_t>(*prefix);
            workload.context_len = tokens;
            workload.label = "ctx" + std::to_string(tokens);
            place(workload, *prefix);
        }
        if (const auto label = string_at(tier, "label"))
            workload.label = std::string(*label);
        return workload;
    }

    CardView& card_;
    bool spread_;
    Workload base_;
    Dataset set_;
};

} // namespace detail

} // namespace slo::card

#endif
