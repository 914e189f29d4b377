// SPDX-License-Identifier: MIT
// Data sets that every tool can send: random prompts, shared prefixes, retrieval, traces.

#ifndef SLO_CARD_DATASET_PLAIN_HPP
#define SLO_CARD_DATASET_PLAIN_HPP

#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/card/card_view.hpp>
#include <slo/card/compiled_plan.hpp>
#include <slo/card/dataset_workload.hpp>

#include <cstdint>
#include <optional>
#include <utility>

namespace slo::card::detail {

/// Each function reads one type of data set into set_.
class PlainDatasets : public DatasetParts {
protected:
    using DatasetParts::DatasetParts;

    void synthetic()
    {
        auto workload = base_;
        const auto* lengths = card_.get("dataset.context_lengths");
        const auto* first = lengths && lengths->is_array() && !lengths->get_array().empty()
                                ? &lengths->get_array().front()
                                : lengths;
        const auto context = as_number(first);
        workload.input = context ? constant_count(*context) : count_or("input_tokens", 2048);
        workload.output = output(256);
        workload.range_ratio = number("random_range_ratio");
        set_.summary = {{"type", "synthetic"},
                        {"input_tokens", mean_of(workload.input.whole())},
                        {"output_tokens", mean_of(workload.output.whole())}};
        for_each_context(workload, [](Workload& one, double tokens) {
            one.input = constant_count(tokens + (one.suffix.mean > 0 ? one.suffix.mean : 0));
        });
    }

    void shared_prefix()
    {
        auto workload = base_;
        workload.kind = Workload::Kind::shared_prefix;
        workload.prefix = constant_count(
            card_.first_number({"dataset.shared_prefix_tokens", "dataset.shared_system_prompt_tokens"})
                .value_or(4096));
        auto suffix = count("unique_suffix_tokens");
        if (!suffix || suffix->mean == 0)
            suffix = count("per_user_query_tokens");
        workload.suffix = suffix.value_or(constant_count(256));
        workload.groups = static_cast<std::int64_t>(
            card_.first_number({"dataset.prefix_groups", "dataset.num_prefixes"}).value_or(4));
        workload.output = output(256);
        // The length of a whole prompt follows from its parts; how they are shared is what the type says.
        card_.get("dataset.prefix_reuse");
        card_.get("dataset.input_tokens");
        set_.summary = {{"type", "generated-shared-prefix"},
                        {"shared_prefix_tokens", workload.prefix.whole()},
                        {"unique_suffix_tokens", mean_of(workload.suffix.whole())},
                        {"prefix_groups", workload.groups},
                        {"output_tokens", mean_of(workload.output.whole())}};
        for_each_context(workload, [](Workload& one, double tokens) { one.prefix = constant_count(tokens); });
    }

    void rag()
    {
        auto workload = base_;
        workload.input =
            sum_of(constant_count(number("system_prompt_tokens").value_or(0)),
                   sum_of(count_or("retrieved_context_tokens", 5000), count_or("user_question_tokens", 128)));
        workload.output = output(384);
        const auto* reuse = card_.get("dataset.prefix_reuse");
        if (reuse && *reuse != json::value(false) && *reuse != json::value("none"))
            card_.lose("dataset.prefix_reuse", "the prompts of synthetic-rag share nothing: take the type "
                                               "synthetic-shared-prefix");
        set_.summary = {{"type", "synthetic-rag"},
                        {"input_tokens", mean_of(workload.input.whole())},
                        {"output_tokens", mean_of(workload.output.whole())},
                        {"prefix_reuse", reuse ? *reuse : json::value(nullptr)}};
        for_each_context(workload, [](Workload& one, double tokens) { one.input = constant_count(tokens); });
    }

    void trace()
    {
        auto workload = base_;
        workload.kind = Workload::Kind::trace;
        workload.exact_output = false;
        const auto named = card_.text("dataset.source");
        const auto fallback = named ? std::nullopt : card_.text("dataset.fallback.source");
        workload.source = named.value_or(fallback.value_or("sharegpt"));
        workload.path = card_.text("dataset.dataset_path").value_or("");
        if (const auto path = card_.text("dataset.path"); path && workload.path.empty())
            workload.path = *path;
        if (spread_)
            workload.sample_size = static_cast<std::int64_t>(
                card_.first_number({"dataset.sample_size", "dataset.fallback.sample_size"}).value_or(0));
        set_.summary = {{"type", "trace-replay"},
                        {"source", workload.source},
                        {"dataset_path", text_or_null(workload.path)}};
        for_each_context(workload, [](Workload&, double) {});
    }
};

} // namespace slo::card::detail

#endif
