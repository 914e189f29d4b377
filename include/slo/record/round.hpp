// SPDX-License-Identifier: MIT
// Reading round records (sloutils.round/1, and those of older producers) for a verdict.

#ifndef SLO_RECORD_ROUND_HPP
#define SLO_RECORD_ROUND_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/io/jsonl.hpp>
#include <slo/record/objective_count.hpp>
#include <slo/stats/sketch.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::record {

/// The share of a round's requests that met an SLO.
struct Attainment {
    double limit_s = 0;
    double percent = 0; ///< of all that were due
};

/// What a verdict needs of one round; absent means that the record does not say.
struct Round {
    std::optional<double> p50_latency_s; ///< absent where nothing succeeded
    std::optional<double> success_rate;  ///< percent
    std::optional<std::int64_t> measurement_round;
    std::optional<std::int64_t> due; ///< requests
    std::optional<double> target_qps;
    std::optional<double> actual_qps;
    std::optional<double> wire_dispatch_qps;
    std::optional<double> completion_qps;
    std::optional<std::int64_t> concurrency; ///< of a closed loop
    bool from_send = false;                  ///< latencies count from sending, not from the due time
    std::string shard;                       ///< "I/N"; empty where the record names none
    bool client_saturated = false;
    std::vector<std::string> flags;
    std::map<std::string, std::int64_t> exceptions; ///< failures by cause
    std::optional<std::int64_t> ok;                 ///< successes
    std::int64_t refused = 0;                  ///< failures by an answer 4xx other than 429: not for the load
    std::optional<std::int64_t> output_tokens; ///< the mean of a success
    std::optional<double> duration_s;          ///< of the window: requests due over their rate
    std::optional<Attainment> e2e_slo;         ///< the shares of requests that met an SLO
    std::optional<Attainment> ttft_slo;
    std::optional<Attainment> tpot_slo;
    std::vector<ObjectiveCount> objectives;
    std::optional<bool> warming_up; ///< begun before the warm-up ended, where single requests tell of that
    std::optional<stats::QuantileSketch> latency; ///< seconds
    std::optional<stats::QuantileSketch> ttft;    ///< seconds
    std::optional<stats::QuantileSketch> tpot_ms; ///< a choice

    bool has_flag(std::string_view name) const
    {
        return std::find(flags.begin(), flags.end(), name) != flags.end();
    }
};

namespace detail {

inline std::optional<stats::QuantileSketch> sound_sketch(const json::object& sketches, std::string_view name)
{
    try {
        if (const auto* sketch = object_at(sketches, name))
            return stats::QuantileSketch::from_record(*sketch);
    } catch (const InputError&) {
        return std::nullopt;
    }
    return std::nullopt;
}

// An SLO in units of which `units` are a second, and who met it.
inline std::optional<Attainment> attainment(const json::object& record, std::string_view limit, double units,
                                            std::string_view percent)
{
    const auto asked = number_at(record, limit);
    const auto met = number_at(record, percent);
    if (!asked || !met || !(*asked > 0) || !(*met >= 0 && *met <= 100))
        return std::nullopt;
    return Attainment{*asked / units, *met};
}

inline void read_counts(const json::object& record, Round& round)
{
    const auto natural = [](const json::object& object, const char* name) {
        const auto number = integer_at(object, name);
        return number && *number >= 0 ? number : std::nullopt;
    };
    round.output_tokens = natural(record, "output_tokens");
    if (const auto* errors = object_at(record, "errors"))
        round.refused = natural(*errors, "http_4xx").value_or(0);
    const auto* counts = object_at(record, "counts");
    if (!counts)
        return;
    round.due = natural(*counts, "due");
    round.ok = natural(*counts, "ok");
    if (round.ok && round.due && *round.ok > *round.due)
        round.ok.reset();
    if (round.due && round.actual_qps && *round.actual_qps > 0) {
        const double duration_s = static_cast<double>(*round.due) / *round.actual_qps;
        if (duration_s > 0 && duration_s <= 1e9)
            round.duration_s = duration_s;
    }
}

} // namespace detail

/// The round in a record, or nothing where the record is of another kind. A p50 that is not a finite number,
/// and a sketch that is not sound, count as absent. Throws InputError where `Latency` is not an object.
inline std::optional<Round> read_round(const json::object& record)
{
    const auto schema = string_at(record, "schema");
    const auto* latency = find(record, "Latency");
    if (schema ? !schema->starts_with("sloutils.round/") : !latency && !find(record, "success_rate"))
        return std::nullopt;
    Round round;
    if (latency && !latency->is_null()) {
        if (!latency->is_object())
            throw InputError("Latency", "not an object");
        round.p50_latency_s = number_at(latency->get_object(), "p50");
    }
    round.success_rate = number_at(record, "success_rate");
    round.measurement_round = integer_at(record, "measurement_round");
    round.target_qps = number_at(record, "target_qps");
    round.actual_qps = number_at(record, "actual_qps");
    round.wire_dispatch_qps = number_at(record, "wire_dispatch_qps");
    round.completion_qps = number_at(record, "completion_qps");
    round.concurrency = integer_at(record, "concurrency");
    round.from_send = string_at(record, "latency_basis") == "send";
    round.shard = printable(string_at(record, "shard").value_or(""), 32);
    detail::read_counts(record, round);
    if (const auto* client = object_at(record, "client")) {
        const auto* saturated = find(*client, "saturated");
        round.client_saturated = saturated && saturated->is_bool() && saturated->get_bool();
    }
    if (const auto* flags = array_at(record, "flags"))
        for (const auto& flag : *flags)
            if (flag.is_string())
                round.flags.emplace_back(flag.get_string());
    if (const auto* exceptions = object_at(record, "exceptions"))
        for (const auto& cause : *exceptions)
            if (const auto count = integer_at(*exceptions, cause.key()); count && *count > 0)
                round.exceptions.emplace(printable({cause.key().data(), cause.key().size()}), *count);
    round.e2e_slo = detail::attainment(record, "slo_seconds", 1, "slo_attainment");
    round.ttft_slo = detail::attainment(record, "ttft_slo_ms", 1000, "ttft_slo_attainment");
    round.tpot_slo = detail::attainment(record, "tpot_slo_ms", 1000, "tpot_slo_attainment");
    round.objectives = read_objective_counts(record);
    if (const auto* sketches = object_at(record, "sketches")) {
        round.latency = detail::sound_sketch(*sketches, "Latency");
        round.ttft = detail::sound_sketch(*sketches, "TTFT");
        round.tpot_ms = detail::sound_sketch(*sketches, "TPOT");
    }
    return round;
}

/// `line` with the tokens NaN, Infinity and -Infinity, which some producers write for an undefined number,
/// replaced by null; nothing where there are none. Text in quotes stays as it is.
inline std::optional<std::string> without_nan_tokens(std::string_view line)
{
    constexpr std::array<std::string_view, 3> tokens{"-Infinity", "Infinity", "NaN"};
    std::string out;
    bool replaced = false;
    bool quoted = false;
    while (!line.empty()) {
        std::size_t used = 1;
        std::string_view text = line.substr(0, 1);
        if (quoted && line[0] == '\\') {
            used = std::min<std::size_t>(2, line.size());
            text = line.substr(0, used);
        } else if (line[0] == '"') {
            quoted = !quoted;
        } else if (!quoted) {
            for (const auto token : tokens) {
                if (line.starts_with(token)) {
                    used = token.size();
                    text = "null";
                    replaced = true;
                    break;
                }
            }
        }
        out += text;
        line.remove_prefix(used);
    }
    return replaced ? std::optional(std::move(out)) : std::nullopt;
}

/// All rounds of one file or pipe, in order.
struct RoundFile {
    std::string name;
    std::vector<Round> rounds;
    std::size_t other_records = 0;         ///< records of another kind
    std::size_t malformed_lines = 0;       ///< lines that hold no record, or no number where p50 stands
    std::vector<std::size_t> malformed_at; ///< the first line numbers of these, five at most
};

namespace detail {

inline std::optional<Round> round_of_line(std::string_view line)
{
    const auto object_of = [](std::string_view text) {
        auto value = parse_json(text);
        if (!value.is_object())
            throw JsonError("not a JSON object");
        return std::move(value.get_object());
    };
    const auto cleaned = without_nan_tokens(line);
    auto round = read_round(object_of(cleaned ? std::string_view(*cleaned) : line));
    if (cleaned && round && !round->p50_latency_s)
        throw JsonError("p50 is no number");
    return round;
}

} // namespace detail

/// Takes the lines of one file. A line that is no record is skipped and counted, because a writer that was
/// killed leaves a torn one.
class RoundReader {
public:
    explicit RoundReader(std::string name) { file_.name = std::move(name); }

    /// Takes line number `number`; true when it was a round.
    bool take(std::string_view line, std::size_t number)
    {
        constexpr std::size_t most_shown = 5;
        if (trim(line).empty())
            return false;
        try {
            if (auto round = detail::round_of_line(line)) {
                file_.rounds.push_back(std::move(*round));
                return true;
            }
            ++file_.other_records;
        } catch (const Error&) {
            ++file_.malformed_lines;
            if (file_.malformed_at.size() < most_shown)
                file_.malformed_at.push_back(number);
        }
        return false;
    }

    /// What was taken so far.
    const RoundFile& file() const& noexcept { return file_; }
    RoundFile file() && noexcept { return std::move(file_); }

    /// True while no line said anything.
    bool is_empty() const noexcept
    {
        return file_.rounds.empty() && file_.other_records == 0 && file_.malformed_lines == 0;
    }

private:
    RoundFile file_;
};

/// Reads rounds to the end. Throws IoError, or InputError for a line too long to be read.
inline RoundFile read_rounds(io::LineReader& reader)
{
    RoundReader rounds(reader.name());
    while (const auto line = reader.next())
        rounds.take(*line, reader.line());
    return std::move(rounds).file();
}

/// Reads the files one after the other ("-" is stdin); `watch` is told the file descriptor that is being
/// read, and -1 in between. Throws as read_rounds, or IoError for a file that cannot be opened.
template <class Watch>
std::vector<RoundFile> read_round_files(const std::vector<std::string>& paths, Watch watch)
{
    std::vector<RoundFile> files;
    for (const auto& path : paths) {
        auto fd = io::open_input(path);
        watch(fd.get());
        io::LineReader reader(std::move(fd), io::display_name(path));
        files.push_back(read_rounds(reader));
        watch(-1);
    }
    return files;
}

} // namespace slo::record

#endif
