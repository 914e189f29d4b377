// SPDX-License-Identifier: MIT
// Server-sent events: an incremental splitter of bytes into events.

#ifndef SLO_WIRE_SSE_HPP
#define SLO_WIRE_SSE_HPP

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace slo::wire {

/// One event; both views live only as long as the call that hands it out.
struct SseEvent {
    std::string_view name; ///< of its `event:` line, empty when it has none
    std::string_view data; ///< its `data:` lines, joined by LF
};

/// Splits a stream into events as the WHATWG HTML standard, section 9.2.6, says: lines end with LF, CRLF or
/// CR, a blank line ends an event, comments and unknown fields are passed over, an event that the end of the
/// stream cuts off is none. Reads may be cut anywhere. An event that lies whole in one read is handed out
/// uncopied.
class SseSplitter {
public:
    static constexpr std::size_t default_max_event_bytes = std::size_t{4} << 20;

    explicit SseSplitter(std::size_t max_event_bytes = default_max_event_bytes)
        : max_event_bytes_(max_event_bytes)
    {
    }

    /// Calls `sink(const SseEvent&)` for each event that `bytes` completes. False once an event is larger
    /// than the limit: the stream is unusable, and this and all later bytes are dropped.
    template <class Sink>
    bool feed(std::string_view bytes, Sink&& sink)
    {
        if (overflowed_)
            return false;
        if (bom_bytes_ < 3)
            bytes = skip_bom(bytes);
        const char* at = bytes.data();
        const char* const end = at + bytes.size();
        // Where the next LF and CR stand (end when there is none): each byte is searched once for each.
        const char* lf = nullptr;
        const char* cr = nullptr;
        while (at != end) {
            if (std::exchange(skip_lf_, false) && *at == '\n') {
                ++at;
                continue;
            }
            if (!lf || lf < at)
                lf = find(at, end, '\n');
            if (!cr || cr < at)
                cr = find(at, end, '\r');
            const char* const stop = std::min(lf, cr);
            const std::string_view piece(at, static_cast<std::size_t>(stop - at));
            if (line_.size() + data_.size() + view_.size() + piece.size() > max_event_bytes_)
                return overflow();
            if (stop == end) {
                line_ += piece;
                break;
            }
            skip_lf_ = *stop == '\r';
            at = stop + 1;
            if (line_.empty()) {
                take_line(piece, false, sink);
            } else {
                line_ += piece;
                take_line(line_, true, sink);
                line_.clear();
            }
        }
        keep_view();
        return true;
    }

    /// True once an event was larger than the limit.
    bool overflowed() const noexcept { return overflowed_; }

    /// Comment lines seen so far (servers send them to keep a connection alive).
    std::size_t comment_lines() const noexcept { return comment_lines_; }

    /// The start (at most 512 bytes) of the first line that is no field of an event stream, such as a bare
    /// JSON error or HTML; empty when there was none. Counts a line that the end of the stream cut off.
    std::string_view stray_text() const noexcept
    {
        if (!stray_.empty() || is_field(std::string_view(line_).substr(0, line_.find(':'))))
            return stray_;
        return std::string_view(line_).substr(0, max_stray_bytes);
    }

private:
    static constexpr std::size_t max_stray_bytes = 512;

    static const char* find(const char* from, const char* end, char c) noexcept
    {
        const void* found = std::memchr(from, c, static_cast<std::size_t>(end - from));
        return found ? static_cast<const char*>(found) : end;
    }

    static bool is_field(std::string_view name) noexcept
    {
        return name.empty() || name == "data" || name == "event" || name == "id" || name == "retry";
    }

    std::string_view skip_bom(std::string_view bytes)
    {
        constexpr std::string_view bom = "\xEF\xBB\xBF";
        while (!bytes.empty() && bom_bytes_ < bom.size()) {
            if (bytes[0] != bom[bom_bytes_]) {
                line_.assign(bom, 0, bom_bytes_);
                bom_bytes_ = bom.size();
                break;
            }
            ++bom_bytes_;
            bytes.remove_prefix(1);
        }
        return bytes;
    }

    template <class Sink>
    void take_line(std::string_view line, bool volatile_line, Sink& sink)
    {
        if (line.empty()) {
            if (has_data_)
                sink(SseEvent{name_, data_.empty() ? view_ : std::string_view(data_)});
            has_data_ = false;
            view_ = {};
            data_.clear();
            name_.clear();
            return;
        }
        const auto colon = line.find(':');
        if (colon == 0) {
            ++comment_lines_;
            return;
        }
        const auto field = line.substr(0, colon);
        auto value = colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 1);
        if (value.starts_with(' '))
            value.remove_prefix(1);
        if (field == "data") {
            if (has_data_) {
                keep_view();
                data_ += '\n';
                data_ += value;
            } else if (volatile_line) {
                data_ = value;
            } else {
                view_ = value;
            }
            has_data_ = true;
        } else if (field == "event") {
            name_ = value;
        } else if (stray_.empty() && !is_field(field)) {
            stray_ = line.substr(0, max_stray_bytes);
        }
    }

    // The bytes of a read are gone after it: what the unfinished event has of them is copied.
    void keep_view()
    {
        data_ += view_;
        view_ = {};
    }

    bool overflow()
    {
        overflowed_ = true;
        line_ = {};
        data_ = {};
        view_ = {};
        return false;
    }

    std::size_t max_event_bytes_;
    std::string line_;      // the unfinished line
    std::string data_;      // the unfinished event's data, unless it is all in view_
    std::string_view view_; // its only data line, inside the bytes being fed
    std::string name_;
    std::string stray_;
    std::size_t comment_lines_ = 0;
    std::size_t bom_bytes_ = 0;
    bool has_data_ = false;
    bool skip_lf_ = false;
    bool overflowed_ = false;
};

} // namespace slo::wire

#endif
