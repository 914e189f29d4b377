// SPDX-License-Identifier: MIT
// Any log gives rates of 0 to 1, and of no prompt are more tokens cached than it has.

#include <slo/wire/engine_log.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

struct Sink {
    void rate(std::string_view pattern, std::string_view layer, std::string_view engine, double rate) const
    {
        if (pattern.empty() || layer.empty() || engine.size() > 8 || !(rate >= 0 && rate <= 1))
            std::abort();
    }
    void tokens(std::string_view pattern, std::uint64_t cached, std::uint64_t prompt) const
    {
        if (pattern.empty() || cached > prompt || prompt > 2'000'000'000'000)
            std::abort();
    }
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::string_view text(reinterpret_cast<const char*>(data), size);
    slo::wire::EngineLogReader reader;
    const Sink sink;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        reader.take(text.substr(0, end), sink);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return 0;
}
