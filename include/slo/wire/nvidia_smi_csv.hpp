// SPDX-License-Identifier: MIT
// The table that `nvidia-smi --query-gpu=… --format=csv` prints.

#ifndef SLO_WIRE_NVIDIA_SMI_CSV_HPP
#define SLO_WIRE_NVIDIA_SMI_CSV_HPP

#include <slo/base/text.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::wire {

/// A number with or without its unit ("71.25 W", "3 %", "1024"); nothing for "[N/A]", "N/A", "[Unknown
/// Error]" and whatever else stands where there is no number: unknown, not 0.
inline std::optional<double> nvidia_smi_number(std::string_view field) noexcept
{
    field = trim(field);
    return parse_double(field.substr(0, field.find(' ')));
}

/// "2026/05/01 10:00:00.250" as seconds since 1970, as if it were UTC: nvidia-smi prints local time and no
/// offset, so that only differences mean something.
inline std::optional<double> nvidia_smi_time(std::string_view field) noexcept
{
    constexpr std::string_view form = "dddd/dd/dd dd:dd:dd";
    field = trim(field);
    if (field.size() < form.size())
        return std::nullopt;
    for (std::size_t i = 0; i < form.size(); ++i) {
        const bool digit = field[i] >= '0' && field[i] <= '9';
        if (form[i] == 'd' ? !digit : field[i] != form[i])
            return std::nullopt;
    }
    const auto number = [field](std::size_t at, std::size_t count) {
        return parse_integer<int>(field.substr(at, count)).value_or(0);
    };
    const auto fraction =
        field.size() > form.size() ? parse_double("0" + std::string(field.substr(form.size()))) : 0.0;
    using namespace std::chrono;
    const year_month_day date(year(number(0, 4)), month(static_cast<unsigned>(number(5, 2))),
                              day(static_cast<unsigned>(number(8, 2))));
    if (!date.ok() || !fraction)
        return std::nullopt;
    const auto days = static_cast<double>(sys_days(date).time_since_epoch().count());
    return ((days * 24 + number(11, 2)) * 60 + number(14, 2)) * 60 + number(17, 2) + *fraction;
}

/// Reads such a table line by line, header first; a header that comes again, as when outputs are joined, is
/// taken as one.
class NvidiaSmiCsv {
public:
    static constexpr std::size_t max_columns = 256;

    /// True when `line` may be the header of such a table.
    static bool is_header(std::string_view line)
    {
        constexpr std::array<std::string_view, 8> words{
            "index", "uuid", "name", "timestamp", "gpu_name", "pci.bus_id", "gpu_uuid", "utilization.gpu"};
        const auto columns = split(line);
        const bool has_known = std::any_of(columns.begin(), columns.end(), [&](std::string_view column) {
            return std::find(words.begin(), words.end(), field_name(column)) != words.end() ||
                   field_name(column).starts_with("power.draw") || field_name(column).starts_with("memory.");
        });
        return has_known && line.find('{') == std::string_view::npos;
    }

    /// Takes in the next line. Each value goes to `sink.reading(gpu, field, value, time_s)`: `gpu` is the
    /// row's index, or what else tells the cards apart; `field` the column's name without its unit; `value`
    /// and `time_s` are nothing where they are not known. Null, or a constant that says why the line is no
    /// row.
    template <class Sink>
    const char* take(std::string_view line, Sink& sink)
    {
        if (trim(line).empty())
            return nullptr;
        auto fields = split(line);
        if (fields.size() > max_columns)
            return "more than 256 columns";
        if (columns_.empty() || field_name(fields[0]) == columns_[0])
            return take_header(fields);
        // Commas are not escaped; the only field that may hold one is the name of the card.
        if (name_ && fields.size() > columns_.size()) {
            const auto extra = static_cast<std::ptrdiff_t>(fields.size() - columns_.size());
            const auto after_name = fields.begin() + static_cast<std::ptrdiff_t>(*name_) + 1;
            fields.erase(after_name, after_name + extra);
        }
        if (fields.size() != columns_.size())
            return "not as many columns as the header has";
        const auto gpu = key_ ? trim(fields[*key_]) : std::string_view("gpu");
        const auto time_s = time_ ? nvidia_smi_time(fields[*time_]) : std::nullopt;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            if (i != key_ && i != time_ && i != name_)
                sink.reading(gpu, std::string_view(columns_[i]), nvidia_smi_number(fields[i]), time_s);
        }
        return nullptr;
    }

private:
    static std::vector<std::string_view> split(std::string_view line)
    {
        std::vector<std::string_view> fields;
        for (std::size_t begin = 0; begin <= line.size() && fields.size() <= max_columns;) {
            const auto end = std::min(line.find(',', begin), line.size());
            fields.push_back(line.substr(begin, end - begin));
            begin = end + 1;
        }
        return fields;
    }

    // "power.draw [W]" without its unit.
    static std::string_view field_name(std::string_view column)
    {
        return trim(column.substr(0, column.find('[')));
    }

    const char* take_header(const std::vector<std::string_view>& fields)
    {
        columns_.clear();
        for (const auto field : fields)
            columns_.emplace_back(field_name(field));
        name_ = column({"name", "gpu_name"});
        time_ = column({"timestamp"});
        key_ = column({"index", "uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id"});
        return nullptr;
    }

    std::optional<std::size_t> column(std::initializer_list<std::string_view> names) const
    {
        for (const auto name : names) {
            const auto found = std::find(columns_.begin(), columns_.end(), name);
            if (found != columns_.end())
                return static_cast<std::size_t>(found - columns_.begin());
        }
        return std::nullopt;
    }

    std::vector<std::string> columns_;
    std::optional<std::size_t> name_, time_, key_;
};

} // namespace slo::wire

#endif
