// SPDX-License-Identifier: MIT
// Comma-separated values (RFC 4180), with columns by name.

#ifndef SLO_WIRE_CSV_HPP
#define SLO_WIRE_CSV_HPP

#include <slo/base/text.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::wire {

/// One record, put together from lines: a field in quotes may hold commas, doubled quotes and line breaks,
/// each of which reads as LF.
class CsvRecord {
public:
    static constexpr std::size_t max_bytes = std::size_t{1} << 20;
    static constexpr std::size_t max_fields = 1024;

    enum class State {
        complete,
        open, ///< a quoted field goes on in the next line
        bad   ///< no record; the next line begins another
    };

    /// Takes the next line, without its end.
    State take(std::string_view line)
    {
        if (state_ == State::open) {
            text_ += '\n';
        } else {
            text_.clear();
            ends_.clear();
            place_ = Place::field_start;
            fault_ = nullptr;
        }
        if (text_.size() + line.size() > max_bytes)
            fault_ = "a record longer than 1 MiB";
        for (auto c = line.begin(); c != line.end() && !fault_; ++c)
            take(*c);
        if (!fault_ && place_ != Place::quoted)
            end_field();
        return state_ = fault_ ? State::bad : place_ == Place::quoted ? State::open : State::complete;
    }

    /// Why the record is bad: a constant.
    const char* fault() const noexcept { return fault_; }

    /// Fields of a complete record; their texts last until the next take().
    std::size_t size() const noexcept { return ends_.size(); }
    std::string_view operator[](std::size_t field) const noexcept
    {
        const auto begin = field == 0 ? 0 : ends_[field - 1];
        return std::string_view(text_).substr(begin, ends_[field] - begin);
    }

private:
    enum class Place { field_start, unquoted, quoted, after_quote };

    void take(char c)
    {
        if (place_ == Place::quoted) {
            if (c == '"')
                place_ = Place::after_quote;
            else
                text_ += c;
        } else if (c == ',') {
            end_field();
            place_ = Place::field_start;
        } else if (c == '"') {
            if (place_ == Place::unquoted)
                fault_ = "a quote inside of a field that does not begin with one";
            else if (place_ == Place::after_quote)
                text_ += c;
            place_ = Place::quoted;
        } else if (place_ == Place::after_quote) {
            fault_ = "text after the closing quote of a field";
        } else {
            text_ += c;
            place_ = Place::unquoted;
        }
    }

    void end_field()
    {
        if (ends_.size() == max_fields)
            fault_ = "more than 1024 fields";
        else
            ends_.push_back(text_.size());
    }

    std::string text_; // of all fields, without quotes
    std::vector<std::size_t> ends_;
    Place place_ = Place::field_start;
    State state_ = State::complete;
    const char* fault_ = nullptr;
};

/// The names of the columns; letters of either case are the same.
class CsvHeader {
public:
    CsvHeader() = default;
    explicit CsvHeader(const CsvRecord& record)
    {
        for (std::size_t i = 0; i < record.size(); ++i)
            names_.emplace_back(trim(record[i]));
    }

    std::size_t size() const noexcept { return names_.size(); }
    const std::string& name(std::size_t column) const noexcept { return names_[column]; }

    /// Which column has that name (in small letters): the first of them.
    std::optional<std::size_t> column(std::string_view name) const noexcept
    {
        const auto found = std::find_if(names_.begin(), names_.end(),
                                        [&](const std::string& each) { return lower_case(each) == name; });
        if (found == names_.end())
            return std::nullopt;
        return static_cast<std::size_t>(found - names_.begin());
    }

private:
    std::vector<std::string> names_;
};

/// A record under its header, of as many fields.
struct CsvRow {
    const CsvHeader& header;
    const CsvRecord& record;

    /// The field of the column of that name (in small letters), without white space around it; nothing where
    /// there is no such column.
    std::optional<std::string_view> at(std::string_view name) const noexcept
    {
        const auto column = header.column(name);
        return column ? std::optional(trim(record[*column])) : std::nullopt;
    }
};

} // namespace slo::wire

#endif
