// SPDX-License-Identifier: MIT
// Reading back the CSV files that the study writes.

#ifndef SLO_TESTS_STUDY_CSV_FILE_HPP
#define SLO_TESTS_STUDY_CSV_FILE_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/io/jsonl.hpp>
#include <slo/wire/csv.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace study {

using namespace slo;

/// One line of a CSV file, its fields by the names of their columns.
class CsvLine {
public:
    CsvLine(std::string place, std::map<std::string, std::string> fields)
        : place_(std::move(place)), fields_(std::move(fields))
    {
    }

    /// The field of that column. Throws InputError where there is none.
    const std::string& text(const std::string& column) const
    {
        const auto field = fields_.find(column);
        if (field == fields_.end())
            throw InputError(place_, "no column '" + column + "'");
        return field->second;
    }

    /// A number, or nothing where the field is empty. Throws InputError.
    std::optional<double> maybe(const std::string& column) const
    {
        const auto& field = text(column);
        if (field.empty())
            return std::nullopt;
        const auto number = parse_double(field);
        if (!number)
            throw InputError(place_, column + ": '" + printable(field, 40) + "' is not a number");
        return number;
    }

    /// A number. Throws InputError.
    double number(const std::string& column) const
    {
        const auto number = maybe(column);
        if (!number)
            throw InputError(place_, column + " is missing");
        return *number;
    }

private:
    std::string place_;
    std::map<std::string, std::string> fields_;
};

/// The lines of a file under its line of column names. Throws IoError and InputError.
inline std::vector<CsvLine> read_csv(const std::string& path)
{
    io::LineReader reader(path);
    std::vector<CsvLine> lines;
    std::optional<wire::CsvHeader> header;
    wire::CsvRecord record;
    while (const auto line = reader.next()) {
        if (line->empty())
            continue;
        if (record.take(*line) != wire::CsvRecord::State::complete)
            throw reader.error("no line of a CSV file");
        if (!header) {
            header.emplace(record);
            continue;
        }
        if (record.size() != header->size())
            throw reader.error("another number of fields than columns");
        std::map<std::string, std::string> fields;
        for (std::size_t i = 0; i < record.size(); ++i)
            fields.emplace(header->name(i), record[i]);
        lines.emplace_back(reader.name() + ":" + std::to_string(reader.line()), std::move(fields));
    }
    return lines;
}

/// A number as a field, or an empty field.
inline std::string field(const std::optional<double>& number, int decimals = 4)
{
    return number ? format_fixed(*number, decimals) : "";
}

} // namespace study

#endif
