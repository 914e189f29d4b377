// SPDX-License-Identifier: MIT
// Results of quality evaluations, as a block of an envelope and its gate.

#ifndef SLO_ARTIFACT_QUALITY_HPP
#define SLO_ARTIFACT_QUALITY_HPP

#include <slo/artifact/blocks.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/io/fd.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::artifact {

/// The evaluations that the standard knows; of the last a lower score, an error rate, is the better one.
inline constexpr std::array<std::string_view, 7> quality_evals{"mmlu", "gsm8k",  "humaneval",  "banking77",
                                                               "fiqa", "docvqa", "librispeech"};

/// The default of how much worse than its baseline a score may be.
inline constexpr double quality_tolerance = 0.02;

namespace detail {

// Adds one evaluation; the gate stands open only while every one is known and good enough.
inline void add_eval(json::object eval, const std::string& name, json::array& evals, bool& gate,
                     std::vector<std::string>& notes)
{
    const auto which = string_at(eval, "eval");
    const auto score = number_at(eval, "score");
    const auto baseline = number_at(eval, "baseline_score");
    const bool known =
        which && std::find(quality_evals.begin(), quality_evals.end(), *which) != quality_evals.end();
    if (!known || !score || !baseline) {
        gate = false;
        notes.push_back("quality: " + name + " does not tell " +
                        (!known   ? "a known eval"
                         : !score ? "its score"
                                  : "its baseline_score") +
                        ": not taken in, and the gate is not passed");
        return;
    }
    const auto* lower = find(eval, "lower_is_better");
    const bool lower_is_better = lower && lower->is_bool() ? lower->get_bool() : *which == "librispeech";
    const double tolerance = number_at(eval, "tolerance").value_or(quality_tolerance);
    const double delta = lower_is_better ? *score - *baseline : *baseline - *score;
    const bool passed = delta <= tolerance;
    const auto* told = find(eval, "passed");
    if (told && told->is_bool() && told->get_bool() != passed)
        notes.push_back("quality: " + name + " says that " + std::string(*which) + " " +
                        (passed ? "failed" : "passed") + ", its scores that it " +
                        (passed ? "passed" : "failed"));
    const bool good = passed && !(told && *told == json::value(false));
    gate = gate && good;
    eval["delta"] = delta;
    eval["tolerance"] = tolerance;
    eval["lower_is_better"] = lower_is_better;
    eval["passed"] = good;
    evals.push_back(std::move(eval));
}

} // namespace detail

/// A result file of an evaluation: {"eval","score","baseline_score",…}, or {"evals":[…]} of several; nothing
/// where it could not be read.
struct QualityFile {
    std::string name;
    std::optional<json::object> content;
    std::string why_not;
};

/// The block `quality`; none where no file was named. The gate is passed where every evaluation of every file
/// is within its tolerance by its own scores: a file that could not be read, or lacks a score, fails it, and
/// so does one that calls itself failed. A delta is how much worse the score is than its baseline.
inline SideBlock quality_of(const std::vector<QualityFile>& files)
{
    SideBlock block;
    if (files.empty())
        return block;
    bool gate = true;
    json::array evals;
    for (const auto& file : files) {
        if (!file.content) {
            gate = false;
            block.notes.push_back("quality: " + file.name + ": " + file.why_not + "; the gate is not passed");
        } else if (const auto* several = array_at(*file.content, "evals")) {
            for (const auto& eval : *several)
                detail::add_eval(eval.is_object() ? eval.get_object() : json::object(), file.name, evals,
                                 gate, block.notes);
        } else {
            detail::add_eval(*file.content, file.name, evals, gate, block.notes);
        }
    }
    gate = gate && !evals.empty();
    block.value = json::object{{"gate_passed", gate}, {"evals", std::move(evals)}};
    return block;
}

/// The same of files, each read here.
inline SideBlock quality_block(const std::vector<std::string>& paths)
{
    constexpr std::size_t max_bytes = std::size_t{16} << 20;
    std::vector<QualityFile> files;
    for (const auto& path : paths) {
        QualityFile file{path, std::nullopt, ""};
        try {
            auto value = parse_json(io::read_all(path, max_bytes));
            if (value.is_object())
                file.content = std::move(value.get_object());
            else
                file.why_not = "not a JSON object";
        } catch (const Error& error) {
            const std::string_view what = error.what();
            file.why_not = what.starts_with(path + ": ") ? what.substr(path.size() + 2) : what;
        }
        files.push_back(std::move(file));
    }
    return quality_of(files);
}

} // namespace slo::artifact

#endif
