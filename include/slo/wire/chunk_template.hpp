// SPDX-License-Identifier: MIT
// Events of a stream that differ only in their text and counts: learnt once, then read without parsing.

#ifndef SLO_WIRE_CHUNK_TEMPLATE_HPP
#define SLO_WIRE_CHUNK_TEMPLATE_HPP

#include <slo/wire/chunk.hpp>
#include <slo/wire/json_scan.hpp>
#include <slo/wire/usage.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::wire {

/// All that an event says which carries one text of one choice, and perhaps usage.
struct PlainChunk {
    int choice = 0; ///< index
    Channel channel = Channel::content;
    std::int64_t chars = 0; ///< code points of the text
    std::optional<Usage> usage;
};

/// One event as bytes with gaps: the text, and the counts that change from event to event. An event with the
/// same bytes around the gaps, and in them a JSON string or count, parses to the same values but for those in
/// the gaps: what it says is known exactly.
class ChunkTemplate {
public:
    static constexpr std::size_t max_event_bytes = 4096;

    /// From an event of at most max_event_bytes that parses as JSON and says `meaning`; `text` is its text,
    /// as parsed. Nothing where the place of the text is not beyond doubt.
    static std::optional<ChunkTemplate> of(std::string_view event, std::string_view text,
                                           const PlainChunk& meaning)
    {
        // Without escapes every string stands in the event as it was parsed, between the only quotes.
        if (event.size() > max_event_bytes || event.find('\\') != std::string_view::npos)
            return std::nullopt;
        const auto quoted = only_place_of(event, text);
        if (!quoted)
            return std::nullopt;
        ChunkTemplate form;
        form.bytes_ = event;
        form.meaning_ = meaning;
        form.add_gap(Gap::text, *quoted + 1, text.size());
        form.add_counts();
        return form;
    }

    /// True where `event` is of this form; `chunk` then is what it says.
    bool match(std::string_view event, PlainChunk& chunk) const
    {
        const char* at = event.data();
        const char* const end = at + event.size();
        std::int64_t chars = 0;
        std::int64_t completion_tokens = 0;
        std::int64_t reasoning_tokens = 0;
        std::int64_t unread = 0;
        std::size_t known = 0;
        for (std::size_t i = 0; i < gaps_; ++i) {
            const auto& gap = gap_[i];
            if (!skip(at, end, known, gap.begin))
                return false;
            known = gap.end;
            switch (gap.kind) {
            case Gap::text:
                at = scan_json_string(at, end, chars);
                break;
            case Gap::completion_tokens:
                at = scan_json_count(at, end, completion_tokens);
                break;
            case Gap::reasoning_tokens:
                at = scan_json_count(at, end, reasoning_tokens);
                break;
            case Gap::unread:
                at = scan_json_count(at, end, unread);
                break;
            }
            if (!at)
                return false;
        }
        if (!skip(at, end, known, bytes_.size()) || at != end)
            return false;
        chunk = meaning_;
        chunk.chars = chars;
        for (std::size_t i = 0; i < gaps_; ++i) {
            const auto kind = gap_[i].kind;
            if (kind == Gap::completion_tokens)
                chunk.usage->completion_tokens = detail::plausible_count(completion_tokens);
            else if (kind == Gap::reasoning_tokens)
                chunk.usage->reasoning_tokens = detail::plausible_count(reasoning_tokens);
        }
        return true;
    }

private:
    struct Gap {
        enum Kind : std::uint8_t { text, completion_tokens, reasoning_tokens, unread } kind = text;
        std::uint16_t begin = 0;
        std::uint16_t end = 0;
    };

    // Where `text` stands in quotes, if it does so once. Of an event without escapes this is the text itself,
    // not the same bytes elsewhere, and no member that one of the same name overrides.
    static std::optional<std::size_t> only_place_of(std::string_view event, std::string_view text)
    {
        const auto quoted = std::string("\"").append(text).append("\"");
        const auto place = event.find(quoted);
        if (place == std::string_view::npos || event.find(quoted, place + 1) != std::string_view::npos)
            return std::nullopt;
        return place;
    }

    void add_gap(Gap::Kind kind, std::size_t begin, std::size_t size)
    {
        gap_[gaps_++] = {kind, static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(begin + size)};
    }

    void add_counts()
    {
        if (meaning_.usage && meaning_.usage->completion_tokens)
            add_count("completion_tokens", Gap::completion_tokens);
        if (meaning_.usage && meaning_.usage->reasoning_tokens)
            add_count("reasoning_tokens", Gap::reasoning_tokens);
        // Two more that change, and that no answer depends on wherever they stand.
        add_count("total_tokens", Gap::unread);
        add_count("sequence_number", Gap::unread);
        std::sort(gap_.begin(), gap_.begin() + gaps_,
                  [](const Gap& a, const Gap& b) { return a.begin < b.begin; });
    }

    // The count under a key that occurs once. As what follows it is no part of a number, other digits in its
    // place are a whole number, too.
    void add_count(std::string_view key, Gap::Kind kind)
    {
        constexpr std::string_view blanks = " \t\r\n";
        const std::string_view event = bytes_;
        const auto place = only_place_of(event, key);
        const auto colon =
            place ? event.find_first_not_of(blanks, *place + key.size() + 2) : std::string_view::npos;
        if (colon == std::string_view::npos || event[colon] != ':')
            return;
        const auto begin = event.find_first_not_of(blanks, colon + 1);
        if (begin == std::string_view::npos)
            return;
        std::int64_t value = 0;
        const char* const stop = event.data() + event.size();
        const char* const end = scan_json_count(event.data() + begin, stop, value);
        if (end && end != stop && std::string_view(",} \t\r\n").find(*end) != std::string_view::npos)
            add_gap(kind, begin, static_cast<std::size_t>(end - event.data()) - begin);
    }

    // Moves `at` over the learnt bytes from `begin` to `end`, if they stand there.
    bool skip(const char*& at, const char* stop, std::size_t begin, std::size_t end) const noexcept
    {
        const auto size = end - begin;
        if (static_cast<std::size_t>(stop - at) < size || std::memcmp(at, bytes_.data() + begin, size) != 0)
            return false;
        at += size;
        return true;
    }

    std::string bytes_;
    std::array<Gap, 5> gap_;
    std::uint8_t gaps_ = 0;
    PlainChunk meaning_;
};

/// The templates of one stream: a few, for choices and channels alternate.
class ChunkTemplates {
public:
    static constexpr std::size_t max_templates = 8;

    /// What `event` says, if it is of a learnt form; valid till the next call.
    const PlainChunk* match(std::string_view event)
    {
        for (std::size_t i = 0; i < templates_.size(); ++i) {
            if (templates_[latest_].match(event, chunk_)) {
                barren_ = 0;
                return &chunk_;
            }
            latest_ = latest_ + 1 == templates_.size() ? 0 : latest_ + 1;
        }
        return nullptr;
    }

    /// Whether it is worth learning from `event`. A stream in which nothing recurs is given up.
    bool wants(std::string_view event) const noexcept
    {
        return event.size() <= ChunkTemplate::max_event_bytes && barren_ < max_barren;
    }

    /// As ChunkTemplate::of; the oldest template makes room.
    void learn(std::string_view event, std::string_view text, const PlainChunk& meaning)
    {
        ++barren_;
        auto learnt = ChunkTemplate::of(event, text, meaning);
        if (!learnt)
            return;
        if (templates_.size() < max_templates) {
            templates_.push_back(std::move(*learnt));
            return;
        }
        templates_[oldest_] = std::move(*learnt);
        oldest_ = (oldest_ + 1) % max_templates;
    }

private:
    static constexpr int max_barren = 16;

    std::vector<ChunkTemplate> templates_;
    PlainChunk chunk_;
    std::size_t latest_ = 0; // matched last
    std::size_t oldest_ = 0;
    int barren_ = 0; // events studied since one matched
};

} // namespace slo::wire

#endif
