// SPDX-License-Identifier: MIT
// A small HTTP server for tests that answers as told, rightly or in one of the ways in which servers go
// wrong.

#ifndef SLO_TESTS_SUPPORT_CANNED_SERVER_HPP
#define SLO_TESTS_SUPPORT_CANNED_SERVER_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/io/fd.hpp>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace slo::test {

/// One request as it came.
struct Received {
    std::string method;
    std::string path;
    std::string head; ///< request line and headers
    std::string body;
};

/// Listens on a free port of the loopback; one thread a connection. The first part of a request's path
/// chooses what becomes of it:
///   ok         an SSE answer of three tokens, with usage
///   json       the same, whole
///   busy       429 with Retry-After: 0 the first time that a request comes, by its id, then as ok
///   nousage    the stream without usage          empty     a stream with neither text nor tokens
///   error200   an error inside a 200             nofinish  a stream that ends in order without a finish
///              reason
///   cut        closed in mid-stream              reset     reset in mid-stream
///   hang       never answered                    hang4     every fourth is never answered
///   drip       head at once, then nothing        drop      closed before any answer
///   trickle    head at once, then a byte of a comment each 50 ms
///   stale      as ok, then the connection is closed without saying so
///   once       as ok for the first on a connection, which the second closes
///   garbage    no HTTP                           flood     a stream of comments without end
///   chatter    a stream of tokens without end    longline  a stream of one line without end
///   heads      a head without end                blob      a JSON body without end
///   slower     as ok, but each takes 1.2 times as long as the one before, from 20 ms
///   NNN        this status, with a JSON error
/// What is asked of /responses gets the forms of that endpoint from ok and json.
class CannedServer {
public:
    explicit CannedServer(std::function<void(const Received&)> on_request = {})
        : on_request_(std::move(on_request)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        auto* const plain = reinterpret_cast<sockaddr*>(&address);
        if (::bind(listener_.get(), plain, sizeof address) != 0 || ::listen(listener_.get(), 512) != 0 ||
            ::getsockname(listener_.get(), plain, &length) != 0)
            throw IoError("canned server", errno);
        port_ = ntohs(address.sin_port);
        acceptor_ = std::thread([this] { accept_all(); });
    }
    CannedServer(const CannedServer&) = delete;
    CannedServer& operator=(const CannedServer&) = delete;
    ~CannedServer()
    {
        stopping_ = true;
        acceptor_.join();
        for (auto& connection : connections_)
            connection.join();
    }

    /// "http://127.0.0.1:PORT/BEHAVIOUR/v1"
    std::string url(const std::string& behaviour) const
    {
        return "http://127.0.0.1:" + std::to_string(port_) + "/" + behaviour + "/v1";
    }
    int port() const noexcept { return port_; }

    /// All requests so far.
    std::vector<Received> received() const
    {
        const std::lock_guard lock(mutex_);
        return received_;
    }

    /// Connections accepted so far.
    int accepted() const noexcept { return accepted_; }

private:
    static constexpr std::string_view sse_head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

    bool readable(int fd) const
    {
        pollfd watched{fd, POLLIN, 0};
        while (!stopping_) {
            if (::poll(&watched, 1, 20) > 0)
                return true;
        }
        return false;
    }

    void accept_all()
    {
        while (readable(listener_.get())) {
            const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
            if (fd < 0)
                continue;
            ++accepted_;
            connections_.emplace_back([this, fd] { serve(io::Fd(fd)); });
        }
    }

    std::optional<Received> read_request(const io::Fd& fd, std::string& buffer) const
    {
        for (;;) {
            const auto end = buffer.find("\r\n\r\n");
            if (end != std::string::npos) {
                Received request;
                request.head = buffer.substr(0, end);
                const auto at = request.head.find("Content-Length: ");
                const auto length =
                    at == std::string::npos
                        ? 0
                        : parse_integer<std::size_t>(
                              request.head.substr(at + 16, request.head.find('\r', at) - at - 16))
                              .value_or(0);
                if (buffer.size() >= end + 4 + length) {
                    request.body = buffer.substr(end + 4, length);
                    buffer.erase(0, end + 4 + length);
                    const auto space = request.head.find(' ');
                    request.method = request.head.substr(0, space);
                    request.path =
                        request.head.substr(space + 1, request.head.find(' ', space + 1) - space - 1);
                    return request;
                }
            }
            char block[16384];
            if (!readable(fd.get()))
                return std::nullopt;
            const auto got = ::recv(fd.get(), block, sizeof block, 0);
            if (got <= 0)
                return std::nullopt;
            buffer.append(block, static_cast<std::size_t>(got));
        }
    }

    void serve(io::Fd fd)
    {
        std::string buffer;
        for (bool first = true; auto request = read_request(fd, buffer); first = false) {
            int number = 0;
            {
                const std::lock_guard lock(mutex_);
                received_.push_back(*request);
                if (on_request_)
                    on_request_(*request);
                number = request->method == "POST" ? ++posts_ : 0;
            }
            auto behaviour = request->path.substr(1, request->path.find('/', 1) - 1);
            if (behaviour == "busy")
                behaviour = is_new(*request) ? "refuse" : "ok";
            if (request->path.ends_with("/responses") && (behaviour == "ok" || behaviour == "json"))
                behaviour += " response";
            if (behaviour == "once")
                behaviour = first ? "ok" : "drop";
            const bool canned = request->method == "POST" || behaviour == "garbage" || behaviour == "drop";
            const bool go_on = canned ? answer(fd, behaviour, number)
                                      : send(fd, whole(200, "application/json", R"({"data":[]})"));
            if (!go_on)
                return;
        }
    }

    bool is_new(const Received& request)
    {
        const std::string name = "X-Request-Id: ";
        const auto at = request.head.find(name);
        const std::lock_guard lock(mutex_);
        return at != std::string::npos &&
               seen_.insert(request.head.substr(at, request.head.find('\r', at) - at)).second;
    }

    // Sends a block again and again, until the peer has had enough.
    bool send_without_end(const io::Fd& fd, std::string_view head, const std::string& block) const
    {
        for (bool more = send(fd, head); more && !stopping_;)
            more = send(fd, block);
        return false;
    }

    // False when the connection is to be closed.
    bool answer(const io::Fd& fd, const std::string& behaviour, int number)
    {
        if (behaviour == "ok" || behaviour == "stale" || (behaviour == "hang4" && number % 4 != 0))
            return send(fd, stream(tokens() + usage() + done())) && behaviour != "stale";
        if (behaviour == "nousage")
            return send(fd, stream(tokens() + done()));
        if (behaviour == "empty")
            return send(
                fd, stream(event(R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})") + done()));
        if (behaviour == "nofinish")
            return send(fd, stream(event(R"({"choices":[{"index":0,"delta":{"content":"a"}}]})")));
        if (behaviour == "error200")
            return send(fd, stream(event(R"({"error":{"message":"out of blocks","code":500}})") + done()));
        if (behaviour == "json")
            return send(
                fd, whole(200, "application/json",
                          R"({"choices":[{"index":0,"message":{"content":"abc"},"finish_reason":"stop"}],)"
                          R"("usage":{"prompt_tokens":7,"completion_tokens":3}})"));
        if (behaviour == "hang" || behaviour == "hang4")
            return wait_for_peer(fd);
        if (behaviour == "drip")
            return send(fd, std::string(sse_head)) && wait_for_peer(fd);
        if (behaviour == "garbage") {
            send(fd, "SSH-2.0-OpenSSH_9.2\r\n\r\n");
            return false;
        }
        if (behaviour == "flood")
            return send_without_end(fd, sse_head, chunk(": " + std::string(65536, 'x') + "\n"));
        if (behaviour == "longline")
            return send_without_end(fd, sse_head, chunk(std::string(65536, 'x')));
        if (behaviour == "chatter")
            return send_without_end(fd, sse_head,
                                    chunk(event(R"({"choices":[{"index":0,"delta":{"content":")" +
                                                std::string(16384, 'x') + "\"}}]}")));
        if (behaviour == "heads")
            return send_without_end(fd, "HTTP/1.1 200 OK\r\n",
                                    "X-Filling: " + std::string(4096, 'x') + "\r\n");
        if (behaviour == "blob")
            return send_without_end(fd,
                                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                    "Content-Length: 10000000000\r\n\r\n{\"id\":\"",
                                    std::string(65536, 'x'));
        if (behaviour == "trickle") {
            for (bool more = send(fd, sse_head); more && !stopping_;) {
                more = send(fd, chunk(":"));
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
            }
            return false;
        }
        if (behaviour == "slower") {
            std::this_thread::sleep_for(std::chrono::duration<double>(0.02 * std::pow(1.2, number)));
            return send(fd, stream(tokens() + usage() + done()));
        }
        if (behaviour == "refuse")
            return send(fd, "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n");
        if (behaviour == "ok response")
            return send(fd, stream(response_events()));
        if (behaviour == "json response")
            return send(fd, whole(200, "application/json", response("completed", "abc")));
        if (behaviour == "cut" || behaviour == "reset") {
            send(fd, std::string(sse_head) +
                         chunk(event(R"({"choices":[{"index":0,"delta":{"content":"a"}}]})")));
            if (behaviour == "reset") {
                const linger at_once{1, 0};
                ::setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
            }
            return false;
        }
        if (const auto status = parse_integer<int>(behaviour))
            return send(fd, whole(*status, "application/json", R"({"error":{"message":"as told"}})"));
        return false;
    }

    bool wait_for_peer(const io::Fd& fd) const
    {
        char byte = 0;
        while (readable(fd.get())) {
            if (::recv(fd.get(), &byte, 1, 0) <= 0)
                break;
        }
        return false;
    }

    static bool send(const io::Fd& fd, std::string_view bytes)
    {
        while (!bytes.empty()) {
            const auto put = ::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (put <= 0)
                return false;
            bytes.remove_prefix(static_cast<std::size_t>(put));
        }
        return true;
    }

    static std::string event(std::string_view data) { return "data: " + std::string(data) + "\n\n"; }
    static std::string done() { return event("[DONE]"); }
    static std::string usage()
    {
        return event(R"({"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}})");
    }
    static std::string tokens()
    {
        return event(R"({"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]})") +
               event(R"({"choices":[{"index":0,"delta":{"content":"a"}}]})") +
               event(R"({"choices":[{"index":0,"delta":{"content":"b"}}]})") +
               event(R"({"choices":[{"index":0,"delta":{"content":"c"},"finish_reason":"stop"}]})");
    }
    static std::string response(const std::string& status, const std::string& text)
    {
        return R"({"id":"resp_1","object":"response","status":")" + status +
               R"(","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":")" +
               text + R"("}]}],"usage":{"input_tokens":7,"output_tokens":3,"total_tokens":10}})";
    }
    static std::string response_events()
    {
        const auto delta = [](const std::string& text) {
            return "event: response.output_text.delta\n" +
                   event(
                       R"({"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":")" +
                       text + "\"}");
        };
        return "event: response.created\n" +
               event(R"({"type":"response.created","response":{"id":"resp_1","status":"in_progress"}})") +
               delta("a") + delta("b") + delta("c") + "event: response.completed\n" +
               event(R"({"type":"response.completed","response":)" + response("completed", "abc") + "}");
    }
    static std::string chunk(std::string_view bytes)
    {
        char size[24];
        const auto end = std::to_chars(size, size + sizeof size, bytes.size(), 16).ptr;
        return std::string(size, end) + "\r\n" + std::string(bytes) + "\r\n";
    }
    static std::string stream(std::string_view events)
    {
        return std::string(sse_head) + chunk(events) + "0\r\n\r\n";
    }
    static std::string whole(int status, std::string_view type, std::string_view body)
    {
        return "HTTP/1.1 " + std::to_string(status) + " As Told\r\nContent-Type: " + std::string(type) +
               "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
    }

    std::function<void(const Received&)> on_request_;
    io::Fd listener_;
    int port_ = 0;
    mutable std::mutex mutex_;
    std::vector<Received> received_;
    std::set<std::string> seen_; // ids of requests
    int posts_ = 0;
    std::atomic<int> accepted_{0};
    std::atomic<bool> stopping_{false};
    std::vector<std::thread> connections_;
    std::thread acceptor_;
};

} // namespace slo::test

#endif
