// SPDX-License-Identifier: MIT
// All rules by name, and the check of one deployment: from files to the record of what was found.

#ifndef SLO_SERVING_CONFIG_CHECK_HPP
#define SLO_SERVING_CONFIG_CHECK_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/card/sidecar.hpp>
#include <slo/config/document.hpp>
#include <slo/io/fd.hpp>
#include <slo/serving/engine_rules.hpp>
#include <slo/serving/facts.hpp>
#include <slo/serving/finding.hpp>
#include <slo/serving/lessons.hpp>
#include <slo/serving/memory_rules.hpp>
#include <slo/serving/parallel_rules.hpp>
#include <slo/serving/platform_rules.hpp>
#include <slo/serving/precision_rules.hpp>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::serving {

struct Rule {
    std::string_view name;
    std::string_view wants; ///< one phrase
    void (*check)(const Facts&, RuleReport&);
};

inline constexpr Rule rules[] = {
    {"fp8-moe-tp-divisibility", "blocks of fp8 experts split evenly over tensor_parallel", fp8_moe_rule},
    {"max-model-len-vs-position", "max_model_len is within the model's positions", context_rule},
    {"b200-requires-al2023", "instances with B200 or B300 start from Amazon Linux 2023", ami_rule},
    {"lmcache-mla-incompat", "no LMCache with latent attention", lmcache_rule},
    {"hicache-size-vs-device-pool", "the host's cache has a size, above the pool on the card", hicache_rule},
    {"specdec-on-pcie", "no chatty speculative decoding over PCIe", speculation_link_rule},
    {"mamba-mtp-prefix-cache", "no prefix caching of hybrids with speculative decoding", mamba_prefix_rule},
    {"hybrid-hicache-cuda-graph", "no CUDA graphs of hybrids with hierarchical_cache", hybrid_graph_rule},
    {"blackwell-cuda-tag", "no image of CUDA 13.1 on sm_120", cuda_tag_rule},
    {"specdec-acceptance-gate", "drafts are accepted, measured, at least 0.6 of them", acceptance_rule},
    {"specdec-shape", "method, draft model and numbers of drafts fit each other", speculation_shape_rule},
    {"quantization-names", "formats of weights and KV cache have known names", quantization_names_rule},
    {"precision-vs-gpu", "the cards compute in these formats", precision_rule},
    {"gpu-arch", "arch is that of the cards' name", gpu_arch_rule},
    {"tp-divides-heads", "heads and columns split evenly over tensor_parallel, layers over stages",
     heads_rule},
    {"experts-split", "experts split evenly where they are spread", experts_rule},
    {"gpus-for-parallelism", "tensor x pipeline x data parallelism fits gpu.count", gpus_rule},
    {"kv-memory", "weights and sequences of max_model_len fit the cards", kv_memory_rule},
    {"host-memory", "what is offloaded fits the host's memory", host_memory_rule},
    {"gpus-found", "the cards of a preflight are those of the sidecar", gpus_found_rule},
    {"extra-args-agree", "extra_args do not contradict keys of the sidecar", extra_args_rule},
    {"sources-agree", "sidecar, model card and config.json agree", sources_rule},
    {"artifact-fields", "what an artifact needs is said, in its schema's words", artifact_rule}};

/// One line a rule: name, tab, what it wants.
inline std::string list_rules()
{
    std::string text;
    for (const auto& rule : rules)
        text += std::string(rule.name) + "\t" + std::string(rule.wants) + "\n";
    return text + "prior-failure:CATEGORY\tno like deployment has failed before (--corpus-root)\n";
}

/// The command line.
struct CheckOptions {
    std::string card;
    std::string model_config;
    std::string gpus;
    std::string corpus_root;
    bool warnings_as_errors = false;

    /// Adds the options to a table of the cli layer, which this layer does not know.
    template <class Table>
    void describe(Table& table)
    {
        table.section("What else is known");
        table.add("card", card, "FILE", "model card, YAML or JSON; the sidecar wins");
        table.add("model-config", model_config, "FILE", "config.json of the model, as Hugging Face has it");
        table.add("gpus", gpus, "FILE", "record of gpu-preflight: cards and memory as they are");
        table.add("corpus-root", corpus_root, "DIR", "lessons of deployments before this one");
        table.section("Verdict");
        table.flag("warnings-as-errors", warnings_as_errors, "a warning makes the deployment invalid, too");
    }
};

/// What the rules found.
struct CheckResult {
    std::vector<Finding> findings; ///< in the order of the rules
    json::array rules;             ///< each rule with its state

    /// No finding is a fail.
    bool ok() const { return !has(findings, Verdict::fail); }
    bool is_valid(bool warnings_as_errors) const
    {
        return ok() && !(warnings_as_errors && has(findings, Verdict::warn));
    }
};

namespace detail {

inline void add(CheckResult& result, const RuleReport& report)
{
    result.findings.insert(result.findings.end(), report.findings().begin(), report.findings().end());
    result.rules.emplace_back(report.record());
}

} // namespace detail

/// Applies every rule.
inline CheckResult check_rules(const Facts& facts)
{
    CheckResult result;
    for (const auto& rule : rules) {
        RuleReport report(rule.name);
        rule.check(facts, report);
        detail::add(result, report);
    }
    return result;
}

/// Reads all files, and applies every rule. Throws UsageError, IoError, InputError.
inline CheckResult check_files(const std::string& sidecar, const CheckOptions& options)
{
    const std::string* from_stdin[] = {&sidecar, &options.card, &options.model_config, &options.gpus};
    if (std::count_if(std::begin(from_stdin), std::end(from_stdin),
                      [](const auto* file) { return *file == "-"; }) > 1)
        throw UsageError("-", "stands for more than one file");
    Facts facts(card::load_sidecar(sidecar));
    for (const auto& file : {options.card, options.model_config})
        if (!file.empty())
            facts.add_model(config::load_document(file), io::display_name(file));
    if (!options.gpus.empty())
        facts.add_preflight(config::load_document(options.gpus), io::display_name(options.gpus));
    auto result = check_rules(facts);
    if (!options.corpus_root.empty())
        detail::add(result, search_lessons(facts, options.corpus_root));
    return result;
}

/// The sloutils.config_check/1 record.
inline json::object to_record(const CheckResult& result, const std::string& sidecar, bool warnings_as_errors)
{
    json::array findings;
    for (const auto& finding : result.findings)
        findings.emplace_back(to_record(finding));
    return {{"schema", "sloutils.config_check/1"},
            {"status", result.is_valid(warnings_as_errors) ? "PASS" : "FAIL"},
            {"ok", result.ok()},
            {"sidecar", json_text(io::display_name(sidecar))},
            {"warnings_as_errors", warnings_as_errors},
            {"findings", std::move(findings)},
            {"rules", result.rules}};
}

} // namespace slo::serving

#endif
