// SPDX-License-Identifier: MIT
// What a report is made of: any mix of our records, from files and pipes, told apart.

#ifndef SLO_REPORT_REPORT_INPUT_HPP
#define SLO_REPORT_REPORT_INPUT_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/io/jsonl.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::report {

/// The kinds of records that reports know.
enum class Kind { search, round, request, run, verdict, diff, envelope, preflight, snapshot, other };

inline constexpr std::array<std::string_view, 10> kind_names{
    "search", "round", "request", "run", "verdict", "diff", "envelope", "preflight", "snapshot", "other"};

/// The name of a kind, as in "sloutils.NAME/1".
constexpr std::string_view name_of(Kind kind) noexcept
{
    return kind_names[static_cast<std::size_t>(kind)];
}

namespace detail {

inline bool has(const json::object& record, std::string_view key)
{
    return find(record, key) != nullptr;
}

// By the members that a kind has and no other: older producers, and envelopes of other tools.
inline Kind kind_by_members(const json::object& record)
{
    if (has(record, "schema_version") ||
        (object_at(record, "metrics") && (object_at(record, "engine") || object_at(record, "workload"))))
        return Kind::envelope;
    if (has(record, "event") && (has(record, "qps") || has(record, "max_qps") || has(record, "low_qps")))
        return Kind::search;
    if (has(record, "due_s") && has(record, "status"))
        return Kind::request;
    if (has(record, "Latency") || (has(record, "success_rate") && has(record, "actual_qps")))
        return Kind::round;
    if (has(record, "all_prefix_metrics_seen") || has(record, "hit_metric"))
        return Kind::diff;
    if (has(record, "issues_red"))
        return Kind::preflight;
    if (string_at(record, "status") &&
        (has(record, "rounds_seen") || has(record, "slo_s") || has(record, "error")))
        return Kind::verdict;
    return Kind::other;
}

} // namespace detail

/// What a record is, by its schema, or by its members where it names none. Throws Error for one of our kinds
/// in another version than 1.
inline Kind kind_of(const json::object& record)
{
    const auto schema = string_at(record, "schema");
    if (!schema)
        return detail::kind_by_members(record);
    constexpr std::string_view ours = "sloutils.";
    const auto slash = schema->find('/');
    if (!schema->starts_with(ours) || slash == std::string_view::npos)
        return Kind::other;
    const auto name = schema->substr(ours.size(), slash - ours.size());
    const auto found = std::find(kind_names.begin(), kind_names.end() - 1, name);
    if (found == kind_names.end() - 1)
        return Kind::other;
    if (schema->substr(slash) != "/1")
        throw Error("schema " + printable(*schema, 60) + " is of a version that is not known here");
    return static_cast<Kind>(found - kind_names.begin());
}

/// A record and where it stood.
struct Record {
    Kind kind = Kind::other;
    std::string file; ///< "<stdin>" for "-"
    std::size_t line = 0;
    json::object object;
};

namespace detail {

// One file, a line a record; where the first line is no JSON by itself, the whole is one document.
class RecordFile {
public:
    explicit RecordFile(const std::string& path) : reader_(path) {}

    const std::string& name() const noexcept { return reader_.name(); }
    /// True once the file ended in a line that is no whole record.
    bool torn() const noexcept { return torn_; }

    std::optional<Record> next()
    {
        while (const auto line = reader_.next()) {
            if (trim(*line).empty())
                continue;
            const auto number = reader_.line();
            auto value = std::exchange(begun_, true) ? parse_line(*line, number) : parse_first(*line);
            if (!value)
                return std::nullopt;
            if (!value->is_object())
                throw InputError(name(), number, "not a JSON object");
            try {
                Record record{kind_of(value->get_object()), name(), number, {}};
                record.object = std::move(value->get_object());
                return record;
            } catch (const InputError&) {
                throw;
            } catch (const Error& error) {
                throw InputError(name(), number, error.what());
            }
        }
        return std::nullopt;
    }

private:
    // A document that was written over several lines; nothing else is as large as this, and no artifact is.
    static constexpr std::size_t max_document_bytes = std::size_t{64} << 20;

    std::optional<json::value> parse_first(std::string_view first)
    {
        const auto number = reader_.line();
        std::string reason;
        try {
            return parse_json(first);
        } catch (const JsonError& error) {
            reason = error.what();
        }
        std::string document(first);
        // A line that is wrong in itself is no beginning: say so without reading a pipe to its end.
        const bool begins = trim(first).size() < 2 || trim(first).back() == ',' || trim(first).back() == '{';
        while (begins) {
            const auto line = reader_.next();
            if (!line)
                break;
            document.append("\n").append(*line);
            if (document.size() > max_document_bytes)
                throw InputError(name(), number, "is no line of JSON, and no document below 64 MiB");
        }
        try {
            if (begins)
                return parse_json(document);
        } catch (const JsonError& error) {
            throw InputError(name(), error.what());
        }
        throw InputError(name(), number, reason);
    }

    // A writer that was killed leaves a torn last line.
    std::optional<json::value> parse_line(std::string_view line, std::size_t number)
    {
        try {
            return parse_json(line);
        } catch (const JsonError& error) {
            const std::string reason = error.what();
            if (reader_.next())
                throw InputError(name(), number, reason);
        }
        torn_ = true;
        return std::nullopt;
    }

    io::LineReader reader_;
    bool begun_ = false;
    bool torn_ = false;
};

} // namespace detail

/// Hands each record of the files ("-" is stdin) to `take` as soon as it is there; keeps none. Tells `note`
/// what it left out: a torn last line, and kinds that no report knows. Throws IoError, or InputError
/// ("file:line: reason") for what is no record, and with what `take` throws as Error.
inline void read_records(const std::vector<std::string>& files,
                         const std::function<void(Record&& record)>& take,
                         const std::function<void(const std::string&)>& note)
{
    std::map<std::string, std::size_t> unknown;
    for (const auto& path : files) {
        detail::RecordFile file(path);
        while (auto record = file.next()) {
            if (record->kind == Kind::other) {
                ++unknown[printable(string_at(record->object, "schema").value_or("no schema"), 60)];
                continue;
            }
            const auto line = record->line;
            try {
                take(std::move(*record));
            } catch (const ClosedPipe&) {
                throw;
            } catch (const IoError&) {
                throw;
            } catch (const Error& error) {
                const std::string what = error.what();
                if (what.starts_with(file.name() + ":"))
                    throw InputError(what);
                throw InputError(file.name(), line, what);
            }
        }
        if (file.torn())
            note(file.name() + ": last record cut short, left out");
    }
    for (const auto& [schema, count] : unknown)
        note("left out: " + std::to_string(count) + (count == 1 ? " record" : " records") +
             " that no report shows (" + schema + ")");
}

} // namespace slo::report

#endif
