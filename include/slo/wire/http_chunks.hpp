// SPDX-License-Identifier: MIT
// The chunked transfer coding of HTTP/1.1, in any cuts, with bounds. RFC 9112, section 7.1.

#ifndef SLO_WIRE_HTTP_CHUNKS_HPP
#define SLO_WIRE_HTTP_CHUNKS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace slo::wire {

/// Finds the data of chunks among their framing. Nothing is copied. A line may end in a bare LF.
class HttpChunks {
public:
    static constexpr std::size_t max_line_bytes = std::size_t{16} << 10; ///< after the digits of a size

    /// The size of the first chunk is next.
    void begin() noexcept
    {
        part_ = Part::size;
        digits_ = 0;
    }

    /// Takes what comes next off the front of `bytes`, which are not empty: a piece of a chunk's data, which
    /// it returns, or some of the framing, for which it returns nothing. Not once ended() or failed().
    std::string_view take(std::string_view& bytes) noexcept
    {
        switch (part_) {
        case Part::data: {
            const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
            const auto piece = bytes.substr(0, size);
            bytes.remove_prefix(size);
            left_ -= size;
            if (left_ == 0)
                part_ = Part::data_end;
            return piece;
        }
        case Part::size:
            take_size(bytes);
            break;
        case Part::extension:
            take_extension(bytes);
            break;
        default:
            take_data_end(bytes);
        }
        return {};
    }

    /// The line of the last chunk was taken; trailers follow.
    bool ended() const noexcept { return part_ == Part::ended; }

    /// The framing does not add up.
    bool failed() const noexcept { return part_ == Part::failed; }

private:
    enum class Part { size, extension, data, data_end, data_end_lf, ended, failed };

    void take_size(std::string_view& bytes) noexcept
    {
        if (digits_ == 0)
            left_ = 0;
        for (; !bytes.empty(); bytes.remove_prefix(1)) {
            const int digit = hex_digit(bytes.front());
            if (digit < 0) {
                constexpr std::string_view may_follow = ";\r\n \t";
                constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();
                const bool sound = digits_ > 0 && may_follow.find(bytes.front()) != std::string_view::npos &&
                                   left_ <= largest;
                part_ = sound ? Part::extension : Part::failed;
                line_bytes_ = 0;
                return;
            }
            if (++digits_ > 16) {
                part_ = Part::failed;
                return;
            }
            left_ = left_ << 4 | static_cast<unsigned>(digit);
        }
    }

    void take_extension(std::string_view& bytes) noexcept
    {
        const auto end = bytes.find('\n');
        const auto count = end == std::string_view::npos ? bytes.size() : end + 1;
        line_bytes_ += count;
        bytes.remove_prefix(count);
        if (line_bytes_ > max_line_bytes)
            part_ = Part::failed;
        else if (end != std::string_view::npos)
            part_ = left_ == 0 ? Part::ended : Part::data;
    }

    void take_data_end(std::string_view& bytes) noexcept
    {
        const char c = bytes.front();
        bytes.remove_prefix(1);
        if (c == '\n')
            begin();
        else
            part_ = c == '\r' && part_ == Part::data_end ? Part::data_end_lf : Part::failed;
    }

    static constexpr int hex_digit(char c) noexcept
    {
        if (c >= '0' && c <= '9')
            return c - '0';
        const char lower = static_cast<char>(c | 0x20);
        return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
    }

    Part part_ = Part::size;
    int digits_ = 0;             // of the size so far
    std::uint64_t left_ = 0;     // bytes to come of the chunk
    std::size_t line_bytes_ = 0; // after the digits
};

} // namespace slo::wire

#endif
