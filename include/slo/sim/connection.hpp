// SPDX-License-Identifier: MIT
// One HTTP/1.1 connection: requests in, whole or streamed responses out, and word of a client that went away.

#ifndef SLO_SIM_CONNECTION_HPP
#define SLO_SIM_CONNECTION_HPP

#include <slo/sim/http_text.hpp>
#include <slo/sim/request_parser.hpp>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace slo::sim {

/// A connection reads one request at a time and goes on reading while the response is written, so that it
/// notices at once when its client leaves. Everything a client sends is bounded in size and in time.
class Connection : public std::enable_shared_from_this<Connection> {
public:
    using Request = RequestParser::Request;

    /// Whoever answers. One answer is due for each request.
    class Handler {
    public:
        virtual ~Handler() = default;
        virtual void on_request(const std::shared_ptr<Connection>& connection, const Request& request) = 0;
        /// The client left before its answer was complete.
        virtual void on_gone(Connection& connection) = 0;
        /// The bytes are no acceptable request: answer with this HTTP status; the connection closes
        /// afterwards.
        virtual void on_bad_request(Connection& connection, int status, std::string_view reason) = 0;
    };

    static constexpr std::size_t max_pipelined_bytes = 64 << 10;
    static constexpr std::size_t max_unsent_bytes = std::size_t{32} << 20;
    static constexpr std::chrono::seconds request_deadline{300};
    static constexpr std::chrono::seconds linger{2};

    Connection(boost::asio::ip::tcp::socket socket, Handler& handler)
        : socket_(std::move(socket)), deadline_(socket_.get_executor()), handler_(handler)
    {
        boost::system::error_code ignored;
        socket_.set_option(boost::asio::ip::tcp::no_delay(true), ignored);
    }

    void start()
    {
        await_request();
        read();
    }

    /// Sends a whole response. `headers` are further header lines, each with its CRLF.
    void respond(int status, std::string_view content_type, std::string_view body,
                 std::string_view headers = {})
    {
        append_head(out_, status, keep_alive_);
        if (!content_type.empty())
            out_.append("Content-Type: ").append(content_type).append("\r\n");
        out_.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n").append(headers);
        out_ += "\r\n";
        if (!head_only_)
            out_ += body;
        end_response();
    }

    /// Begins a response of unknown length.
    void begin_stream(std::string_view content_type)
    {
        chunked_ = http_minor_ >= 1;
        keep_alive_ = keep_alive_ && chunked_;
        append_head(out_, 200, keep_alive_);
        out_.append("Content-Type: ").append(content_type).append("\r\nCache-Control: no-cache\r\n");
        if (chunked_)
            out_ += "Transfer-Encoding: chunked\r\n";
        out_ += "\r\n";
        write();
    }

    /// Sends the next part of a response of unknown length.
    void stream(std::string_view part)
    {
        if (part.empty() || state_ == State::closed)
            return;
        if (chunked_)
            append_chunk(out_, part);
        else
            out_ += part;
        if (out_.size() > max_unsent_bytes)
            return lose();
        write();
    }

    /// Ends a response of unknown length.
    void end_stream()
    {
        if (chunked_)
            out_ += last_chunk;
        end_response();
    }

    /// Closes the connection once what was sent so far is out, though the response is not complete.
    void cut()
    {
        keep_alive_ = false;
        end_response();
    }

    /// Closes the connection now; the handler hears nothing more of it.
    void close()
    {
        state_ = State::closed;
        boost::system::error_code ignored;
        deadline_.cancel();
        socket_.close(ignored);
    }

    /// The handler's name for what this connection waits for; 0 when for nothing.
    std::uint64_t waits_for = 0;

private:
    enum class State { reading, responding, closing, closed };
    using ErrorCode = boost::system::error_code;

    void await_request()
    {
        state_ = State::reading;
        parser_.reset();
        close_after(request_deadline);
    }

    void close_after(std::chrono::seconds delay)
    {
        deadline_.expires_after(delay);
        deadline_.async_wait([self = shared_from_this()](const ErrorCode& error) {
            if (!error && self->state_ != State::responding)
                self->close();
        });
    }

    void read()
    {
        if (reading_ || state_ == State::closed || buffer_.size() >= max_pipelined_bytes)
            return;
        reading_ = true;
        socket_.async_read_some(buffer_.prepare(max_pipelined_bytes),
                                [self = shared_from_this()](const ErrorCode& error, std::size_t bytes) {
                                    self->reading_ = false;
                                    self->on_read(error, bytes);
                                });
    }

    void on_read(const ErrorCode& error, std::size_t bytes)
    {
        if (state_ == State::closed)
            return;
        if (error) {
            const bool answer_due = state_ == State::responding;
            close();
            if (answer_due)
                handler_.on_gone(*this);
            return;
        }
        buffer_.commit(bytes);
        if (state_ == State::closing)
            buffer_.consume(buffer_.size());
        if (state_ == State::reading)
            parse();
        read();
    }

    void parse()
    {
        while (state_ == State::reading && buffer_.size() > 0) {
            switch (parser_.feed(buffer_)) {
            case RequestParser::Progress::need_more:
                return;
            case RequestParser::Progress::send_continue:
                out_ += "HTTP/1.1 100 Continue\r\n\r\n";
                write();
                break;
            case RequestParser::Progress::complete:
                return answer();
            case RequestParser::Progress::refused:
                state_ = State::responding;
                keep_alive_ = head_only_ = false;
                return handler_.on_bad_request(*this, parser_.status(), parser_.reason());
            }
        }
    }

    void answer()
    {
        state_ = State::responding;
        deadline_.cancel();
        const auto& request = parser_.request();
        keep_alive_ = request.keep_alive();
        head_only_ = request.method() == boost::beast::http::verb::head;
        http_minor_ = request.version() % 10;
        handler_.on_request(shared_from_this(), request);
    }

    void end_response()
    {
        ended_ = true;
        waits_for = 0;
        write();
    }

    void write()
    {
        if (writing_ || state_ == State::closed)
            return;
        if (out_.empty()) {
            if (std::exchange(ended_, false))
                after_response();
            return;
        }
        writing_ = true;
        sending_.swap(out_);
        out_.clear();
        boost::asio::async_write(socket_, boost::asio::buffer(sending_),
                                 [self = shared_from_this()](const ErrorCode& error, std::size_t) {
                                     self->writing_ = false;
                                     if (error)
                                         self->lose();
                                     else
                                         self->write();
                                 });
    }

    void after_response()
    {
        if (keep_alive_) {
            await_request();
            parse();
            return read();
        }
        // Closing with unread bytes would reset the connection and could take the response with it.
        state_ = State::closing;
        ErrorCode ignored;
        socket_.shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
        buffer_.consume(buffer_.size());
        close_after(linger);
        read();
    }

    void lose()
    {
        if (state_ == State::closed)
            return;
        close();
        boost::asio::post(socket_.get_executor(),
                          [self = shared_from_this()] { self->handler_.on_gone(*self); });
    }

    boost::asio::ip::tcp::socket socket_;
    boost::asio::steady_timer deadline_;
    Handler& handler_;
    boost::beast::flat_buffer buffer_;
    RequestParser parser_;
    std::string out_;
    std::string sending_;
    State state_ = State::reading;
    unsigned http_minor_ = 1;
    bool reading_ = false;
    bool writing_ = false;
    bool keep_alive_ = true;
    bool head_only_ = false;
    bool chunked_ = true;
    bool ended_ = false;
};

} // namespace slo::sim

#endif
