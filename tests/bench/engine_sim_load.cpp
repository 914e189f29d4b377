// SPDX-License-Identifier: MIT
// Opens many streaming completions against a server at once and counts what comes back:
// engine_sim_load PORT STREAMS TOKENS. Prints "CHUNKS SECONDS" over all streams.

#include <slo/base/clock.hpp>
#include <slo/base/text.hpp>
#include <slo/io/fd.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace slo;

constexpr std::string_view end_of_event = "\n\n";

struct Stream {
    io::Fd socket;
    char last = 0; // the last byte seen, as an event's end may be cut between two reads
};

io::Fd open_stream(std::uint16_t port, int tokens)
{
    io::Fd socket(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        throw IoError("connect", errno);
    const auto body =
        "{\"messages\":[{\"role\":\"user\",\"content\":\"go on\"}],\"stream\":true,\"max_tokens\":" +
        std::to_string(tokens) + "}";
    io::write_all(
        socket,
        "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: " +
            std::to_string(body.size()) + "\r\n\r\n" + body,
        "socket");
    return socket;
}

std::int64_t count_events(Stream& stream, std::string_view bytes)
{
    std::int64_t count = stream.last == '\n' && bytes.starts_with('\n');
    for (auto at = bytes.find(end_of_event); at != std::string_view::npos;
         at = bytes.find(end_of_event, at + 2))
        ++count;
    stream.last = bytes.back();
    return count;
}

void run(std::uint16_t port, int streams, int tokens)
{
    const io::Fd poll(::epoll_create1(EPOLL_CLOEXEC));
    std::vector<Stream> all(static_cast<std::size_t>(streams));
    const auto start_ns = monotonic_ns();
    for (auto& stream : all) {
        stream.socket = open_stream(port, tokens);
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.ptr = &stream;
        ::epoll_ctl(poll.get(), EPOLL_CTL_ADD, stream.socket.get(), &event);
    }
    std::int64_t events = 0;
    std::vector<char> block(1 << 18);
    for (int open = streams; open > 0;) {
        epoll_event ready[64];
        const int count = ::epoll_wait(poll.get(), ready, 64, 30000);
        if (count <= 0)
            throw Error("server", "silent for 30 s");
        for (int i = 0; i < count; ++i) {
            auto& stream = *static_cast<Stream*>(ready[i].data.ptr);
            const auto got = io::read_some(stream.socket, block.data(), block.size(), "socket");
            if (got > 0) {
                events += count_events(stream, {block.data(), got});
                continue;
            }
            ::epoll_ctl(poll.get(), EPOLL_CTL_DEL, stream.socket.get(), nullptr);
            --open;
        }
    }
    std::printf("%lld %s\n", static_cast<long long>(events),
                format_fixed(to_seconds(monotonic_ns() - start_ns), 3).c_str());
}

} // namespace

int main(int argc, char** argv)
{
    try {
        if (argc != 4)
            throw UsageError("three numbers are needed: PORT STREAMS TOKENS");
        run(parse_integer<std::uint16_t>(argv[1]).value(), parse_integer<int>(argv[2]).value(),
            parse_integer<int>(argv[3]).value());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "engine_sim_load: %s\n", error.what());
        return 3;
    }
}
