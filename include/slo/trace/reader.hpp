// SPDX-License-Identifier: MIT
// The records of a trace file, one by one.

#ifndef SLO_TRACE_READER_HPP
#define SLO_TRACE_READER_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/io/json_elements.hpp>
#include <slo/io/jsonl.hpp>
#include <slo/record/route.hpp>
#include <slo/trace/format.hpp>
#include <slo/trace/request.hpp>
#include <slo/wire/csv.hpp>
#include <slo/wire/json_scan.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace slo::trace {

/// Reads a file or pipe of a format: an array, the array `data` of an object, JSON Lines, log lines or CSV,
/// as soon as each record is there.
class TraceReader {
public:
    /// Opens `path` ("-" is stdin). Throws IoError.
    TraceReader(const Format& format, const std::string& path, ParseOptions options = {},
                io::LineReader::Observer observer = {})
        : format_(format), options_(options), source_(open(format, path))
    {
        std::visit([&](auto& source) { source.observe(std::move(observer)); }, source_);
    }

    /// The next record, malformed ones too, or nothing at the end. Throws IoError, and InputError for a file
    /// that cannot be read on, or has not the columns of its format.
    std::optional<TraceRecord> next()
    {
        return std::holds_alternative<io::LineReader>(source_)
                   ? next_row(std::get<io::LineReader>(source_))
                   : next_element(std::get<io::JsonElements>(source_));
    }

private:
    using Source = std::variant<io::JsonElements, io::LineReader>;

    static Source open(const Format& format, const std::string& path)
    {
        if (format.parse_row)
            return Source(std::in_place_type<io::LineReader>, path);
        return Source(std::in_place_type<io::JsonElements>, path, "data");
    }

    std::optional<TraceRecord> next_element(io::JsonElements& elements)
    {
        const auto text = elements.next();
        if (!text)
            return std::nullopt;
        return parsed(elements.line(), elements, [&] { return parse_text(*text); });
    }

    // Dumps of chats hold halves of emoji, which strict parsers refuse.
    TraceRecord parse_text(std::string_view text) const
    {
        try {
            return format_.parse_text(text, options_);
        } catch (const JsonError&) {
            const auto mended = wire::mend_lone_surrogates(text);
            if (!mended)
                throw;
            auto record = format_.parse_text(*mended, options_);
            record.mended = true;
            return record;
        }
    }

    std::optional<TraceRecord> next_row(io::LineReader& lines)
    {
        if (header_.size() == 0 && !read_header(lines))
            return std::nullopt;
        const auto line = read_csv(lines);
        if (line == 0)
            return std::nullopt;
        return parsed(line, lines, [&] {
            if (csv_.fault())
                throw record::RowError(csv_.fault());
            if (csv_.size() != header_.size())
                throw record::RowError("not as many fields as the header has");
            return format_.parse_row(wire::CsvRow{header_, csv_});
        });
    }

    // Reads a CSV record that is not blank; its line, 0 at the end. An unfinished one is malformed.
    std::size_t read_csv(io::LineReader& lines)
    {
        auto line = lines.next();
        while (line && trim(*line).empty())
            line = lines.next();
        if (!line)
            return 0;
        const auto first = lines.line();
        while (csv_.take(*line) == wire::CsvRecord::State::open) {
            line = lines.next();
            if (!line)
                throw InputError(lines.name(), first, "the file ends inside of a field in quotes");
        }
        return first;
    }

    bool read_header(io::LineReader& lines)
    {
        const auto line = read_csv(lines);
        if (line == 0)
            return false;
        if (csv_.fault())
            throw InputError(lines.name(), line, csv_.fault());
        header_ = wire::CsvHeader(csv_);
        for (const auto column : format_.columns) {
            if (!header_.column(column))
                throw InputError(lines.name(), line,
                                 "the header has no column '" + std::string(column) + "'");
        }
        return true;
    }

    template <class From, class Parse>
    static TraceRecord parsed(std::size_t line, const From& from, Parse&& parse)
    {
        TraceRecord record;
        const auto reject = [&](const char* reason) {
            record.bad = reason;
            record.where = from.error(reason).what();
        };
        try {
            record = parse();
        } catch (const record::RowError& error) {
            reject(error.what());
        } catch (const JsonError& error) {
            reject(error.what());
        }
        record.line = line;
        return record;
    }

    const Format& format_;
    ParseOptions options_;
    Source source_;
    wire::CsvRecord csv_;
    wire::CsvHeader header_;
};

} // namespace slo::trace

#endif
