// SPDX-License-Identifier: MIT
// Any lines give records that read back as the same fields once they are written in quotes.

#include <slo/wire/csv.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using slo::wire::CsvRecord;

std::vector<std::string> fields_of(const CsvRecord& record)
{
    std::vector<std::string> fields;
    for (std::size_t i = 0; i < record.size(); ++i)
        fields.emplace_back(record[i]);
    return fields;
}

std::string quoted(const std::vector<std::string>& fields)
{
    std::string text;
    for (const auto& field : fields) {
        text += text.empty() ? "\"" : ",\"";
        for (const char c : field)
            text.append(c == '"' ? 2 : 1, c);
        text += '"';
    }
    return text;
}

// Takes in a text line by line; how its last record ended.
CsvRecord::State take(CsvRecord& record, std::string_view text)
{
    auto state = CsvRecord::State::complete;
    for (std::size_t begin = 0; begin <= text.size();) {
        const auto end = std::min(text.find('\n', begin), text.size());
        state = record.take(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return state;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::string_view text(reinterpret_cast<const char*>(data), size);
    CsvRecord record;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        const auto state = record.take(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if ((state == CsvRecord::State::bad) != (record.fault() != nullptr))
            std::abort();
        if (state != CsvRecord::State::complete)
            continue;
        const auto fields = fields_of(record);
        CsvRecord again;
        if (fields.empty() || take(again, quoted(fields)) != CsvRecord::State::complete ||
            fields_of(again) != fields)
            std::abort();
        const slo::wire::CsvHeader header(record);
        for (std::size_t i = 0; i < header.size(); ++i)
            if (header.column(slo::lower_case(header.name(i))).value_or(size) > i)
                std::abort();
    }
    return 0;
}
