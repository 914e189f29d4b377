// SPDX-License-Identifier: MIT
// Of any bytes elements come one by one, and of a whole array exactly those that a parser finds in it.

#include <slo/base/json.hpp>
#include <slo/io/json_elements.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    slo::io::Fd file(::memfd_create("f", MFD_CLOEXEC));
    slo::io::write_all(file, text, "f");
    ::lseek(file.get(), 0, SEEK_SET);

    slo::io::JsonElements elements(std::move(file), "f", "data");
    std::vector<std::string> seen;
    bool whole = true;
    try {
        while (const auto element = elements.next()) {
            seen.emplace_back(*element);
            if (elements.element() != seen.size() ||
                elements.line() > static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1)
                std::abort();
        }
        if (elements.next())
            std::abort();
    } catch (const slo::InputError&) {
        whole = false;
    }
    std::optional<slo::json::value> parsed;
    try {
        parsed = slo::parse_json(text);
    } catch (const slo::JsonError&) {
        return 0;
    }
    const auto* array = parsed->if_array();
    if (!array)
        return 0;
    if (!whole || seen.size() != array->size())
        std::abort();
    for (std::size_t i = 0; i < seen.size(); ++i)
        if (slo::to_json(slo::parse_json(seen[i])) != slo::to_json((*array)[i]))
            std::abort();
    return 0;
}
