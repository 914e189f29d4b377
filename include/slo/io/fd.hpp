// SPDX-License-Identifier: MIT
// File descriptors that close themselves, and reads and writes that finish what they begin.

#ifndef SLO_IO_FD_HPP
#define SLO_IO_FD_HPP

#include <slo/base/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace slo::io {

/// Owns one file descriptor; standard streams are borrowed, never closed.
class Fd {
public:
    Fd() = default;
    explicit Fd(int fd) : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd& operator=(Fd&& other) noexcept
    {
        std::swap(fd_, other.fd_);
        return *this;
    }
    Fd(const Fd&) = delete;
    Fd& operator=(const Fd&) = delete;
    ~Fd()
    {
        if (fd_ > STDERR_FILENO)
            ::close(fd_);
    }

    int get() const noexcept { return fd_; }
    explicit operator bool() const noexcept { return fd_ >= 0; }

private:
    int fd_ = -1;
};

/// Fills the standard streams that our parent left closed, so that no file we open later takes their number
/// and is written to as stdout. They are filled with what fails on use, as a closed one would.
inline void fill_standard_streams() noexcept
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
        if (::fcntl(fd, F_GETFD) < 0)
            ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
}

/// What a file argument is called in messages: "-" is "<stdin>".
inline std::string display_name(const std::string& path)
{
    return path == "-" ? "<stdin>" : path;
}

/// Opens a file for reading; "-" is standard input. Throws IoError.
inline Fd open_input(const std::string& path)
{
    if (path == "-")
        return Fd(STDIN_FILENO);
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        throw IoError(path, errno);
    return Fd(fd);
}

/// Like open_input(), but does not wait for the writer of a FIFO: poll() then does, before the first read.
inline Fd open_input_at_once(const std::string& path)
{
    if (path == "-")
        return Fd(STDIN_FILENO);
    Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd || ::fcntl(fd.get(), F_SETFL, 0) != 0)
        throw IoError(path, errno);
    return fd;
}

/// How an output file is opened.
enum class OpenMode { truncate, append };

/// Opens (creates) a file for writing; "-" is standard output. Throws IoError.
inline Fd open_output(const std::string& path, OpenMode mode = OpenMode::truncate)
{
    if (path == "-")
        return Fd(STDOUT_FILENO);
    const int how = mode == OpenMode::append ? O_APPEND : O_TRUNC;
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | how, 0666);
    if (fd < 0)
        throw IoError(path, errno);
    return Fd(fd);
}

/// Reads at most `size` bytes; 0 is the end. Goes on after a signal. Throws IoError naming `name`.
inline std::size_t read_some(const Fd& fd, char* data, std::size_t size, std::string_view name)
{
    for (;;) {
        const auto got = ::read(fd.get(), data, size);
        if (got >= 0)
            return static_cast<std::size_t>(got);
        if (errno != EINTR)
            throw IoError(name, errno);
    }
}

/// Writes all of `data`. Goes on after a signal or a short write. Throws ClosedPipe or IoError.
inline void write_all(const Fd& fd, std::string_view data, std::string_view name)
{
    while (!data.empty()) {
        const auto put = ::write(fd.get(), data.data(), data.size());
        if (put >= 0) {
            data.remove_prefix(static_cast<std::size_t>(put));
        } else if (errno == EPIPE) {
            throw ClosedPipe();
        } else if (errno != EINTR) {
            throw IoError(name, errno);
        }
    }
}

/// The whole of a file or pipe, at most `limit_bytes`. Throws IoError, or InputError above the limit.
inline std::string read_all(const std::string& path, std::size_t limit_bytes)
{
    const auto name = display_name(path);
    const auto fd = open_input(path);
    std::string text;
    char block[65536];
    while (const auto got = read_some(fd, block, sizeof block, name)) {
        if (text.size() + got > limit_bytes)
            throw InputError(name, "larger than " + std::to_string(limit_bytes) + " bytes");
        text.append(block, got);
    }
    return text;
}

} // namespace slo::io

#endif
