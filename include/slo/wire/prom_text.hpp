// SPDX-License-Identifier: MIT
// Prometheus text format 0.0.4 and OpenMetrics 1.0: a text of metrics into its samples.

#ifndef SLO_WIRE_PROM_TEXT_HPP
#define SLO_WIRE_PROM_TEXT_HPP

#include <slo/base/text.hpp>
#include <slo/wire/prom_sample.hpp>
#include <slo/wire/prom_types.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>

namespace slo::wire {

/// A longer line is malformed.
inline constexpr std::size_t max_prom_line_bytes = std::size_t{1} << 20;

namespace detail {

inline bool is_ascii(std::string_view text) noexcept
{
    std::size_t i = 0;
    std::uint64_t seen = 0;
    for (; i + 8 <= text.size(); i += 8) {
        std::uint64_t word;
        std::memcpy(&word, text.data() + i, 8);
        seen |= word;
    }
    for (; i < text.size(); ++i)
        seen |= static_cast<unsigned char>(text[i]);
    return (seen & 0x8080808080808080) == 0;
}

// The word at the start of `text`, taken off it together with the blanks before.
inline std::string_view take_word(std::string_view& text) noexcept
{
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    const auto word = text.substr(0, text.find_first_of(" \t"));
    text.remove_prefix(word.size());
    return word;
}

// One pass over a text; the state that a line can change.
template <class Sink>
class PromPass {
public:
    PromPass(std::string_view text, Sink& sink) : sink_(sink), all_ascii_(is_ascii(text))
    {
        if (text.starts_with("\xEF\xBB\xBF"))
            text.remove_prefix(3);
        inspect(text);
        seconds_ = trim(text).ends_with("# EOF");
        const char* at = text.data();
        const char* const end = at + text.size();
        while (at != end) {
            const auto* lf =
                static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
            const char* const stop = lf ? lf : end;
            ++line_;
            take_line({at, static_cast<std::size_t>(stop - at)});
            if (!lf)
                report_.cut_last_line = malformed_here_;
            at = lf ? lf + 1 : end;
        }
    }

    const PromReport& report() const noexcept { return report_; }

private:
    // What is no text of metrics is told by its first bytes.
    void inspect(std::string_view text)
    {
        report_.looks_like_binary = text.starts_with("\x1F\x8B") || text.starts_with("\xFF\xFE") ||
                                    text.starts_with("\xFE\xFF") ||
                                    text.substr(0, 4096).find('\0') != std::string_view::npos;
        const auto start = trim(text.substr(0, 4096));
        if (start.size() < 2)
            return;
        const char second = start[1];
        report_.looks_like_html = start[0] == '<' && (second == '!' || second == '?' ||
                                                      ((second | 0x20) >= 'a' && (second | 0x20) <= 'z'));
        // `{"name"} 1` and `{"name", …} 1` are samples; an object's first key is followed by a colon.
        auto key = start.substr(1);
        key = trim(key);
        const auto key_end = key.starts_with('"') ? key.find('"', 1) : std::string_view::npos;
        report_.looks_like_json =
            start[0] == '[' ||
            (start[0] == '{' && (key.starts_with('}') ? trim(text) == start && key.size() == 1
                                                      : key_end != std::string_view::npos &&
                                                            trim(key.substr(key_end + 1)).starts_with(':')));
    }

    void take_line(std::string_view line)
    {
        malformed_here_ = false;
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        const auto first = line.find_first_not_of(" \t");
        if (first == std::string_view::npos)
            return;
        if (line.size() > max_prom_line_bytes)
            return malformed("a line longer than 1 MiB");
        if (report_.saw_eof)
            return malformed("text after # EOF");
        if (!all_ascii_ && !is_utf8(line))
            return malformed("not UTF-8");
        if (line[first] == '#')
            return take_comment(line.substr(first + 1));
        if (const char* reason = reader_.read(line))
            return malformed(reason);
        take_sample(reader_.sample());
    }

    void take_sample(PromSample sample)
    {
        ++report_.samples;
        if (reader_.has_exemplar()) {
            ++report_.exemplars;
            report_.openmetrics = true;
        }
        // Milliseconds in the classic format, seconds in OpenMetrics. Where the mark of the latter is missing
        // the magnitude tells: 1e11 is a day of 1973 in the one, of the year 5138 in the other.
        if (sample.timestamp_s && !seconds_ && std::fabs(*sample.timestamp_s) >= 1e11)
            *sample.timestamp_s /= 1000;
        sink_.sample(static_cast<const PromSample&>(sample));
    }

    void take_comment(std::string_view text)
    {
        // `#TYPE`, without a blank, is a comment like any other; `# EOF` is a line of its own.
        if (!text.starts_with(' ') && !text.starts_with('\t'))
            return;
        const auto keyword = take_word(text);
        if (keyword == "TYPE")
            take_type(text);
        else if (keyword == "EOF" && trim(text).empty())
            report_.saw_eof = report_.openmetrics = true;
    }

    void take_type(std::string_view text)
    {
        std::string_view name;
        text = trim(text);
        if (text.starts_with('"')) {
            const auto end = text.find('"', 1);
            if (end == std::string_view::npos)
                return malformed("a quoted text does not end");
            name = text.substr(1, end - 1);
            text.remove_prefix(end + 1);
        } else {
            name = take_word(text);
        }
        const auto type = prom_type_of(take_word(text));
        if (name.empty() || !type || !trim(text).empty())
            return malformed("a TYPE line without a name and a known type");
        if constexpr (requires { sink_.type(name, *type); })
            sink_.type(name, *type);
    }

    void malformed(std::string_view reason)
    {
        malformed_here_ = true;
        if (report_.malformed_lines++ == 0) {
            report_.first_malformed_line = line_;
            report_.first_reason = reason;
        }
    }

    Sink& sink_;
    const bool all_ascii_;
    bool seconds_ = false;
    bool malformed_here_ = false;
    std::size_t line_ = 0;
    PromReport report_;
    PromSampleReader reader_;
};

} // namespace detail

/// Hands each sample of `text` to `sink.sample(const PromSample&)` and, where the sink has it, each `# TYPE`
/// line to `sink.type(std::string_view name, PromType)`, in the order of the text. A line that is neither
/// sample, comment nor blank is counted and passed over; nothing is thrown but what the sink throws. CRLF, a
/// byte order mark and a missing last LF are accepted. The formats: Prometheus' exposition format 0.0.4 with
/// quoted names, and OpenMetrics 1.0.
template <class Sink>
PromReport parse_prom(std::string_view text, Sink&& sink)
{
    return detail::PromPass<std::remove_reference_t<Sink>>(text, sink).report();
}

} // namespace slo::wire

#endif
