// SPDX-License-Identifier: MIT
// Serves files as whole HTTP answers, head and all, for CLI cases: file_server FOLDER. Prints its port,
// serves until it is killed. The k-th GET of /NAME is answered with NAME.k where there is such a file, else
// with NAME, and the connection is closed; where neither is there, nothing is ever answered. FOLDER/requests
// receives each request's head.

#include <slo/base/error.hpp>
#include <slo/io/fd.hpp>
#include <slo/io/jsonl.hpp>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace {
using namespace slo;

class FileServer {
public:
    explicit FileServer(std::string folder) : folder_(std::move(folder)), log_(folder_ + "/requests") {}

    [[noreturn]] void run()
    {
        const io::Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        auto* const plain = reinterpret_cast<sockaddr*>(&address);
        if (::bind(listener.get(), plain, sizeof address) != 0 || ::listen(listener.get(), 64) != 0 ||
            ::getsockname(listener.get(), plain, &length) != 0)
            throw IoError("file server", errno);
        io::JsonlWriter("-").write_text(std::to_string(ntohs(address.sin_port)) + "\n");
        for (;;) {
            const int fd = ::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC);
            if (fd >= 0)
                std::thread([this, fd] { serve(io::Fd(fd)); }).detach();
        }
    }

private:
    void serve(const io::Fd& fd)
    {
        std::string head;
        char block[4096];
        while (head.find("\r\n\r\n") == std::string::npos) {
            const auto got = ::recv(fd.get(), block, sizeof block, 0);
            if (got <= 0)
                return;
            head.append(block, static_cast<std::size_t>(got));
        }
        const auto slash = head.find('/') + 1;
        const auto name = folder_ + "/" + head.substr(slash, head.find_first_of(" ?", slash) - slash);
        std::string file;
        {
            const std::lock_guard lock(mutex_);
            log_.write_text(head);
            file = name + "." + std::to_string(++served_[name]);
        }
        if (::access(file.c_str(), R_OK) != 0)
            file = name;
        if (::access(file.c_str(), R_OK) != 0) {
            while (::recv(fd.get(), block, sizeof block, 0) > 0) {
            }
            return;
        }
        const auto answer = io::read_all(file, std::size_t{1} << 30);
        for (std::string_view rest = answer; !rest.empty();) {
            const auto put = ::send(fd.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
            if (put <= 0)
                return;
            rest.remove_prefix(static_cast<std::size_t>(put));
        }
        ::shutdown(fd.get(), SHUT_WR);
        while (::recv(fd.get(), block, sizeof block, 0) > 0) {
        }
    }

    std::string folder_;
    io::JsonlWriter log_;
    std::mutex mutex_;
    std::map<std::string, int> served_;
};
} // namespace

int main(int argc, char** argv)
{
    if (argc != 2)
        return 3;
    FileServer(argv[1]).run();
}
