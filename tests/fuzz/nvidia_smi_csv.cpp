// SPDX-License-Identifier: MIT
// Any table gives finite values of named fields, or says why a line is no row.

#include <slo/wire/nvidia_smi_csv.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

struct Sink {
    void reading(std::string_view, std::string_view field, std::optional<double> value,
                 std::optional<double> time_s) const
    {
        if (field.find('[') != std::string_view::npos || (value && !std::isfinite(*value)) ||
            (time_s && !std::isfinite(*time_s)))
            std::abort();
    }
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::string_view text(reinterpret_cast<const char*>(data), size);
    slo::wire::NvidiaSmiCsv table;
    const Sink sink;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        const auto line = text.substr(0, end);
        slo::wire::NvidiaSmiCsv::is_header(line);
        if (const char* reason = table.take(line, sink); reason && *reason == '\0')
            std::abort();
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return 0;
}
