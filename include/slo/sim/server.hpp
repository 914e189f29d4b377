// SPDX-License-Identifier: MIT
// Listens, accepts, and ends in order.

#ifndef SLO_SIM_SERVER_HPP
#define SLO_SIM_SERVER_HPP

#include <slo/base/error.hpp>
#include <slo/io/fd.hpp>
#include <slo/io/signals.hpp>
#include <slo/sim/connection.hpp>
#include <slo/sim/service.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace slo::sim {

/// Where a server listens.
struct Listen {
    std::string host = "127.0.0.1";
    std::uint16_t port = 8000; ///< 0: one that is free
};

/// Writes the port so that a reader sees all of it or no file. Throws IoError.
inline void write_port_file(const std::string& path, std::uint16_t port)
{
    const auto draft = path + ".tmp";
    io::write_all(io::open_output(draft), std::to_string(port) + "\n", draft);
    if (std::rename(draft.c_str(), path.c_str()) != 0)
        throw IoError(path, errno);
}

/// Serves on one thread until SIGINT or SIGTERM comes; then connections are closed as they are.
class Server {
public:
    /// Binds and listens. Throws Error when the address cannot be had, UsageError for options that make no
    /// sense.
    Server(const Listen& listen, ServiceOptions options)
        : context_(1), service_(context_, std::move(options)), acceptor_(context_), retry_(context_),
          stopped_(context_)
    {
        const auto where = listen.host + ":" + std::to_string(listen.port);
        try {
            boost::asio::ip::tcp::resolver resolver(context_);
            const auto endpoint = resolver.resolve(listen.host, std::to_string(listen.port))->endpoint();
            acceptor_.open(endpoint.protocol());
            acceptor_.set_option(boost::asio::ip::tcp::acceptor::reuse_address(true));
            acceptor_.bind(endpoint);
            acceptor_.listen(4096);
        } catch (const boost::system::system_error& error) {
            throw Error(where, error.code().message());
        }
    }

    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

    /// Where clients find it, "http://127.0.0.1:8000".
    std::string url() const
    {
        const auto address = acceptor_.local_endpoint().address();
        const auto text = address.is_v6() ? "[" + address.to_string() + "]" : address.to_string();
        return "http://" + text + ":" + std::to_string(port());
    }

    /// Returns after a signal. Throws IoError.
    void run(io::StopSignal& signal)
    {
        const int descriptor = ::dup(signal.fd());
        if (descriptor < 0)
            throw IoError("signalfd", errno);
        stopped_.assign(descriptor);
        stopped_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                            [this](const boost::system::error_code&) { context_.stop(); });
        accept();
        context_.run();
        // Takes the signal out of the kernel's hands, which would deliver it once StopSignal is gone.
        signal.requested();
    }

private:
    void accept()
    {
        acceptor_.async_accept(
            [this](const boost::system::error_code& error, boost::asio::ip::tcp::socket socket) {
                if (!error)
                    std::make_shared<Connection>(std::move(socket), service_)->start();
                else if (error != boost::system::errc::connection_aborted)
                    return accept_later();
                accept();
            });
    }

    // Out of descriptors or memory: trying again at once would only spin.
    void accept_later()
    {
        retry_.expires_after(std::chrono::milliseconds(50));
        retry_.async_wait([this](const boost::system::error_code& error) {
            if (!error)
                accept();
        });
    }

    boost::asio::io_context context_;
    Service service_;
    boost::asio::ip::tcp::acceptor acceptor_;
    boost::asio::steady_timer retry_;
    boost::asio::posix::stream_descriptor stopped_;
};

} // namespace slo::sim

#endif
