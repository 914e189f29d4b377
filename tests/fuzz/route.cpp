// SPDX-License-Identifier: MIT
// Any line is a row or an error that says why; the request made of a row is JSON.

#include <slo/plan/request_body.hpp>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    slo::plan::RequestConfig config;
    config.endpoint = static_cast<slo::plan::Endpoint>(size % 3);
    config.forward_kv_evict = true;
    config.send_min_p = true;
    std::optional<slo::record::RouteRow> row;
    try {
        row = text.starts_with('{') ? slo::record::parse_route_object(text)
                                    : slo::record::parse_route_log_line(text);
        if (!row)
            return 0;
        for (const auto unit : {slo::record::TsUnit::s, slo::record::TsUnit::ns}) {
            if (row->ts.to_ns(unit).value_or(0) < 0)
                std::abort();
        }
        const auto header = slo::plan::conversation_header(row->conv_id);
        if (header.find('\n') != std::string::npos || header.find('\r') != std::string::npos)
            std::abort();
        const auto body = slo::plan::request_body(config, *row);
        if (!slo::parse_json(body).is_object())
            std::abort();
    } catch (const slo::Error& error) {
        if (std::string_view(error.what()).empty())
            std::abort();
    }
    return 0;
}
