// SPDX-License-Identifier: MIT
// route-build import: a route of what other tools have recorded or collected.

#ifndef SLO_WORKLOAD_IMPORT_HPP
#define SLO_WORKLOAD_IMPORT_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/io/fd.hpp>
#include <slo/record/route.hpp>
#include <slo/record/timestamp.hpp>
#include <slo/trace/format.hpp>
#include <slo/trace/reader.hpp>
#include <slo/workload/build.hpp>
#include <slo/workload/import_chains.hpp>
#include <slo/workload/import_clock.hpp>
#include <slo/workload/import_options.hpp>
#include <slo/workload/import_prompts.hpp>
#include <slo/workload/route_row.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace slo::workload {

/// One run of the verb.
class Importer {
public:
    /// Throws UsageError.
    Importer(const ImportOptions& options, Build& build)
        : options_(options), build_(build), format_(trace::format_named(options.format)),
          name_(io::display_name(options.files.front())), unit_(*record::ts_unit_of(options.ts_unit)),
          limit_(options.max_bad),
          clock_(format_.since_1970, format_.name == "aiperf", options.start_ns(), spacing_ns()),
          prompts_(options, options.block_tokens > 0 ? options.block_tokens : format_.block_tokens)
    {
        if (!options.only_model.empty() && format_.name != "burstgpt")
            throw UsageError("--only-model", "needs --format burstgpt: no other names models");
        if (options.block_tokens > 0 && format_.block_tokens == 0)
            throw UsageError("--block-tokens", "is for formats with hash ids: mooncake, bailian, aiperf");
    }

    /// Imports the whole file. Throws UsageError, IoError, Error, and InputError for too many malformed
    /// records and for a file that gives no row.
    void run()
    {
        const trace::ParseOptions parse{options_.turns == "first", options_.block_tokens};
        const auto& file = options_.files.front();
        trace::TraceReader reader(format_, file, parse, build_.observer(file));
        while (auto record = reader.next()) {
            ++records_;
            mended_ += record->mended;
            if (record->bad.empty())
                take(*record);
            if (!record->bad.empty())
                reject(record->bad, record->where);
        }
        flush();
        if (limit_.exceeded(bad_, records_))
            throw InputError(std::to_string(bad_) + " of " + std::to_string(records_) +
                             " records are malformed, more than --max-bad; the first: " + first_bad_);
        write_sorted();
        if (build_.rows() == 0)
            throw InputError(name_, "gives no row (" + summary() + ")");
        report();
    }

private:
    static constexpr std::size_t batch_rows = 128;
    static constexpr std::int64_t batch_tokens = 1'000'000;
    static constexpr std::size_t batch_bytes = std::size_t{64} << 20;

    struct Reason {
        std::uint64_t count = 0;
        std::size_t first_line = 0;
    };

    // Takes the requests of a record into the batch, or says in it what is malformed after all.
    void take(trace::TraceRecord& record)
    {
        for (const auto* reason : record.skipped)
            skip(reason, record.line);
        const bool many = record.requests.size() > 1;
        for (auto& request : record.requests) {
            try {
                chains_.name(request);
                if (format_.name == "openai-batch" && &request == &record.requests.front() &&
                    !batch_ids_.insert(request.conversation).second)
                    throw record::RowError("a custom_id that was there before");
                if (request.conversation.empty() && (many || request.is_delta))
                    request.conversation = std::string(format_.name) + "-" + std::to_string(records_);
                if (!is_wanted(request)) {
                    skip("of another model", record.line);
                    continue;
                }
                const auto time_ns = clock_.time_of(request);
                batch_tokens_ += request.input_tokens.value_or(0);
                batch_bytes_ += prompts_.prompt_bytes(request);
                batch_.push_back({std::move(request), time_ns, record.line, records_, nullptr});
            } catch (const record::RowError& error) {
                record.bad = error.what();
                record.where = InputError(name_, record.line, error.what()).what();
                return;
            }
            if (batch_.size() >= batch_rows || batch_tokens_ >= batch_tokens || batch_bytes_ >= batch_bytes)
                flush();
        }
    }

    std::int64_t spacing_ns() const { return std::llround(options_.spacing_s * 1e9); }

    bool is_wanted(const trace::TraceRequest& request) const
    {
        return options_.only_model.empty() || string_at(request.source, "Model") == options_.only_model;
    }

    // Counts a malformed record by its reason, without what is particular to it.
    void reject(const std::string& reason, const std::string& where)
    {
        ++bad_;
        if (first_bad_.empty())
            first_bad_ = where;
        if (limit_.exceeded(bad_))
            throw InputError(where + (bad_ > 1 ? " (malformed record " + std::to_string(bad_) + ")" : ""));
        build_.skip("malformed: " + reason.substr(0, reason.find(" (")));
    }

    void skip(const char* reason, std::size_t line)
    {
        auto& known = skipped_[reason];
        if (known.count++ == 0)
            known.first_line = line;
        build_.skip(reason);
    }

    void flush()
    {
        prompts_.complete(batch_);
        for (auto& row : batch_) {
            if (row.skipped) {
                skip(row.skipped, row.line);
                continue;
            }
            if (row.time_ns < last_ns_)
                ++out_of_order_;
            last_ns_ = row.time_ns;
            if (row.record != last_record_)
                ++records_with_rows_;
            last_record_ = row.record;
            auto line = to_line(route_row(row));
            if (options_.sort)
                sorted_.emplace_back(row.time_ns, std::move(line));
            else
                build_.write(line);
        }
        batch_.clear();
        batch_tokens_ = 0;
        batch_bytes_ = 0;
    }

    RouteRow route_row(ImportRow& from) const
    {
        auto& request = from.request;
        RouteRow row;
        row.ts = ts_text(from.time_ns, unit_);
        row.conv_id = std::move(request.conversation);
        if (!request.source.empty())
            row.other["source"] = std::move(request.source);
        row.body[request.prompt_key == "messages" && !request.prompt.is_string() ? "messages" : "prompt"] =
            std::move(request.prompt);
        if (request.output_tokens)
            row.body["max_tokens"] = *request.output_tokens;
        for (auto& member : request.body)
            row.body[member.key()] = std::move(member.value());
        if (request.output_tokens && options_.fixed_output) {
            const auto tokens = row.body["max_tokens"];
            row.body["min_tokens"] = tokens;
            row.body["ignore_eos"] = true;
        }
        return row;
    }

    void write_sorted()
    {
        std::stable_sort(sorted_.begin(), sorted_.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        for (const auto& [time_ns, line] : sorted_)
            build_.write(line);
    }

    // "imported 5 rows from 4 of 9 records; left out: 5 empty (first at line 12)"
    std::string summary() const
    {
        auto text = "imported " + std::to_string(build_.rows()) + " rows from " +
                    std::to_string(records_with_rows_) + " of " + std::to_string(records_) + " records";
        std::string_view before = "; left out: ";
        for (const auto& [reason, known] : skipped_) {
            text.append(before).append(std::to_string(known.count) + " " + std::string(reason) +
                                       " (first at line " + std::to_string(known.first_line) + ")");
            before = ", ";
        }
        if (bad_ > 0)
            text.append(before).append(std::to_string(bad_) + " malformed, the first: " + first_bad_);
        return text;
    }

    std::string time_note() const
    {
        const auto unit = " (ts in " + std::string(record::name_of(unit_)) + ")";
        if (format_.times.empty())
            return "the format has no times: rows are " + ts_text(spacing_ns(), record::TsUnit::s) +
                   " s apart" + unit;
        return "times are " + std::string(format_.times) +
               (format_.since_1970 ? "" : " from the start of the trace") + unit;
    }

    void report()
    {
        auto& facts = build_.facts();
        facts["format"] = json_text(format_.name);
        facts["times"] = text_or_null(format_.times);
        facts["records"] = records_;
        facts["records_with_rows"] = records_with_rows_;
        facts["malformed"] = bad_;
        facts["mended"] = mended_;
        facts["missing_parents"] = chains_.missing_parents();
        facts["out_of_order"] = out_of_order_;
        for (const auto& fact : prompts_.facts())
            facts[fact.key()] = fact.value();
        build_.note(time_note());
        if (prompts_.is_rough())
            build_.note(std::string("answers and bounds are counted by ") + ImportOptions::rough_tokenizer +
                        ": --tokenizer says who else");
        if (mended_ > 0)
            build_.note("records with halves of surrogate pairs, now U+FFFD: " + std::to_string(mended_));
        if (chains_.missing_parents() > 0)
            build_.note("requests whose parent is not before them, so that they begin a conversation: " +
                        std::to_string(chains_.missing_parents()));
        if (out_of_order_ > 0)
            build_.note("rows earlier than the row before them: " + std::to_string(out_of_order_) +
                        (options_.sort ? ", sorted" : "; --sort writes them in order"));
        build_.close_with(summary());
    }

    const ImportOptions& options_;
    Build& build_;
    const trace::Format& format_;
    std::string name_;
    record::TsUnit unit_;
    BadLimit limit_;
    ImportClock clock_;
    ImportChains chains_;
    ImportPrompts prompts_;
    std::vector<ImportRow> batch_;
    std::int64_t batch_tokens_ = 0;
    std::size_t batch_bytes_ = 0;
    std::unordered_set<std::string> batch_ids_;
    std::vector<std::pair<std::int64_t, std::string>> sorted_;
    std::map<std::string_view, Reason> skipped_;
    std::int64_t last_ns_ = 0;
    std::uint64_t out_of_order_ = 0;
    std::uint64_t records_ = 0;
    std::uint64_t records_with_rows_ = 0;
    std::uint64_t last_record_ = 0; // that gave a row
    std::uint64_t mended_ = 0;
    std::uint64_t bad_ = 0;
    std::string first_bad_;
};

inline void ImportOptions::run(Build& out) const
{
    check();
    Importer(*this, out).run();
}

} // namespace slo::workload

#endif
