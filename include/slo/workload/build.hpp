// SPDX-License-Identifier: MIT
// One run of route-build: its sources, its rows, its notes, and the manifest line that says how they came
// about.

#ifndef SLO_WORKLOAD_BUILD_HPP
#define SLO_WORKLOAD_BUILD_HPP

#include <slo/base/digest.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/base/version.hpp>
#include <slo/io/atomic_file.hpp>
#include <slo/io/fd.hpp>
#include <slo/io/jsonl.hpp>
#include <slo/io/output_files.hpp>
#include <slo/io/remove_on_signal.hpp>
#include <slo/workload/option_recorder.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo::workload {

/// The options that every verb has.
struct BuildOptions {
    std::string output = "-";
    std::string manifest;
    bool quiet = false;

    /// Adds the options to a table of the cli layer, which this layer does not know.
    template <class Table>
    void describe(Table& table)
    {
        table.section("Output");
        table.add("output,o", output, "FILE", "where the route goes, whole or not at all");
        table.add("manifest", manifest, "FILE",
                  "append a line that says how the route came about: sources, options, counts, digests");
        table.flag("quiet,q", quiet, "no notes on stderr");
    }
};

/// Where a verb reads from and writes to. Rows reach stdout when a block is full or before a source may make
/// us wait: a reader never waits for what is there. SIGINT, SIGTERM and SIGHUP end the process at once; a
/// file then stays as it was.
class Build {
public:
    /// `note` gets sentences for people. Throws UsageError for a manifest in the route's place, IoError.
    Build(std::string verb, const BuildOptions& options, std::function<void(const std::string&)> note)
        : verb_(std::move(verb)), options_(options), note_(std::move(note))
    {
        if (io::is_same_file(options.manifest, options.output))
            throw UsageError("--manifest", "cannot be where the route goes");
        io::check_appendable(options.manifest);
        signals_.watch([&] { return std::string_view(file_.emplace(options.output).partial_path()); });
        rows_.reserve(block_bytes * 2);
    }

    /// Opens a source ("-" is stdin); its size and digest, as far as it is read, go to the manifest.
    /// Throws UsageError for the file of the manifest, IoError.
    io::LineReader open(const std::string& path)
    {
        io::LineReader lines(path);
        lines.observe(observer(path));
        return lines;
    }

    /// The same for those who do not read by lines.
    io::LineReader::Observer observer(const std::string& path)
    {
        if (io::is_same_file(options_.manifest, path == "-" ? "/dev/stdin" : path))
            throw UsageError("--manifest", "cannot be a source: its record would be a line of that");
        auto& source = sources_.emplace_back();
        source.path = path;
        if (options_.manifest.empty())
            return {[this] { flush(); }, {}};
        return {[this] { flush(); },
                [&source](std::string_view bytes) {
                    source.bytes += bytes.size();
                    source.digest.update(bytes);
                }};
    }

    /// One row: its JSON text without a line end. Throws ClosedPipe or IoError.
    void write(std::string_view row)
    {
        rows_.append(row).append(1, '\n');
        ++row_count_;
        if (rows_.size() >= block_bytes)
            flush();
    }

    /// Counts something left out of the route, by its reason.
    void skip(const std::string& reason, std::uint64_t count = 1) { skipped_[reason] += count; }
    const std::map<std::string, std::uint64_t>& skipped() const noexcept { return skipped_; }

    /// The note that finish() closes with, in place of its own.
    void close_with(std::string note) { closing_ = std::move(note); }

    /// One line for people.
    void note(const std::string& text) const
    {
        if (!options_.quiet)
            note_(text);
    }

    /// What the manifest says besides: `tokenizer`, figures of the verb.
    json::object& facts() noexcept { return facts_; }

    /// Rows written so far.
    std::uint64_t rows() const noexcept { return row_count_; }

    /// Puts the route in its place, appends to the manifest, and says what was left out. Throws ClosedPipe or
    /// IoError.
    void finish(const json::object& verb_options)
    {
        flush();
        file_->commit();
        if (!options_.manifest.empty())
            io::JsonlWriter(options_.manifest, io::OpenMode::append).write(manifest(verb_options));
        if (const auto text = closing(); !text.empty())
            note(text);
    }

private:
    static constexpr std::size_t block_bytes = 65536;

    struct Source {
        std::string path;
        std::uint64_t bytes = 0;
        Sha256 digest;
    };

    // What was left out, as people read it: "empty (2), no answer (1)".
    std::string left_out() const
    {
        std::string text;
        for (const auto& [reason, count] : skipped_)
            text += (text.empty() ? "" : ", ") + reason + " (" + std::to_string(count) + ")";
        return text;
    }

    std::string closing() const
    {
        if (!closing_.empty())
            return closing_;
        const auto missing = left_out();
        if (row_count_ > 0 && missing.empty())
            return {};
        return (row_count_ == 0 ? "no row was written" : "wrote " + std::to_string(row_count_) + " rows") +
               (missing.empty() ? "" : "; left out: " + missing);
    }

    void flush()
    {
        if (rows_.empty())
            return;
        if (!options_.manifest.empty())
            digest_.update(rows_);
        byte_count_ += rows_.size();
        file_->write(rows_);
        rows_.clear();
    }

    json::object manifest(const json::object& verb_options)
    {
        json::array sources;
        for (auto& source : sources_)
            sources.push_back({{"path", source.path == "-" ? "<stdin>" : printable(source.path, 4096)},
                               {"bytes", source.bytes},
                               {"sha256", source.digest.finish()}});
        json::object skipped;
        for (const auto& [reason, count] : skipped_)
            skipped[reason] = count;
        json::object record{{"schema", "sloutils.manifest/1"},
                            {"tool", "route-build"},
                            {"version", version},
                            {"verb", verb_},
                            {"options", verb_options},
                            {"sources", std::move(sources)}};
        for (const auto& fact : facts_)
            record[fact.key()] = fact.value();
        record["rows"] = row_count_;
        record["bytes"] = byte_count_;
        record["sha256"] = digest_.finish();
        record["skipped"] = std::move(skipped);
        return record;
    }

    std::string verb_;
    BuildOptions options_;
    std::function<void(const std::string&)> note_;
    io::RemoveOnSignal signals_;
    std::optional<io::AtomicFile> file_;
    std::string rows_;
    std::uint64_t row_count_ = 0;
    std::uint64_t byte_count_ = 0;
    Sha256 digest_;
    std::deque<Source> sources_;
    std::map<std::string, std::uint64_t> skipped_;
    json::object facts_;
    std::string closing_;
};

/// All options of a verb, as its describe() names them.
template <class Options>
json::object record_options(Options options)
{
    OptionRecorder recorder;
    options.describe(recorder);
    return recorder.take();
}

} // namespace slo::workload

#endif
