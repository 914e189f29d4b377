// SPDX-License-Identifier: MIT
// What like deployments have failed of before: the front matter of lessons.md files.

#ifndef SLO_SERVING_LESSONS_HPP
#define SLO_SERVING_LESSONS_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/config/document.hpp>
#include <slo/io/fd.hpp>
#include <slo/serving/facts.hpp>
#include <slo/serving/finding.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace slo::serving {

namespace detail {

// True for "a12b": the active parameters of a mixture of experts.
inline bool is_active_size(std::string_view word)
{
    const auto inside = word.size() > 2 ? word.substr(1, word.size() - 2) : std::string_view();
    return word.starts_with('a') && word.ends_with('b') && !inside.empty() &&
           inside.find_first_not_of("0123456789") == std::string_view::npos;
}

inline bool is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

inline std::vector<std::string_view> words_of(std::string_view token)
{
    std::vector<std::string_view> words;
    while (!token.empty()) {
        const auto end = token.find('-');
        if (end != 0)
            words.push_back(token.substr(0, end));
        token.remove_prefix(end == std::string_view::npos ? token.size() : end + 1);
    }
    return words;
}

// "70b" or "1.5b" (then two words): what tells one model of a family from another.
inline bool is_size(std::string_view word)
{
    return word.size() > 1 && (word.ends_with('b') || word.ends_with('m')) &&
           word.substr(0, word.size() - 1).find_first_not_of("0123456789x") == std::string_view::npos;
}

} // namespace detail

/// "qwen3-235b" of "Qwen/Qwen3-235B-A22B-FP8": the last part of the name in small letters, without number
/// format and active size, other characters as "-".
inline std::string model_token(std::string_view name)
{
    const auto lower = lower_case(name.substr(name.rfind('/') + 1));
    constexpr std::array<std::string_view, 7> formats{"fp8", "fp4", "int4", "int8", "bf16", "awq", "gptq"};
    std::string token;
    for (std::size_t at = 0; at < lower.size();) {
        if (lower[at] == '-' || lower[at] == '_') {
            auto end = at + 1;
            while (end < lower.size() && (detail::is_letter_or_digit(lower[end]) || lower[end] == '_'))
                ++end;
            const auto word = std::string_view(lower).substr(at + 1, end - at - 1);
            if (detail::is_active_size(word) ||
                std::find(formats.begin(), formats.end(), word) != formats.end()) {
                at = end;
                continue;
            }
        }
        const char c = lower[at++];
        if (detail::is_letter_or_digit(c))
            token += c;
        else if (!token.empty() && token.back() != '-')
            token += '-';
    }
    while (!token.empty() && token.back() == '-')
        token.pop_back();
    return token;
}

/// True where two models are the same, or one's words stand in the other's as they are, with a size among
/// them: "llama-3-8b" in "meta-llama-3-8b-instruct", but not "qwen3" in "qwen3-235b", nor "llama-3-8b" in
/// "llama-3-8b-x-70b"'s other half. The classic tool takes any part of the text.
inline bool same_model(const std::string& a, const std::string& b)
{
    auto few = detail::words_of(a), many = detail::words_of(b);
    if (few.size() > many.size())
        std::swap(few, many);
    if (few.empty())
        return false;
    if (few == many)
        return true;
    return std::any_of(few.begin(), few.end(), detail::is_size) &&
           std::search(many.begin(), many.end(), few.begin(), few.end()) != many.end();
}

/// The head of one lessons.md.
struct Lesson {
    std::string file;
    std::string model, engine, hardware, date;
    std::vector<std::string> categories;
};

/// True where the lesson is about this model and engine; an engine that is not said matches any.
inline bool matches(const Lesson& lesson, std::string_view model_id, std::string_view engine)
{
    return (lesson.engine.empty() || engine.empty() || lower_case(lesson.engine) == lower_case(engine)) &&
           same_model(model_token(lesson.model), model_token(model_id));
}

/// What stands between the two lines "---" at the start of a lessons.md. Throws InputError.
inline Lesson parse_lesson(std::string_view text, const std::string& file)
{
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    const auto first = text.find('\n');
    if (first == std::string_view::npos || trim(text.substr(0, first)) != "---")
        throw InputError(file, 1, "does not begin with ---");
    text.remove_prefix(first); // the line's end stays, so that lines are counted right
    const auto end = text.find("\n---");
    if (end == std::string_view::npos)
        throw InputError(file, 1, "its front matter has no end (---)");
    const auto head = config::parse_document(text.substr(0, end + 1), file);
    const auto get = [&](const char* key) {
        const auto value = string_at(head, key);
        return value ? std::string(*value) : std::string();
    };
    Lesson lesson{file, get("model"), get("engine"), get("hardware"), get("deployment_date"), {}};
    if (lesson.hardware.empty())
        lesson.hardware = get("gpu_arch");
    if (const auto* list = array_at(head, "failure_categories"))
        for (const auto& category : *list)
            if (const auto* name = category.if_string())
                lesson.categories.emplace_back(name->data(), name->size());
    return lesson;
}

/// Looks through ROOT/domains/*/blueprints/*/lessons.md: one finding for each category of failure of each
/// lesson that matches, and one for each file that cannot be read. Throws IoError where ROOT is no folder.
inline RuleReport search_lessons(const Facts& facts, const std::string& root)
{
    namespace fs = std::filesystem;
    constexpr std::size_t most_files = 10'000, most_bytes = std::size_t{1} << 20;
    constexpr std::array<std::string_view, 19> known{"fp8_block_size_mismatch",
                                                     "max_position_embeddings_mismatch",
                                                     "ami",
                                                     "kv_eviction",
                                                     "nccl",
                                                     "driver",
                                                     "efa",
                                                     "oom",
                                                     "disk_pressure",
                                                     "kubeconfig_context_switch",
                                                     "container",
                                                     "image_compatibility",
                                                     "dependency_conflict",
                                                     "missing_shared_lib",
                                                     "tls_incompatibility",
                                                     "huggingface_cli_deprecation",
                                                     "tool_call_parser_incompatibility",
                                                     "tool_timeout",
                                                     "other"};
    RuleReport report("prior-failure");
    std::error_code error;
    if (!fs::is_directory(root, error))
        throw IoError(root, error ? error.value() : ENOTDIR);
    std::vector<std::string> files;
    const auto folders = [&](const fs::path& path) {
        std::vector<fs::path> list;
        std::error_code failed;
        for (fs::directory_iterator at(path, failed), end; !failed && at != end; at.increment(failed))
            list.push_back(at->path());
        return list;
    };
    for (const auto& domain : folders(fs::path(root) / "domains"))
        for (const auto& blueprint : folders(domain / "blueprints"))
            if (const auto file = blueprint / "lessons.md"; fs::exists(file, error))
                files.push_back(file.string());
    std::sort(files.begin(), files.end());
    if (files.size() > most_files)
        throw InputError(root, "more than 10000 lessons.md");
    const auto id =
        facts.sidecar().text("model.id").value_or(facts.sidecar().text("model.name").value_or(""));
    std::size_t matching = 0;
    for (const auto& file : files) {
        try {
            const auto lesson = parse_lesson(io::read_all(file, most_bytes), file);
            if (!matches(lesson, id, facts.engine()))
                continue;
            ++matching;
            for (const auto& category : lesson.categories) {
                const bool is_known = std::find(known.begin(), known.end(), category) != known.end();
                auto& finding = report.warn(
                    "a like deployment (" + printable(lesson.model, 80) +
                        (lesson.engine.empty() ? "" : ", " + printable(lesson.engine, 40)) +
                        (lesson.hardware.empty() ? "" : ", on " + printable(lesson.hardware, 60)) +
                        (lesson.date.empty() ? "" : ", " + printable(lesson.date, 20)) + ") failed of " +
                        printable(category, 60) + (is_known ? "" : ", a category not known here"),
                    printable(file, 300), "read what it says before the run");
                finding.rule = "prior-failure:" + (is_known ? category : std::string("other"));
            }
        } catch (const Error& problem) {
            report.not_judged("not read: " + printable(problem.what(), 300), printable(file, 300));
        }
    }
    report.figures() = {{"lessons", files.size()}, {"matching", matching}};
    if (files.empty())
        report.not_judged("no domains/*/blueprints/*/lessons.md there", root);
    return report;
}

} // namespace slo::serving

#endif
