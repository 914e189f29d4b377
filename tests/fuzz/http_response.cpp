// SPDX-License-Identifier: MIT
// Any bytes in any cuts give the same answer as in one read, and nothing of the body is lost or made up.
// First byte: size of the reads.

#include <slo/wire/http_response.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

struct Sink {
    std::string text; // all that was said of the answer, so that two ways to it compare
    std::string_view read;

    void head(const slo::wire::HttpFields& fields)
    {
        text += std::to_string(fields.status());
        text.append("|").append(fields.content_type()).append("|").append(fields.retry_after());
        text.append("|").append(fields.date()).append("\n");
    }
    bool body(std::string_view piece)
    {
        const bool inside =
            piece.data() >= read.data() && piece.data() + piece.size() <= read.data() + read.size();
        if (piece.empty() || !inside)
            std::abort();
        text += piece;
        return true;
    }
};

std::string answer_in(std::string_view bytes, std::size_t read_bytes)
{
    slo::wire::HttpResponseParser parser;
    Sink sink;
    std::size_t used = 0;
    while (!bytes.empty() && !parser.complete() && !parser.failed()) {
        const std::string read(bytes.substr(0, read_bytes));
        sink.read = read;
        const auto taken = parser.feed(read, sink);
        if (taken > read.size() || (taken < read.size() && !parser.complete() && !parser.failed()))
            std::abort();
        used += taken;
        bytes.remove_prefix(taken);
    }
    const bool done = parser.complete();
    const bool whole = parser.end();
    if ((done && !whole) || (parser.failed() && whole))
        std::abort();
    sink.text += "\n" + std::to_string(static_cast<int>(parser.fault())) + (whole ? " whole" : " cut");
    // Where a fault shows depends on the reads; where an answer ends does not.
    return whole ? sink.text + " " + std::to_string(used) + (parser.keep_alive() ? " again" : " once")
                 : sink.text;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size < 2)
        return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    if (answer_in(bytes, data[0] + std::size_t{1}) != answer_in(bytes, bytes.size()))
        std::abort();
    return 0;
}
