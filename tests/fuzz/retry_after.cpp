// SPDX-License-Identifier: MIT
// Whatever a server writes into Retry-After and Date, the wait is one that can be waited; a date that is read
// reads the same when it is written anew. The first line is the one header, the second the other.

#include <slo/wire/retry_after.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>

namespace {

void require(bool holds)
{
    if (!holds)
        std::abort();
}

std::string http_date(std::int64_t epoch_s)
{
    const auto moment = static_cast<std::time_t>(epoch_s);
    std::tm parts{};
    ::gmtime_r(&moment, &parts);
    char text[64];
    // %Y would not pad a year below 1000.
    const auto head = std::strftime(text, sizeof text, "%a, %d %b ", &parts);
    const auto year = std::to_string(parts.tm_year + 1900);
    auto date = std::string(text, head) + std::string(4 - std::min<std::size_t>(4, year.size()), '0') + year;
    const auto tail = std::strftime(text, sizeof text, " %H:%M:%S GMT", &parts);
    return date.append(text, tail);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace slo;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto end = std::min(text.find('\n'), text.size());
    const auto retry_after = text.substr(0, end);
    const auto date = text.substr(std::min(end + 1, text.size()));

    for (const auto& now_epoch_s : {std::optional<double>(), std::optional(1.78e9), std::optional(-1e300)}) {
        const auto wait_s = wire::retry_after_s(retry_after, date, now_epoch_s);
        require(!wait_s || (*wait_s >= 0 && *wait_s <= wire::longest_retry_after_s));
    }
    if (const auto moment = wire::parse_http_date(date)) {
        // The leap second of the last minute of the year 9999 is in no year of four digits.
        require(*moment <= 253'402'300'800);
        if (*moment < 253'402'300'800)
            require(wire::parse_http_date(http_date(*moment)) == moment);
        require(wire::retry_after_s(http_date(std::min<std::int64_t>(*moment, 253'402'300'000) + 7), date)
                    .has_value());
    }
    return 0;
}
