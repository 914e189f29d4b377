// SPDX-License-Identifier: MIT
// HTTP requests out of bytes, with bounds.

#ifndef SLO_SIM_REQUEST_PARSER_HPP
#define SLO_SIM_REQUEST_PARSER_HPP

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace slo::sim {

/// Takes the bytes of one request as they come.
class RequestParser {
public:
    using Request = boost::beast::http::request<boost::beast::http::string_body>;

    static constexpr std::size_t max_header_bytes = 32 << 10;
    static constexpr std::size_t max_body_bytes = std::size_t{64} << 20;

    /// What the bytes so far ask for.
    enum class Progress {
        need_more,
        send_continue, ///< the client waits for "100 Continue" before it sends the body
        complete,
        refused ///< no acceptable request: status() and reason() say why
    };

    /// Begins a new request.
    void reset()
    {
        parser_.emplace();
        parser_->eager(true);
        parser_->header_limit(max_header_bytes);
        parser_->body_limit(max_body_bytes);
        continued_ = false;
    }

    /// Takes bytes out of `buffer` as far as they belong to this request.
    Progress feed(boost::beast::flat_buffer& buffer)
    {
        namespace http = boost::beast::http;
        while (buffer.size() > 0) {
            boost::system::error_code error;
            const auto used = parser_->put(buffer.data(), error);
            buffer.consume(used);
            if (error && error != http::error::need_more) {
                refuse(error);
                return Progress::refused;
            }
            if (parser_->is_done())
                return Progress::complete;
            if (parser_->is_header_done() && !std::exchange(continued_, true) &&
                boost::beast::iequals(parser_->get()[http::field::expect], "100-continue"))
                return Progress::send_continue;
            if (used == 0)
                break;
        }
        return Progress::need_more;
    }

    /// The request, once complete.
    const Request& request() const { return parser_->get(); }

    int status() const noexcept { return status_; }
    const std::string& reason() const noexcept { return reason_; }

private:
    void refuse(const boost::system::error_code& error)
    {
        namespace http = boost::beast::http;
        if (error == http::error::body_limit) {
            status_ = 413;
            reason_ = "the body is too large";
        } else if (error == http::error::header_limit) {
            status_ = 431;
            reason_ = "the header is too large";
        } else {
            status_ = 400;
            reason_ = "not HTTP (" + error.message() + ")";
        }
    }

    std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
    std::string reason_;
    int status_ = 0;
    bool continued_ = false;
};

} // namespace slo::sim

#endif
