// SPDX-License-Identifier: MIT
// An HTTP/1.1 server that costs next to nothing, for measuring clients: every POST is answered with one
// streamed chat completion in vLLM's bytes, at once or at exact times; every GET with a list of one model.
// It says what it really did: SIGUSR1 prints a record and counts anew, SIGTERM prints it and ends.

#include <slo/base/clock.hpp>
#include <slo/base/json.hpp>
#include <slo/cli/main.hpp>
#include <slo/io/fd.hpp>
#include <slo/io/jsonl.hpp>
#include <slo/stats/quantile.hpp>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {
using namespace slo;

struct Options {
    std::uint16_t port = 0;
    int tokens = 50;
    std::optional<double> ttft_ms;
    double itl_ms = 10;
    bool spin = false;
};

void describe(cli::OptionTable& table, Options& o)
{
    table.add("port,p", o.port, "PORT", "on 127.0.0.1; 0 takes a free one; printed on stdout");
    table.add("tokens", o.tokens, "COUNT", "content chunks of an answer");
    table.add("ttft-ms", o.ttft_ms, "MS", "first chunk so long after the request came; unset: all at once");
    table.add("itl-ms", o.itl_ms, "MS", "between chunks, with --ttft-ms");
    table.flag("spin", o.spin, "never sleep, so that no client pays for waking the server");
}

std::string as_chunk(const std::string& data)
{
    char size[16];
    std::snprintf(size, sizeof size, "%zx\r\n", data.size());
    return size + data + "\r\n";
}

std::string event(const std::string& choices, const std::string& rest = "")
{
    return as_chunk("data: {\"id\":\"chatcmpl-7c1f0a52d3e94b6f8a90b1c2d3e4f506\",\"object\":"
                    "\"chat.completion.chunk\",\"created\":1767225600,\"model\":\"null\",\"choices\":[" +
                    choices + "]" + rest + "}\n\n");
}

std::string choice(const std::string& delta, const std::string& finish)
{
    return "{\"index\":0,\"delta\":{" + delta + "},\"logprobs\":null,\"finish_reason\":" + finish + "}";
}

// An answer in the parts that are sent at one moment each: with the first token the head, with the last the
// end of the stream.
std::vector<std::string> make_answer(int tokens)
{
    static const char* const words[] = {" the", " of",       " a",      " queue",  " latency", " is",
                                        ",",    " requests", ".\\n\\n", " größer", " and",     " serve"};
    std::vector<std::string> parts;
    for (int i = 0; i < tokens; ++i)
        parts.push_back(
            event(choice(std::string("\"content\":\"") + words[i % std::size(words)] + "\"", "null")));
    parts.front() = "HTTP/1.1 200 OK\r\ndate: Thu, 01 Jan 2026 00:00:00 GMT\r\nserver: null\r\n"
                    "content-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n" +
                    event(choice("\"role\":\"assistant\",\"content\":\"\"", "null")) + parts.front();
    parts.back() +=
        event(choice("\"content\":\"\"", "\"length\",\"stop_reason\":null")) +
        event("", ",\"usage\":{\"prompt_tokens\":16,\"total_tokens\":" + std::to_string(16 + tokens) +
                      ",\"completion_tokens\":" + std::to_string(tokens) + "}") +
        as_chunk("data: [DONE]\n\n") + "0\r\n\r\n";
    return parts;
}

std::string model_list()
{
    const std::string body =
        R"({"object":"list","data":[{"id":"null","object":"model","max_model_len":131072}]})";
    return "HTTP/1.1 200 OK\r\nserver: null\r\ncontent-type: application/json\r\ncontent-length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
}

// Numbers kept one by one, so that quantiles are exact. The space is reserved, as copying it while it grows
// would delay what is to be sent.
class Samples {
public:
    Samples() { values_.reserve(std::size_t{1} << 24); }
    void add(double value)
    {
        if (values_.size() < values_.capacity())
            values_.push_back(static_cast<float>(value));
    }
    json::value take()
    {
        std::vector<double> sorted(values_.begin(), values_.end());
        values_.clear();
        if (sorted.empty())
            return nullptr;
        std::sort(sorted.begin(), sorted.end());
        const auto at = [&](double q) { return stats::quantile_sorted(sorted, q); };
        return json::object{{"count", sorted.size()},
                            {"p50", at(0.5)},
                            {"p90", at(0.9)},
                            {"p99", at(0.99)},
                            {"max", sorted.back()}};
    }

private:
    std::vector<float> values_;
};

struct Connection {
    io::Fd socket;
    std::uint32_t generation = 0;
    std::string in;
    std::string unsent;
    std::int64_t arrived_ns = 0; // of the request that is being answered
    std::int64_t sent_ns = 0;    // of the part sent last
    int next_part = -1;          // of the answer; negative between answers
    bool close_after = false;
};

struct Due {
    std::int64_t at_ns;
    int fd;
    std::uint32_t generation;
    bool operator>(const Due& other) const noexcept { return at_ns > other.at_ns; }
};

class NullServer {
public:
    explicit NullServer(const Options& o)
        : paced_(o.ttft_ms.has_value()), spins_(o.spin), ttft_ns_(to_ns(o.ttft_ms.value_or(0) * 1e-3)),
          itl_ns_(to_ns(o.itl_ms * 1e-3)), parts_(make_answer(o.tokens)),
          epoll_(::epoll_create1(EPOLL_CLOEXEC)), out_("-")
    {
        for (const auto& part : parts_)
            whole_ += part;
        ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
        watch_signals();
        listen(o.port);
    }

    void run()
    {
        epoll_event events[256];
        while (!stopped_) {
            const int count = wait(events, std::size(events));
            for (int i = 0; i < count; ++i)
                handle(events[i]);
            send_due();
        }
        report();
    }

private:
    static constexpr std::size_t largest_request_bytes = std::size_t{16} << 20;

    void watch(int fd, std::uint32_t events, int operation = EPOLL_CTL_ADD)
    {
        epoll_event event{};
        event.events = events;
        event.data.fd = fd;
        if (::epoll_ctl(epoll_.get(), operation, fd, &event) != 0)
            throw IoError("epoll", errno);
    }

    void watch_signals()
    {
        sigset_t set;
        ::sigemptyset(&set);
        for (const int signal : {SIGINT, SIGTERM, SIGUSR1})
            ::sigaddset(&set, signal);
        ::sigprocmask(SIG_BLOCK, &set, nullptr);
        signals_ = io::Fd(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
        watch(signals_.get(), EPOLLIN);
    }

    void listen(std::uint16_t port)
    {
        listener_ = io::Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        const int on = 1;
        ::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        // The system's choice may pace what it sends by a model of a network, which is not what is measured
        // here.
        ::setsockopt(listener_.get(), IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        auto* const plain = reinterpret_cast<sockaddr*>(&address);
        if (::bind(listener_.get(), plain, sizeof address) != 0 || ::listen(listener_.get(), 4096) != 0 ||
            ::getsockname(listener_.get(), plain, &length) != 0)
            throw IoError("listen", errno);
        watch(listener_.get(), EPOLLIN);
        out_.write_text(std::to_string(ntohs(address.sin_port)) + "\n");
    }

    int wait(epoll_event* events, int most)
    {
        timespec timeout{};
        if (!spins_ && !due_.empty()) {
            const auto left_ns = std::max<std::int64_t>(due_.top().at_ns - monotonic_ns(), 0);
            timeout.tv_sec = left_ns / 1'000'000'000;
            timeout.tv_nsec = left_ns % 1'000'000'000;
        }
        const int count =
            ::epoll_pwait2(epoll_.get(), events, most, due_.empty() && !spins_ ? nullptr : &timeout, nullptr);
        if (count < 0 && errno != EINTR)
            throw IoError("epoll", errno);
        return std::max(count, 0);
    }

    void handle(const epoll_event& event)
    {
        if (event.data.fd == listener_.get())
            return accept_all();
        if (event.data.fd == signals_.get())
            return take_signals();
        auto& connection = *connections_[static_cast<std::size_t>(event.data.fd)];
        if ((event.events & EPOLLOUT) != 0 && !flush(connection))
            return;
        if ((event.events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0)
            receive(connection);
    }

    void accept_all()
    {
        for (;;) {
            io::Fd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
            if (!socket)
                return;
            const int on = 1;
            ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            if (paced_)
                ::setsockopt(socket.get(), SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
            const auto index = static_cast<std::size_t>(socket.get());
            if (index >= connections_.size())
                connections_.resize(index + 1);
            auto& slot = connections_[index];
            if (!slot)
                slot = std::make_unique<Connection>();
            watch(socket.get(), EPOLLIN);
            slot->socket = std::move(socket);
            most_open_ = std::max(most_open_, ++open_);
            ++accepted_;
        }
    }

    void close(Connection& connection)
    {
        broken_ += connection.next_part >= 0 || !connection.unsent.empty();
        Connection fresh;
        fresh.generation = connection.generation + 1;
        std::swap(connection, fresh);
        --open_;
    }

    // The kernel's own moment of arrival where it gives one: a late look at the socket must not shift it.
    void receive(Connection& connection)
    {
        iovec block{buffer_, sizeof buffer_};
        alignas(cmsghdr) char control[64];
        msghdr message{};
        message.msg_iov = &block;
        message.msg_iovlen = 1;
        message.msg_control = paced_ ? control : nullptr;
        message.msg_controllen = paced_ ? sizeof control : 0;
        const auto got = ::recvmsg(connection.socket.get(), &message, MSG_DONTWAIT);
        if (got <= 0) {
            if (got == 0 || (errno != EAGAIN && errno != EINTR))
                close(connection);
            return;
        }
        if (connection.in.size() + static_cast<std::size_t>(got) > largest_request_bytes)
            return close(connection);
        connection.in.append(buffer_, static_cast<std::size_t>(got));
        if (paced_)
            connection.arrived_ns = arrival_ns(message);
        take_request(connection);
    }

    static std::int64_t arrival_ns(msghdr& message)
    {
        const auto now_ns = monotonic_ns();
        for (auto* part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
            if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPNS)
                continue;
            timespec stamp{}, wall{};
            std::memcpy(&stamp, CMSG_DATA(part), sizeof stamp);
            ::clock_gettime(CLOCK_REALTIME, &wall);
            const auto ago_ns =
                (wall.tv_sec - stamp.tv_sec) * std::int64_t{1'000'000'000} + wall.tv_nsec - stamp.tv_nsec;
            return now_ns - std::clamp<std::int64_t>(ago_ns, 0, 1'000'000'000);
        }
        return now_ns;
    }

    // Answers the request that stands first in the input, if it is whole and no other is being answered.
    void take_request(Connection& connection)
    {
        while (connection.next_part < 0) {
            const auto head_end = connection.in.find("\r\n\r\n");
            if (head_end == std::string::npos)
                return;
            const auto head = std::string_view(connection.in).substr(0, head_end + 2);
            const auto body_bytes = parse_integer<std::size_t>(header(head, "content-length").value_or("0"));
            if (!body_bytes || *body_bytes > largest_request_bytes)
                return close(connection);
            const auto request_bytes = head_end + 4 + *body_bytes;
            if (connection.in.size() < request_bytes)
                return;
            const bool is_post = head.starts_with("POST ");
            connection.close_after = header(head, "connection") == "close";
            if (connection.in.size() == request_bytes)
                connection.in.clear();
            else
                connection.in.erase(0, request_bytes);
            if (!(is_post ? answer(connection) : send(connection, models_) && end_answer(connection)))
                return;
        }
    }

    static std::optional<std::string_view> header(std::string_view head, std::string_view name)
    {
        for (auto at = head.find("\r\n"); at + 2 < head.size(); at = head.find("\r\n", at + 2)) {
            const auto line = head.substr(at + 2);
            if (line.size() > name.size() && line[name.size()] == ':' &&
                ::strncasecmp(line.data(), name.data(), name.size()) == 0)
                return trim(line.substr(name.size() + 1, line.find('\r') - name.size() - 1));
        }
        return std::nullopt;
    }

    bool answer(Connection& connection)
    {
        ++requests_;
        if (!paced_) {
            ++answered_;
            return send(connection, whole_) && end_answer(connection);
        }
        connection.next_part = 0;
        due_.push({connection.arrived_ns + ttft_ns_, connection.socket.get(), connection.generation});
        return true;
    }

    void send_due()
    {
        if (due_.empty())
            return;
        auto now_ns = monotonic_ns();
        while (!due_.empty() && due_.top().at_ns <= now_ns) {
            const auto due = due_.top();
            due_.pop();
            auto& connection = *connections_[static_cast<std::size_t>(due.fd)];
            if (connection.generation == due.generation)
                send_part(connection, due.at_ns);
            now_ns = monotonic_ns();
        }
    }

    void send_part(Connection& connection, std::int64_t due_ns)
    {
        const auto now_ns = monotonic_ns();
        lateness_ms_.add(static_cast<double>(now_ns - due_ns) * 1e-6);
        if (connection.next_part == 0)
            ttft_ms_.add(static_cast<double>(now_ns - connection.arrived_ns) * 1e-6);
        else
            itl_ms_.add(static_cast<double>(now_ns - connection.sent_ns) * 1e-6);
        connection.sent_ns = now_ns;
        const auto& part = parts_[static_cast<std::size_t>(connection.next_part)];
        const bool is_last = ++connection.next_part == static_cast<int>(parts_.size());
        if (!send(connection, part))
            return;
        if (!is_last)
            return due_.push({due_ns + itl_ns_, connection.socket.get(), connection.generation});
        ++answered_;
        connection.next_part = -1;
        if (end_answer(connection))
            take_request(connection);
    }

    // These three are false once the connection is closed.
    bool send(Connection& connection, std::string_view bytes)
    {
        if (connection.unsent.empty()) {
            const auto put =
                ::send(connection.socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            if (put < 0 && errno != EAGAIN && errno != EINTR)
                return close(connection), false;
            bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(put, 0)));
            if (bytes.empty())
                return true;
            watch(connection.socket.get(), EPOLLIN | EPOLLOUT, EPOLL_CTL_MOD);
        }
        connection.unsent += bytes;
        return true;
    }

    bool flush(Connection& connection)
    {
        const auto rest = std::exchange(connection.unsent, {});
        if (!send(connection, rest))
            return false;
        if (!connection.unsent.empty())
            return true;
        watch(connection.socket.get(), EPOLLIN, EPOLL_CTL_MOD);
        return connection.next_part >= 0 || end_answer(connection);
    }

    bool end_answer(Connection& connection)
    {
        if (!connection.close_after || !connection.unsent.empty())
            return true;
        return close(connection), false;
    }

    void take_signals()
    {
        signalfd_siginfo info;
        while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
            if (info.ssi_signo == SIGUSR1)
                report();
            else
                stopped_ = true;
        }
    }

    void report()
    {
        const auto cpu_ns = process_cpu_ns();
        out_.write(json::object{{"requests", std::exchange(requests_, 0)},
                                {"answered", std::exchange(answered_, 0)},
                                {"broken", std::exchange(broken_, 0)},
                                {"connections_opened", std::exchange(accepted_, 0)},
                                {"connections_max", std::exchange(most_open_, open_)},
                                {"cpu_s", to_seconds(cpu_ns - std::exchange(reported_cpu_ns_, cpu_ns))},
                                {"send_lateness_ms", lateness_ms_.take()},
                                {"ttft_ms", ttft_ms_.take()},
                                {"itl_ms", itl_ms_.take()}});
    }

    bool paced_;
    bool spins_;
    std::int64_t ttft_ns_;
    std::int64_t itl_ns_;
    std::vector<std::string> parts_;
    std::string whole_;
    std::string models_ = model_list();
    io::Fd epoll_;
    io::Fd signals_;
    io::Fd listener_;
    io::JsonlWriter out_;
    std::vector<std::unique_ptr<Connection>> connections_; // by descriptor
    std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
    Samples lateness_ms_;
    Samples ttft_ms_;
    Samples itl_ms_;
    std::int64_t requests_ = 0;
    std::int64_t answered_ = 0;
    std::int64_t broken_ = 0;
    std::int64_t accepted_ = 0;
    std::int64_t open_ = 0;
    std::int64_t most_open_ = 0;
    std::int64_t reported_cpu_ns_ = 0;
    bool stopped_ = false;
    char buffer_[65536];
};

Exit serve(const Options& o, cli::Streams&)
{
    if (o.tokens < 1 || o.tokens > 100'000)
        throw UsageError("--tokens", "not between 1 and 100000");
    if (o.ttft_ms.value_or(0) < 0 || o.itl_ms < 0)
        throw UsageError("a time is negative");
    std::make_unique<NullServer>(o)->run();
    return Exit::ok;
}

} // namespace

int main(int argc, char** argv)
{
    return slo::cli::run_tool<Options>(
        {"null_server", "[OPTION]...", "Answers every POST with one streamed chat completion.", ""}, describe,
        serve, argc, argv);
}
