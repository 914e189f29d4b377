// SPDX-License-Identifier: MIT
// Records of any trace are malformed, left out for a reason, or requests that say what to send. First byte:
// the format.

#include <slo/trace/format.hpp>
#include <slo/trace/reader.hpp>
#include <slo/trace/request.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

void require(bool holds)
{
    if (!holds)
        std::abort();
}

void check(const slo::trace::Format& format, const slo::trace::TraceRequest& request)
{
    constexpr auto most = slo::trace::max_tokens_of_request;
    require(!request.time_ns || *request.time_ns >= 0);
    require(!request.delay_ns || *request.delay_ns >= 0);
    require(request.conversation.size() <= 4200 || !format.parse_text || format.name == "legacy");
    require(!request.output_tokens || (*request.output_tokens >= 0 && *request.output_tokens <= most));
    require(!request.input_tokens || (*request.input_tokens >= 0 && *request.input_tokens <= most));
    require(request.prompt.is_null()
                ? request.input_tokens.has_value()
                : request.prompt.is_string() || slo::trace::is_message_list(request.prompt) ||
                      format.name == "legacy");
    if (!request.hash_ids.empty()) {
        const auto blocks = static_cast<std::int64_t>(request.hash_ids.size());
        require(blocks * format.block_tokens >= *request.input_tokens &&
                (blocks - 1) * format.block_tokens < *request.input_tokens);
    }
    require(!request.body.contains("messages") || request.prompt_key == "prompt");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size < 1)
        return 0;
    const auto& format = slo::trace::formats[data[0] % slo::trace::formats.size()];
    slo::io::Fd file(::memfd_create("f", MFD_CLOEXEC));
    slo::io::write_all(file, {reinterpret_cast<const char*>(data) + 1, size - 1}, "f");
    ::lseek(file.get(), 0, SEEK_SET);
    const auto path = "/proc/self/fd/" + std::to_string(file.get());
    slo::trace::TraceReader reader(format, path, {(data[0] & 64) != 0, 0});
    try {
        while (const auto record = reader.next()) {
            require(record->bad.empty() == record->where.empty());
            require(record->bad.empty() || (record->requests.empty() && record->bad.size() < 300));
            require(!record->bad.empty() || !record->requests.empty() || !record->skipped.empty());
            for (const auto& request : record->requests)
                check(format, request);
        }
    } catch (const slo::InputError& error) {
        require(std::string_view(error.what()).find(": ") != std::string_view::npos);
    }
    return 0;
}
