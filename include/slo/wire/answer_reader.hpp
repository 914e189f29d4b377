// SPDX-License-Identifier: MIT
// From the bytes of one HTTP response to an answer: told apart by status and content type, split, taken,
// judged.

#ifndef SLO_WIRE_ANSWER_READER_HPP
#define SLO_WIRE_ANSWER_READER_HPP

#include <slo/base/text.hpp>
#include <slo/wire/api_error.hpp>
#include <slo/wire/completion.hpp>
#include <slo/wire/http_fields.hpp>
#include <slo/wire/sse.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace slo::wire {

/// Sizes in bytes above which what comes is a protocol error. Each is parsed as a whole, and JSON that is all
/// brackets takes some twenty times its size in memory: these bound what one event or body costs. The size of
/// one answer is the transport's to bound; nothing bounds what all answers of a run cost together.
struct AnswerLimits {
    std::size_t event_bytes = SseSplitter::default_max_event_bytes; ///< of a stream
    std::size_t body_bytes = std::size_t{16} << 20;                 ///< not streamed
};

/// Reads one response. Call begin() with its head, feed() with each read of its body, end() once; times are
/// seconds on the caller's clock. The time of an event is that of the read that holds the end of it.
class AnswerReader {
public:
    explicit AnswerReader(AnswerLimits limits = {}, Answer::Scanning scanning = Answer::Scanning::templates)
        : answer_(scanning), splitter_(limits.event_bytes), limits_(limits)
    {
    }

    /// `content_type` decides between an event stream and a whole body; where it is neither text/event-stream
    /// nor JSON, the first byte does. The body of a status other than 2xx is taken as an error's.
    void begin(int http_status, std::string_view content_type)
    {
        http_status_ = http_status;
        if (!http_ok())
            form_ = Form::error;
        else if (has_type(content_type, "text/event-stream"))
            form_ = Form::events;
        else if (has_type(content_type, "application/json"))
            form_ = Form::whole;
    }

    void feed(std::string_view bytes, double t_s)
    {
        if (form_ == Form::unknown)
            form_ = tell_form(bytes);
        if (form_ == Form::events)
            feed_events(bytes, t_s);
        else
            keep(bytes);
    }

    /// Ends the body, in order (`complete`) or not: a body that broke off is no answer, good or bad.
    void end(bool complete)
    {
        if (complete && form_ == Form::whole && !body_.empty() && !too_large_)
            answer_.on_body(body_);
        const auto outcome = answer_.outcome();
        if (outcome != Outcome::ok && outcome != Outcome::stream_error && !splitter_.stray_text().empty())
            answer_.fail_protocol("not an event stream: " + std::string(splitter_.stray_text()));
    }

    const Answer& answer() const noexcept { return answer_; }

    /// The status given to begin(); 0 before.
    int http_status() const noexcept { return http_status_; }
    bool http_ok() const noexcept { return http_status_ >= 200 && http_status_ < 300; }

    /// One printable line on why the response is no success ("HTTP 503: Loading model"); empty when it is
    /// one.
    std::string error_text() const
    {
        if (http_status_ != 0 && !http_ok())
            return http_error_text(http_status_, body_);
        return answer_.error_text();
    }

private:
    enum class Form { unknown, events, whole, error };

    static constexpr std::size_t max_error_bytes = 65536;

    static bool has_type(std::string_view content_type, std::string_view type) noexcept
    {
        return equal_ignoring_case(trim(content_type).substr(0, type.size()), type);
    }

    static Form tell_form(std::string_view bytes) noexcept
    {
        const auto text = trim(bytes);
        if (text.empty())
            return Form::unknown;
        return text[0] == '{' || text[0] == '[' ? Form::whole : Form::events;
    }

    void feed_events(std::string_view bytes, double t_s)
    {
        const auto take = [this, t_s](const SseEvent& event) {
            answer_.on_event(event.data, event.name, t_s);
        };
        if (!splitter_.feed(bytes, take))
            answer_.fail_protocol("an event larger than " + std::to_string(limits_.event_bytes) + " bytes");
    }

    void keep(std::string_view bytes)
    {
        const auto limit = form_ == Form::error ? max_error_bytes : limits_.body_bytes;
        const auto room = limit - std::min(limit, body_.size());
        body_ += bytes.substr(0, room);
        if (bytes.size() > room && form_ != Form::error && !too_large_) {
            too_large_ = true;
            body_ = {};
            answer_.fail_protocol("a body larger than " + std::to_string(limits_.body_bytes) + " bytes");
        }
    }

    Answer answer_;
    SseSplitter splitter_;
    AnswerLimits limits_;
    std::string body_;
    int http_status_ = 0;
    Form form_ = Form::unknown;
    bool too_large_ = false;
};

} // namespace slo::wire

#endif
