// SPDX-License-Identifier: MIT
// How often libcurl may hand one request over, which it decides by a rule of its own.

#ifndef SLO_NET_CURL_SENDS_HPP
#define SLO_NET_CURL_SENDS_HPP

#include <slo/base/text.hpp>
#include <slo/net/http.hpp>
#include <slo/net/http_errors.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace slo::net {

/// libcurl sends a request again when a kept connection broke before any byte of an answer, however late, and
/// with HTTP/2 as often as the server refuses it. Each time it opens a socket before: there it is kept from
/// it where the request is to be sent once.
class CurlSends {
public:
    /// Of a new exchange.
    void begin() noexcept
    {
        count_ = judged_ = 0;
        late_ = false;
    }

    /// curl opens a socket; false when it must not have one. `detail`: what CURLOPT_ERRORBUFFER holds.
    bool may_open(std::int64_t now_ns, const HttpLimits& limits, std::string_view detail)
    {
        // A host has several addresses: the first attempt decides, the others may be later.
        if (std::exchange(judged_, count_) != count_) {
            late_ = !was_stale(sent_ns_, now_ns, limits);
            reason_ = detail.empty() ? closed_before_answer : printable(detail, 200);
        }
        return !late_;
    }

    /// curl is about to hand the request over; false when it has done so often enough.
    bool may_send(std::int64_t now_ns) noexcept
    {
        sent_ns_ = now_ns;
        return ++count_ <= most;
    }

    /// True once the request has gone out.
    bool any() const noexcept { return count_ > 0; }

    /// Stale kept connections replaced.
    int reconnects() const noexcept { return std::clamp(count_, 1, most) - 1; }

    /// Why the request was not sent again although curl wanted to; empty where that was not so.
    std::string refusal() const
    {
        if (late_)
            return reason_;
        return count_ > most ? "the server refused the request again on a new connection" : std::string();
    }

private:
    static constexpr int most = 2;

    int count_ = 0;
    int judged_ = 0; // the count at which a broken connection was last judged
    bool late_ = false;
    std::int64_t sent_ns_ = 0;
    std::string reason_; // of the break
};

} // namespace slo::net

#endif
