// SPDX-License-Identifier: MIT
// The data set of a card, whatever its type.

#ifndef SLO_CARD_DATASET_READER_HPP
#define SLO_CARD_DATASET_READER_HPP

#include <slo/base/json.hpp>
#include <slo/base/spelling.hpp>
#include <slo/base/text.hpp>
#include <slo/card/card_view.hpp>
#include <slo/card/compiled_plan.hpp>
#include <slo/card/dataset_plain.hpp>
#include <slo/card/dataset_workload.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo::card {

namespace detail {

struct OrchestratedType {
    std::string_view type;
    std::string_view runner;
};

inline constexpr OrchestratedType orchestrated_datasets[] = {
    {"synthetic-agentic", "agentic_session_runner"},
    {"synthetic-multiturn", "multiturn_session_runner"},
    {"ensemble-from-sidecar", "cohost_runner"},
    {"mix-from-sidecar", "burn_in_runner"},
    {"single-probe", "cold_start_probe"},
    {"audio-clips", "audio_runner"},
    {"real-seeded-synthetic", "fin_replay_runner"}};

inline constexpr std::array<std::string_view, 15> dataset_types{"synthetic",
                                                                "generated-shared-prefix",
                                                                "synthetic-shared-prefix",
                                                                "synthetic-rag",
                                                                "real",
                                                                "trace-replay",
                                                                "synthetic-fixed-seq",
                                                                "distinct-prefix-pool",
                                                                "synthetic-agentic",
                                                                "synthetic-multiturn",
                                                                "single-probe",
                                                                "ensemble-from-sidecar",
                                                                "mix-from-sidecar",
                                                                "audio-clips",
                                                                "real-seeded-synthetic"};

class DatasetReader : public PlainDatasets {
public:
    DatasetReader(CardView& card, Tool tool) : PlainDatasets(card, tool) {}

    Dataset read()
    {
        if (!card_.peek("dataset") && card_.peek("scenarios"))
            return scenarios();
        const auto type = card_.text("dataset.type").value_or("");
        const auto modality = card_.text("modality").value_or("text");
        const bool watched = type == "synthetic" && (modality == "video" || modality == "audio");
        if (watched) {
            set_.orchestrator = modality + "_runner";
            set_.summary = {{"type", type}, {"modality", modality}};
            return std::move(set_);
        }
        for (const auto& [name, runner] : orchestrated_datasets)
            if (type == name) {
                set_.orchestrator = runner;
                set_.summary = {{"type", type}};
            }
        read_output();
        if (type == "synthetic")
            synthetic();
        else if (type == "generated-shared-prefix" || type == "synthetic-shared-prefix")
            shared_prefix();
        else if (type == "synthetic-rag")
            rag();
        else if (type == "real" || type == "trace-replay")
            trace();
        else if (type == "synthetic-fixed-seq")
            pairs();
        else if (type == "distinct-prefix-pool")
            prefix_pool();
        else if (spread_ && (type == "synthetic-agentic" || type == "synthetic-multiturn"))
            sessions();
        else if (spread_ && type == "single-probe")
            single_probe();
        else if (set_.orchestrator.empty())
            throw unknown_type(type);
        return std::move(set_);
    }

private:
    static Unsupported unknown_type(const std::string& type)
    {
        const auto nearest = nearest_name(type, dataset_types);
        return {"unregistered_dataset_type", "dataset.type",
                (type.empty() ? "is missing" : "'" + printable(type, 60) + "' is unknown") +
                    (nearest ? "; did you mean " + *nearest + "?"
                             : ": set it to synthetic, synthetic-shared-prefix, synthetic-rag, "
                               "synthetic-multiturn or trace-replay")};
    }

    void pairs()
    {
        const auto* pairs = card_.list("dataset.sequence_pairs");
        if (!pairs || pairs->empty())
            throw Unsupported("fixed_seq_without_pairs", "dataset.sequence_pairs",
                              "is empty: name pairs of input_tokens and output_tokens");
        auto workload = base_;
        workload.range_ratio = number("random_range_ratio");
        card_.get("dataset.prefix_reuse");
        for (const auto& pair : *pairs) {
            workload.input = constant_count(number_at(pair.get_object(), "input_tokens").value_or(2048));
            workload.output = constant_count(number_at(pair.get_object(), "output_tokens").value_or(256));
            workload.context_len = workload.input.whole();
            workload.label = "isl" + std::to_string(workload.input.whole()) + "_osl" +
                             std::to_string(workload.output.whole());
            set_.workloads.push_back(workload);
        }
        set_.summary = {{"type", "synthetic-fixed-seq"}, {"sequence_pairs", *pairs}};
    }

    void prefix_pool()
    {
        const auto* counts = card_.list("prefix_pool.distinct_prefixes_sweep");
        const auto* laws = card_.list("prefix_pool.access_distribution_sweep");
        if (!counts || counts->empty())
            throw Unsupported("prefix_pool_without_prefixes", "prefix_pool.distinct_prefixes_sweep",
                              "is empty: say how many distinct prefixes there are");
        auto workload = base_;
        workload.kind = Workload::Kind::shared_prefix;
        workload.prefix = constant_count(card_.number("prefix_pool.prefix_tokens_each").value_or(4096));
        workload.suffix = count_or("unique_suffix_tokens", 256);
        workload.output = output(256);
        card_.get("prefix_pool.prefix_byte_identical_within_group");
        const auto exponent = spread_ ? card_.number("prefix_pool.zipf_s").value_or(1) : 1;
        const json::array uniform{"uniform"};
        for (const auto& groups : *counts)
            for (const auto& law : laws && !laws->empty() ? *laws : uniform) {
                const std::string access(law.get_string());
                if (access != "uniform" && access != "zipfian")
                    throw Unsupported("unknown_access_distribution", "prefix_pool.access_distribution_sweep",
                                      "'" + printable(access, 40) + "' is neither uniform nor zipfian");
                if (access == "zipfian" && !spread_) {
                    card_.lose("prefix_pool.access_distribution_sweep",
                               "the tool uses all prefixes alike: the points of zipfian are left out");
                    continue;
                }
                workload.groups = static_cast<std::int64_t>(as_number(&groups).value_or(1));
                workload.zipf = access == "zipfian" ? std::optional(exponent) : std::nullopt;
                workload.label = "prefixes" + std::to_string(workload.groups) + "_" + access;
                set_.workloads.push_back(workload);
            }
        set_.summary = {{"type", "distinct-prefix-pool"},
                        {"shared_prefix_tokens", workload.prefix.whole()},
                        {"unique_suffix_tokens", mean_of(workload.suffix.whole())},
                        {"prefix_groups", *counts},
                        {"output_tokens", mean_of(workload.output.whole())}};
    }

    void sessions()
    {
        auto workload = base_;
        workload.kind = Workload::Kind::sessions;
        workload.prefix = constant_count(number("system_prompt_tokens").value_or(0));
        const auto later =
            card_.peek("dataset.user_turn_tokens") ? "user_turn_tokens" : "input_tokens_subsequent";
        workload.suffix = count_or(later, 256);
        workload.input = count("input_tokens_first_turn").value_or(workload.suffix);
        const auto answer =
            card_.peek("dataset.assistant_turn_tokens") ? "assistant_turn_tokens" : "output_tokens";
        workload.output = count_or(answer, 256);
        workload.groups = 1;
        workload.turns = count_or("turns_per_session", 4);
        workload.think_s = count_or("inter_turn_delay_s", 0);
        // Each prompt of a conversation begins with the one before it, and all share the system prompt.
        card_.get("dataset.prefix_reuse");
        set_.orchestrator.clear();
        set_.workloads.push_back(std::move(workload));
    }

    void single_probe()
    {
        auto workload = base_;
        workload.input = count_or("input_tokens", 512);
        workload.output = output(64);
        set_.orchestrator.clear();
        set_.workloads.push_back(std::move(workload));
    }

    // Cards that name scenarios in place of a data set.
    Dataset scenarios()
    {
        for (const auto& element : *card_.list("scenarios"))
            set_.workloads.push_back(of_scenario(element.get_object()));
        card_.lose("scenarios",
                   "lengths and shared prefixes are carried out; reuse_fraction_target and cache say "
                   "how the engine must be set and what it must show, and answers that run to their "
                   "end get osl_reference as their greatest length");
        set_.summary = {{"type", "scenarios"},
                        {"scenarios", static_cast<std::int64_t>(set_.workloads.size())}};
        return std::move(set_);
    }

    Workload of_scenario(const json::object& scenario) const
    {
        Workload workload;
        workload.label = std::string(string_at(scenario, "id").value_or("scenario"));
        workload.exact_output = string_at(scenario, "output") != "run-to-eos";
        workload.output = constant_count(number_at(scenario, "osl_reference").value_or(256));
        const auto total = number_at(scenario, "total_isl");
        const auto prefix = number_at(scenario, "shared_prefix_tokens");
        if (!prefix || *prefix == 0) {
            workload.input = constant_count(number_at(scenario, "force_isl").value_or(total.value_or(2048)));
            workload.context_len = workload.input.whole();
            return workload;
        }
        workload.kind = Workload::Kind::shared_prefix;
        workload.groups = 1;
        workload.prefix = constant_count(*prefix);
        CardView view(scenario);
        auto suffix = view.count("unique_suffix_tokens", spread_);
        workload.suffix = suffix.value_or(constant_count(total && *total > *prefix ? *total - *prefix : 256));
        workload.context_len = workload.prefix.whole() + workload.suffix.whole();
        return workload;
    }
};

} // namespace detail

/// The workloads of a card; where it needs more than one command line, the name of what would run it. Throws
/// Unsupported.
inline Dataset read_dataset(CardView& card, Tool tool)
{
    return detail::DatasetReader(card, tool).read();
}

} // namespace slo::card

#endif
