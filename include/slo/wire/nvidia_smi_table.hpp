// SPDX-License-Identifier: MIT
// An answer of nvidia-smi --query-…=… --format=csv as rows of text, with the messages that stand among them.

#ifndef SLO_WIRE_NVIDIA_SMI_TABLE_HPP
#define SLO_WIRE_NVIDIA_SMI_TABLE_HPP

#include <slo/base/text.hpp>
#include <slo/wire/nvidia_smi_csv.hpp> // nvidia_smi_number()

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::wire {

/// False for what nvidia-smi writes where it has no value: "[N/A]", "N/A", "ERR!", "[Unknown Error]",
/// nothing.
inline bool is_nvidia_smi_value(std::string_view field) noexcept
{
    field = trim(field);
    return !field.empty() && field.front() != '[' && field != "N/A" && field != "ERR!" && field != "Unknown";
}

/// A column that newer drivers call by another name.
inline std::string_view older_column_name(std::string_view name) noexcept
{
    constexpr std::pair<std::string_view, std::string_view> renamed[] = {
        {"clocks_event_reasons.hw_slowdown", "clocks_throttle_reasons.hw_slowdown"},
        {"clocks_event_reasons.hw_thermal_slowdown", "clocks_throttle_reasons.hw_thermal_slowdown"},
        {"clocks_event_reasons.hw_power_brake_slowdown", "clocks_throttle_reasons.hw_power_brake_slowdown"},
        {"clocks_event_reasons.sw_thermal_slowdown", "clocks_throttle_reasons.sw_thermal_slowdown"},
        {"used_gpu_memory", "used_memory"},
        {"name", "gpu_name"},
        {"uuid", "gpu_uuid"},
        {"pci.bus_id", "gpu_bus_id"}};
    for (const auto& [now, before] : renamed) {
        if (name == now)
            return before;
    }
    return {};
}

/// The rows of one answer.
class NvidiaSmiTable {
public:
    static constexpr std::size_t max_rows = 4096;
    static constexpr std::size_t max_columns = 256;

    class Row {
    public:
        /// The field of that column as it stands; nothing where there is no such column.
        std::optional<std::string_view> field(std::string_view column) const noexcept
        {
            for (const auto name : {column, older_column_name(column)}) {
                const auto found =
                    name.empty() ? columns_->end() : std::find(columns_->begin(), columns_->end(), name);
                if (found != columns_->end())
                    return fields_[static_cast<std::size_t>(found - columns_->begin())];
            }
            return std::nullopt;
        }

        /// The value of that column; nothing where it is not known.
        std::optional<std::string_view> text(std::string_view column) const noexcept
        {
            const auto found = field(column);
            return found && is_nvidia_smi_value(*found) ? found : std::nullopt;
        }

        /// The same as a number, without its unit.
        std::optional<double> number(std::string_view column) const noexcept
        {
            const auto found = text(column);
            return found ? nvidia_smi_number(*found) : std::nullopt;
        }

        const std::vector<std::string>& fields() const noexcept { return fields_; }

    private:
        friend class NvidiaSmiTable;
        std::shared_ptr<const std::vector<std::string>> columns_;
        std::vector<std::string> fields_;
    };

    NvidiaSmiTable() = default;

    /// `asked` are the columns asked for, in order: the names of the columns where no header stands. A line
    /// that is no row is kept as a message.
    NvidiaSmiTable(std::string_view text, const std::vector<std::string>& asked)
        : columns_(std::make_shared<const std::vector<std::string>>(asked))
    {
        while (!text.empty()) {
            const auto end = std::min(text.find('\n'), text.size());
            take(trim(text.substr(0, end)), asked);
            text.remove_prefix(std::min(end + 1, text.size()));
        }
    }

    const std::vector<Row>& rows() const noexcept { return rows_; }
    const std::vector<std::string>& messages() const noexcept { return messages_; }

    /// Which field nvidia-smi refused, when an answer of it says so.
    static std::optional<std::string> refused_field(std::string_view text)
    {
        constexpr std::string_view before = "Field \"", after = "\" is not a valid field";
        const auto end = text.find(after);
        const auto begin = text.rfind(before, end);
        if (end == std::string_view::npos || begin == std::string_view::npos)
            return std::nullopt;
        return std::string(text.substr(begin + before.size(), end - begin - before.size()));
    }

private:
    static std::vector<std::string> split(std::string_view line)
    {
        std::vector<std::string> fields;
        for (std::size_t begin = 0; begin <= line.size() && fields.size() <= max_columns;) {
            const auto end = std::min(line.find(',', begin), line.size());
            fields.emplace_back(line.substr(begin, end - begin));
            begin = end + 1;
        }
        return fields;
    }

    // "memory.used [MiB]" without its unit.
    static std::string_view column_name(std::string_view header) noexcept
    {
        return trim(header.substr(0, header.find('[')));
    }

    static bool is_header(const std::vector<std::string>& fields, const std::vector<std::string>& asked)
    {
        return std::any_of(fields.begin(), fields.end(), [&](const std::string& field) {
            const auto name = column_name(field);
            return name == "index" || name == "memory.total" || name == "pid" ||
                   std::any_of(asked.begin(), asked.end(), [&](const std::string& column) {
                       return !name.empty() && (name == column || name == older_column_name(column));
                   });
        });
    }

    // A driver may head a column by another name than it was asked for by: then its place tells.
    static std::vector<std::string> column_names(const std::vector<std::string>& header,
                                                 const std::vector<std::string>& asked)
    {
        std::vector<std::string> names;
        for (const auto& field : header)
            names.emplace_back(column_name(field));
        const auto is_there = [&](std::string_view column) {
            return std::find(names.begin(), names.end(), column) != names.end();
        };
        const auto known = std::count_if(asked.begin(), asked.end(), [&](const std::string& column) {
            return is_there(column) || is_there(older_column_name(column));
        });
        const bool is_the_answer =
            names.size() == asked.size() && 2 * static_cast<std::size_t>(known) > asked.size();
        for (std::size_t i = 0; is_the_answer && i < names.size(); ++i) {
            if (!is_there(asked[i]) && !is_there(older_column_name(asked[i])))
                names[i] = asked[i];
        }
        return names;
    }

    void take(std::string_view line, const std::vector<std::string>& asked)
    {
        if (line.empty() || rows_.size() + messages_.size() >= max_rows)
            return;
        auto fields = split(line);
        if (rows_.empty() && is_header(fields, asked)) {
            columns_ = std::make_shared<const std::vector<std::string>>(column_names(fields, asked));
            return;
        }
        join_name(fields);
        if (fields.size() != columns_->size()) {
            messages_.push_back(printable(line));
            return;
        }
        for (auto& field : fields)
            field = std::string(trim(field));
        Row row;
        row.columns_ = columns_;
        row.fields_ = std::move(fields);
        rows_.push_back(std::move(row));
    }

    // Commas are not escaped; the only field that may hold some is a name.
    void join_name(std::vector<std::string>& fields) const
    {
        const auto found = std::find_if(columns_->begin(), columns_->end(), [](const std::string& column) {
            return column == "name" || column == "gpu_name" || column == "process_name";
        });
        if (found == columns_->end() || fields.size() <= columns_->size())
            return;
        const auto at = static_cast<std::size_t>(found - columns_->begin());
        for (auto extra = fields.size() - columns_->size(); extra > 0; --extra) {
            fields[at] += "," + fields[at + 1];
            fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(at) + 1);
        }
    }

    std::shared_ptr<const std::vector<std::string>> columns_ =
        std::make_shared<const std::vector<std::string>>();
    std::vector<Row> rows_;
    std::vector<std::string> messages_;
};

} // namespace slo::wire

#endif
