// SPDX-License-Identifier: MIT
// What a sequence of search records says: the state of a search, read back from a journal or a pipe.

#ifndef SLO_RECORD_SEARCH_LOG_HPP
#define SLO_RECORD_SEARCH_LOG_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/record/probe_metrics.hpp>
#include <slo/record/search.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::record {

/// The records of one search, taken in one by one. Verdict records that carry a `qps` count as probes, so
/// that a loop in a shell may append what its own probe printed.
class SearchLog {
public:
    std::optional<SearchSettings> settings; ///< of the start record
    std::vector<SearchProbe> probes;        ///< steps are numbered anew, from 1
    std::optional<json::object> result;     ///< the result record, where no probe came after it
    double elapsed_s = 0;                   ///< the latest time any record tells
    std::size_t skipped = 0;                ///< objects that are no search record and no verdict
    std::size_t relaunches = 0;             ///< of the service
    std::size_t deaths = 0;                 ///< of the service under load, since the last probe
    std::size_t confirm = 0; ///< runs beyond the first, as the last start or result record has it

    /// Takes in one record. Throws Error for one that contradicts the form of search records.
    void take(const json::object& record)
    {
        const auto schema = string_at(record, "schema").value_or("");
        const auto event = string_at(record, "event").value_or("");
        if (schema.starts_with("sloutils.search/") && schema != search_schema)
            throw Error("schema " + printable(schema, 40) + " is not known here");
        if (event == "start")
            take_start(record);
        else if (event == "probe")
            take_probe(record);
        else if (event == "service")
            take_service(record);
        else if (event == "result")
            result = record;
        else if (event.empty() && is_verdict(record, schema))
            take_verdict(record);
        else if (schema != search_schema && !metrics_.take(record))
            ++skipped;
        if (event == "start" || event == "result")
            confirm = bounded_at(record, "confirm");
        if (schema == search_schema)
            elapsed_s = std::max(elapsed_s, number_at(record, "elapsed_s").value_or(0));
    }

    /// True for a verdict record, with or without its schema.
    static bool is_verdict(const json::object& record, std::string_view schema)
    {
        const auto status = string_at(record, "status").value_or("");
        if (!schema.empty() && !schema.starts_with("sloutils.verdict/"))
            return false;
        return probe_status_of(status).has_value() || status == "ERROR";
    }

private:
    static std::size_t bounded_at(const json::object& record, std::string_view key)
    {
        return static_cast<std::size_t>(
            std::clamp<std::int64_t>(integer_at(record, key).value_or(0), 0, 1000));
    }

    void take_service(const json::object& record)
    {
        const auto what = string_at(record, "what").value_or("");
        relaunches += what == "relaunched";
        deaths += what == "died";
    }

    void take_start(const json::object& record)
    {
        auto read = read_settings(record);
        if (settings) {
            const auto differs = difference(*settings, read);
            if (!differs.empty())
                throw Error("the start of another search: " + differs);
        }
        settings = std::move(read);
    }

    void take_probe(const json::object& record)
    {
        auto probe = read_probe(record);
        metrics_.give(probe);
        probe.step = probes.size() + 1;
        probes.push_back(std::move(probe));
        deaths = 0;
        result.reset();
    }

    void take_verdict(const json::object& record)
    {
        if (!find(record, "qps"))
            throw Error("a verdict without qps: which rate was probed is not known");
        take_probe(record);
    }

    ProbeMetrics metrics_; ///< of the records since the last probe
};

/// What was read of a text that a writer may still be appending to, or died in.
struct SearchLogText {
    SearchLog log;
    std::size_t whole_bytes = 0; ///< up to the end of the last record that is whole
    std::size_t torn_bytes = 0;  ///< of a last line that is no record and has no end
    bool ends_in_lf = true;      ///< false: the last record is whole but its LF is missing
};

/// Reads records from JSON Lines; a torn last line is left out and reported. Throws InputError (name:line:
/// reason).
inline SearchLogText read_search_log(std::string_view text, std::string_view name)
{
    SearchLogText read;
    std::size_t line_number = 0;
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark))
        read.whole_bytes = byte_order_mark.size();
    while (read.whole_bytes < text.size()) {
        const auto end = text.find('\n', read.whole_bytes);
        const bool last = end == std::string_view::npos;
        const auto line = text.substr(read.whole_bytes, last ? end : end - read.whole_bytes);
        ++line_number;
        try {
            if (!trim(line).empty()) {
                const auto value = parse_json(trim(line));
                if (!value.is_object())
                    throw JsonError("not a JSON object");
                read.log.take(value.get_object());
            }
        } catch (const JsonError& error) {
            if (last) {
                read.torn_bytes = line.size();
                return read;
            }
            throw InputError(name, line_number, error.what());
        } catch (const Error& error) {
            throw InputError(name, line_number, error.what());
        }
        read.ends_in_lf = !last;
        read.whole_bytes = last ? text.size() : end + 1;
    }
    return read;
}

} // namespace slo::record

#endif
