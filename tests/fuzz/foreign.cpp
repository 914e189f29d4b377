// SPDX-License-Identifier: MIT
// Result files of other clients: any bytes are an error line or figures that can be.

#include <slo/artifact/foreign.hpp>
#include <slo/artifact/stability.hpp>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace slo;

void demand(bool holds)
{
    if (!holds)
        std::abort();
}

void figures_can_be(const json::object& metrics)
{
    for (const auto& member : metrics) {
        if (const auto* block = member.value().if_object())
            figures_can_be(*block);
        else if (const auto number = as_number(&member.value()))
            demand(*number >= 0);
        else
            demand(member.value().is_null());
    }
}

template <class Act>
void try_to(Act&& act)
{
    try {
        act();
    } catch (const InputError& error) {
        demand(std::string_view(error.what()).find('\n') == std::string_view::npos);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try_to([&] {
        const auto result = artifact::parse_foreign(text, "r.json");
        demand(result.metrics.size() == 14 && integer_at(result.metrics, "completed"));
        figures_can_be(result.metrics);
        const auto error_rate = number_at(result.metrics, "error_rate");
        demand(!error_rate || *error_rate <= 1);
        for (const auto& note : result.notes)
            demand(is_utf8(note));
    });
    try_to([&] {
        bool had_nan = false;
        for (const auto& object : artifact::objects_of(text, "s.jsonl", had_nan))
            demand(artifact::detail::slice_of(object, "s.jsonl").throughput >= 0);
    });
    return 0;
}
