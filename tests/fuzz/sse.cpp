// SPDX-License-Identifier: MIT
// Any bytes in any cuts give the same events as in one read. First byte: size of the reads; second: the
// limit.

#include <slo/wire/sse.hpp>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

// The events as one text, so that two ways to them compare.
std::string events_of(std::string_view stream, std::size_t read_bytes, std::size_t max_event_bytes)
{
    slo::wire::SseSplitter splitter(max_event_bytes);
    std::string events;
    for (std::size_t from = 0; from < stream.size(); from += read_bytes) {
        const std::string read(stream.substr(from, read_bytes));
        splitter.feed(read, [&](const slo::wire::SseEvent& event) {
            events.append(event.name).append("\n").append(std::to_string(event.data.size())).append(":");
            events.append(event.data).append("\n");
        });
    }
    if (splitter.overflowed())
        return "overflow";
    return events + std::to_string(splitter.comment_lines()) + std::string(splitter.stray_text());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size < 3)
        return 0;
    const std::string_view stream(reinterpret_cast<const char*>(data) + 2, size - 2);
    const std::size_t read_bytes = data[0] + std::size_t{1};
    const std::size_t limit =
        data[1] == 0 ? slo::wire::SseSplitter::default_max_event_bytes : data[1] * std::size_t{16};
    if (events_of(stream, read_bytes, limit) != events_of(stream, stream.size(), limit))
        std::abort();
    return 0;
}
