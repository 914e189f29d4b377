// SPDX-License-Identifier: MIT
// An HTTP/1.x answer out of bytes, in any cuts, with bounds. RFC 9112.

#ifndef SLO_WIRE_HTTP_RESPONSE_HPP
#define SLO_WIRE_HTTP_RESPONSE_HPP

#include <slo/base/text.hpp>
#include <slo/wire/http_chunks.hpp>
#include <slo/wire/http_fields.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slo::wire {

/// Why bytes are no acceptable answer.
enum class HttpFault {
    none,
    not_http,       ///< no status line of HTTP/1.0 or HTTP/1.1, or a switch of protocols
    bad_header,     ///< no name, a folded line, a NUL
    bad_length,     ///< a Content-Length that is no number, or two that differ
    bad_encoding,   ///< a Transfer-Encoding other than chunked
    bad_chunk,      ///< chunked framing that does not add up
    head_too_large, ///< headers, interim answers and trailers together above max_head_bytes
    refused         ///< the sink did not want more of the body
};

/// Takes the answer to one request as it comes. Nothing of the body is copied: its pieces are handed on as
/// they lie in the bytes that were fed. Interim answers (1xx) are passed over. A line may end in a bare LF.
///
/// The sink has `void head(const HttpFields&)`, called once, and
/// `bool body(std::string_view piece)`, called with what is never empty; false makes the answer `refused`.
class HttpResponseParser {
public:
    static constexpr std::size_t max_head_bytes = std::size_t{256} << 10;

    /// Begins a new answer.
    void reset() noexcept
    {
        phase_ = Phase::status_line;
        fault_ = HttpFault::none;
        started_ = false;
        head_bytes_ = 0;
        line_.clear();
        fields_.clear();
    }

    /// Takes bytes as far as they belong to this answer and says how many that were. What the sink throws
    /// goes through; only reset() may follow then.
    template <class Sink>
    std::size_t feed(std::string_view bytes, Sink&& sink)
    {
        const auto size = bytes.size();
        started_ = started_ || size > 0;
        while (!bytes.empty() && phase_ < Phase::complete)
            step(bytes, sink);
        return size - bytes.size();
    }

    /// The connection was closed: true when that is the end of a whole answer.
    bool end() noexcept
    {
        if (phase_ == Phase::until_close)
            phase_ = Phase::complete;
        return complete();
    }

    bool started() const noexcept { return started_; } ///< any byte came
    bool complete() const noexcept { return phase_ == Phase::complete; }
    bool failed() const noexcept { return phase_ == Phase::failed; }
    HttpFault fault() const noexcept { return fault_; }

    /// True when the server lets the connection be used again; known once complete.
    bool keep_alive() const noexcept { return keep_alive_; }

private:
    enum class Phase { status_line, header, sized_body, until_close, chunks, trailer, complete, failed };

    template <class Sink>
    void step(std::string_view& bytes, Sink& sink)
    {
        switch (phase_) {
        case Phase::status_line:
            if (const auto line = take_line(bytes)) {
                phase_ = Phase::header;
                if (!fields_.read_status_line(*line))
                    fail(HttpFault::not_http);
                line_.clear();
            } else if (!could_be_http()) {
                fail(HttpFault::not_http);
            }
            break;
        case Phase::header:
            if (const auto line = take_line(bytes)) {
                if (line->empty())
                    end_head(sink);
                else if (const auto fault = fields_.read(*line); fault != HttpFieldFault::none)
                    fail(fault_of(fault));
                line_.clear();
            }
            break;
        case Phase::sized_body:
            if (take_body(bytes, sink))
                phase_ = Phase::complete;
            break;
        case Phase::until_close:
            left_ = bytes.size();
            take_body(bytes, sink);
            break;
        case Phase::trailer:
            if (const auto line = take_line(bytes)) {
                if (line->empty())
                    phase_ = Phase::complete;
                line_.clear();
            }
            break;
        default:
            take_chunks(bytes, sink);
        }
    }

    // The next line without its end; nothing, and what came of it in line_, while that is missing.
    std::optional<std::string_view> take_line(std::string_view& bytes)
    {
        const auto end = bytes.find('\n');
        const auto piece = bytes.substr(0, end == std::string_view::npos ? end : end + 1);
        head_bytes_ += piece.size();
        if (head_bytes_ > max_head_bytes) {
            fail(HttpFault::head_too_large);
            return std::nullopt;
        }
        bytes.remove_prefix(piece.size());
        if (end == std::string_view::npos || !line_.empty())
            line_ += piece;
        if (end == std::string_view::npos)
            return std::nullopt;
        std::string_view line = line_.empty() ? piece : std::string_view(line_);
        line.remove_suffix(line.ends_with("\r\n") ? 2 : 1);
        return line;
    }

    // Tells the banner of another protocol before its line ends.
    bool could_be_http() const noexcept
    {
        constexpr std::string_view begin = "HTTP/1.";
        return phase_ == Phase::failed || begin.substr(0, line_.size()) == line_.substr(0, begin.size());
    }

    template <class Sink>
    void end_head(Sink& sink)
    {
        const int status = fields_.status();
        if (status < 200) {
            fields_.clear();
            phase_ = Phase::status_line;
            if (status == 101) // nobody asked for it
                fail(HttpFault::not_http);
            return;
        }
        const auto length = fields_.content_length();
        keep_alive_ = fields_.keep_alive();
        left_ = length.value_or(0);
        if (status == 204 || status == 304) {
            phase_ = Phase::complete;
        } else if (fields_.chunked()) {
            phase_ = Phase::chunks;
            chunks_.begin();
            // Whoever sends both may mean the other one: RFC 9112, section 6.3.
            keep_alive_ = keep_alive_ && !length;
        } else if (length) {
            phase_ = left_ == 0 ? Phase::complete : Phase::sized_body;
        } else {
            phase_ = Phase::until_close;
            keep_alive_ = false;
        }
        sink.head(fields_);
    }

    // True when all that is left of this body has come.
    template <class Sink>
    bool take_body(std::string_view& bytes, Sink& sink)
    {
        const auto piece =
            bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size())));
        bytes.remove_prefix(piece.size());
        left_ -= piece.size();
        if (sink.body(piece))
            return left_ == 0;
        fail(HttpFault::refused);
        return false;
    }

    template <class Sink>
    void take_chunks(std::string_view& bytes, Sink& sink)
    {
        const auto data = chunks_.take(bytes);
        if (!data.empty() && !sink.body(data))
            fail(HttpFault::refused);
        else if (chunks_.failed())
            fail(HttpFault::bad_chunk);
        else if (chunks_.ended())
            phase_ = Phase::trailer;
    }

    static constexpr HttpFault fault_of(HttpFieldFault fault) noexcept
    {
        return fault == HttpFieldFault::bad_length     ? HttpFault::bad_length
               : fault == HttpFieldFault::bad_encoding ? HttpFault::bad_encoding
                                                       : HttpFault::bad_header;
    }

    void fail(HttpFault fault) noexcept
    {
        phase_ = Phase::failed;
        fault_ = fault;
    }

    Phase phase_ = Phase::status_line;
    HttpFault fault_ = HttpFault::none;
    bool started_ = false;
    bool keep_alive_ = false;
    std::uint64_t left_ = 0;     // bytes to come of the body
    std::size_t head_bytes_ = 0; // of status lines, headers and trailers
    HttpChunks chunks_;
    std::string line_; // a line of which only the beginning came
    HttpFields fields_;
};

} // namespace slo::wire

#endif
