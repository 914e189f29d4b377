// SPDX-License-Identifier: MIT
// The configurations that `report compare` is told: one a word, each a file, a folder or a list.

#ifndef SLO_REPORT_COMPARE_GROUPS_HPP
#define SLO_REPORT_COMPARE_GROUPS_HPP

#include <slo/artifact/artifact.hpp>
#include <slo/artifact/comparability.hpp>
#include <slo/artifact/comparison.hpp>
#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/report/report_input.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace slo::report {

namespace detail {

/// The artifacts in one file: one document, or one a line.
inline std::vector<artifact::Artifact> artifacts_in(const std::string& path)
{
    std::vector<artifact::Artifact> found;
    RecordFile file(path);
    while (auto record = file.next()) {
        if (record->kind != Kind::envelope)
            throw InputError(
                record->file, record->line,
                "is a record of kind " +
                    printable(string_at(record->object, "schema").value_or(name_of(record->kind)), 60) +
                    ", not an artifact");
        found.emplace_back(std::move(record->object), record->file);
    }
    if (file.torn())
        throw InputError(file.name(), "ends within an artifact");
    if (found.empty())
        throw InputError(file.name(), "holds no artifact");
    return found;
}

// The files of a folder that may hold artifacts, by name; what stands in it besides is noted.
inline std::vector<std::string> files_in(const std::string& folder,
                                         const std::function<void(const std::string&)>& note)
{
    std::vector<std::string> files;
    std::size_t others = 0;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const auto name = entry->path().filename().string();
        const auto extension = entry->path().extension();
        if (!name.starts_with('.') && (extension == ".json" || extension == ".jsonl"))
            files.push_back(entry->path().string());
        else
            ++others;
    }
    if (error)
        throw IoError(folder, error.value());
    if (files.empty())
        throw InputError(folder, "holds no .json file");
    if (others > 0)
        note(folder + ": files left out that are no .json: " + std::to_string(others));
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace detail

/// Reads the runs of one configuration: FILE, FOLDER, or LABEL=FILE,FILE,… Runs of one configuration must be
/// the same in all that is compared, and none may be there twice. Throws InputError, IoError.
inline artifact::ResultGroup read_group(const std::string& word,
                                        const std::function<void(const std::string&)>& note)
{
    artifact::ResultGroup group;
    std::vector<std::string> paths;
    std::error_code error;
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || std::filesystem::exists(word, error)) {
        paths.push_back(word);
        auto path = std::filesystem::path(word);
        if (!path.has_filename())
            path = path.parent_path();
        group.label =
            std::filesystem::is_directory(word, error) ? path.filename().string() : path.stem().string();
    } else {
        group.label = word.substr(0, equals);
        std::string_view rest = std::string_view(word).substr(equals + 1);
        for (;;) {
            const auto comma = rest.find(',');
            paths.emplace_back(rest.substr(0, comma));
            if (comma == std::string_view::npos)
                break;
            rest.remove_prefix(comma + 1);
        }
    }
    group.label = word == "-" ? "stdin" : printable(group.label, 40);
    for (const auto& path : paths) {
        const bool is_folder = std::filesystem::is_directory(path, error);
        for (const auto& file : is_folder ? detail::files_in(path, note) : std::vector{path})
            for (auto& artifact : detail::artifacts_in(file))
                group.runs.push_back(std::move(artifact));
    }
    std::set<std::string> ids;
    for (const auto& run : group.runs)
        if (const auto id = run.text("artifact_id"); id && !ids.insert(*id).second)
            throw InputError(run.name(), "artifact " + printable(*id, 60) +
                                             " is there twice: one run is no repetition of itself");
    std::vector<const artifact::Artifact*> runs;
    for (const auto& run : group.runs)
        runs.push_back(&run);
    if (const auto differences = artifact::key_differences(runs, {}); !differences.empty()) {
        const auto& first = differences.front();
        std::string values;
        for (const auto& value : first.values)
            values += (values.empty() ? "" : ", ") + value;
        throw InputError(group.label, "its runs are no repetitions: they differ in " + first.key + " (" +
                                          printable(values, 160) + ")");
    }
    return group;
}

/// Gives each configuration a label of its own.
inline void make_labels_distinct(std::vector<artifact::ResultGroup>& groups)
{
    std::set<std::string> taken;
    for (auto& group : groups) {
        const auto label = group.label;
        for (int number = 2; !taken.insert(group.label).second; ++number)
            group.label = label + "#" + std::to_string(number);
    }
}

} // namespace slo::report

#endif
