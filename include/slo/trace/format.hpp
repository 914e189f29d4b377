// SPDX-License-Identifier: MIT
// The trace formats by name, and what is declared for each: its layout, the unit of its times, its blocks.

#ifndef SLO_TRACE_FORMAT_HPP
#define SLO_TRACE_FORMAT_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/trace/aiperf.hpp>
#include <slo/trace/conversation.hpp>
#include <slo/trace/csv_trace.hpp>
#include <slo/trace/hash_trace.hpp>
#include <slo/trace/payload.hpp>
#include <slo/trace/request.hpp>
#include <slo/wire/csv.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace slo::trace {

/// What is declared for a format; nothing of it is guessed from a file.
struct Format {
    using ParseText = TraceRecord (*)(std::string_view, const ParseOptions&);
    using ParseRow = TraceRecord (*)(const wire::CsvRow&);

    std::string_view name;
    std::string_view times;    ///< what its times count; empty: it has none
    bool since_1970;           ///< its times are moments; else they count from the start of the trace
    std::int64_t block_tokens; ///< tokens of a hash id's block; 0: it has no hash ids
    ParseText parse_text;      ///< of a line, or an element of an array; else null
    ParseRow parse_row;        ///< of a row of a CSV file; else null
    std::array<std::string_view, 3> columns; ///< that a CSV file must have, in small letters
};

inline constexpr std::array<Format, 10> formats{
    Format{"sharegpt", "", false, 0, parse_sharegpt, nullptr, {}},
    Format{"mooncake", "milliseconds", false, mooncake_block_tokens, parse_mooncake, nullptr, {}},
    Format{"bailian", "seconds", false, bailian_block_tokens, parse_bailian, nullptr, {}},
    Format{"burstgpt",
           "seconds",
           false,
           0,
           nullptr,
           parse_burstgpt,
           {"timestamp", "request tokens", "response tokens"}},
    Format{"azure",
           "UTC moments",
           true,
           0,
           nullptr,
           parse_azure,
           {"timestamp", "contexttokens", "generatedtokens"}},
    Format{"vllm", "", false, 0, parse_vllm, nullptr, {}},
    Format{"sglang", "", false, 0, parse_sglang, nullptr, {}},
    Format{"aiperf", "milliseconds", false, mooncake_block_tokens, parse_aiperf, nullptr, {}},
    Format{"openai-batch", "", false, 0, parse_openai_batch, nullptr, {}},
    Format{"legacy", "UTC moments", true, 0, parse_legacy, nullptr, {}}};

/// Throws UsageError for a name that is none.
inline const Format& format_named(std::string_view name)
{
    std::string known;
    for (const auto& format : formats) {
        if (format.name == name)
            return format;
        known += (known.empty() ? "" : ", ") + std::string(format.name);
    }
    throw UsageError(
        "--format", (name.empty() ? "must be one of " : "'" + printable(name, 40) + "' is none of ") + known);
}

} // namespace slo::trace

#endif
