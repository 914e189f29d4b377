// SPDX-License-Identifier: MIT
// JSON Lines: a reader that takes pipes and hostile bytes, a writer that flushes each line.

#ifndef SLO_IO_JSONL_HPP
#define SLO_IO_JSONL_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/io/fd.hpp>

#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo::io {

/// Hands out the lines of a file or pipe one by one, as soon as each is there. Only LF ends a line; a CR
/// before it, a BOM at the start of the file and a missing last LF are accepted.
class LineReader {
public:
    /// No line is longer than this; a longer one is an InputError.
    static constexpr std::size_t max_line_bytes = std::size_t{256} << 20;

    /// Opens `path` ("-" is stdin). Throws IoError.
    explicit LineReader(const std::string& path) : LineReader(open_input(path), display_name(path)) {}
    LineReader(Fd fd, std::string name) : fd_(std::move(fd)), name_(std::move(name)) {}

    /// The same, but once `stop_fd` is readable the input looks ended after its last whole line; the writer
    /// of a FIFO is waited for in next(). Throws IoError.
    LineReader(const std::string& path, int stop_fd)
        : LineReader(open_input_at_once(path), display_name(path))
    {
        stop_fd_ = stop_fd;
    }

    /// Who is told of the reading, beside those who get the lines.
    struct Observer {
        std::function<void()> before_read;              ///< the source may now make us wait
        std::function<void(std::string_view)> on_bytes; ///< all bytes of the source, in order
    };
    void observe(Observer observer) { observer_ = std::move(observer); }

    /// The next line without its end, or nothing at the end of the file; valid until the next call.
    /// Throws IoError, or InputError for a line that is too long.
    std::optional<std::string_view> next()
    {
        for (;;) {
            const auto end = buffer_.find('\n', scanned_);
            if (end != std::string::npos)
                return take(end, end + 1);
            scanned_ = buffer_.size();
            if (scanned_ - begin_ > max_line_bytes)
                throw InputError(name_, line_ + 1, "line longer than 256 MiB");
            if (at_end_ || !fill()) {
                at_end_ = true;
                if (begin_ == buffer_.size())
                    return std::nullopt;
                return take(buffer_.size(), buffer_.size());
            }
        }
    }

    /// The 1-based number of the line handed out last, and how many bytes of the source stand before it.
    std::size_t line() const noexcept { return line_; }
    std::uint64_t offset() const noexcept { return offset_; }
    const std::string& name() const noexcept { return name_; }

    /// An error about the line handed out last, "file:line: reason".
    InputError error(std::string_view reason) const { return {name_, line_, reason}; }

private:
    std::string_view take(std::size_t end, std::size_t next)
    {
        std::string_view line(buffer_.data() + begin_, end - begin_);
        if (++line_ == 1 && line.starts_with("\xEF\xBB\xBF"))
            line.remove_prefix(3);
        offset_ = buffer_offset_ + static_cast<std::uint64_t>(line.data() - buffer_.data());
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        begin_ = scanned_ = next;
        return line;
    }

    bool fill()
    {
        if (begin_ > 0) {
            buffer_.erase(0, begin_);
            buffer_offset_ += begin_;
            scanned_ -= begin_;
            begin_ = 0;
        }
        if (stop_fd_ >= 0 && stopped()) {
            buffer_.clear(); // half a line is no line
            scanned_ = 0;
            return false;
        }
        const auto old_size = buffer_.size();
        const auto block = std::max<std::size_t>(65536, old_size);
        buffer_.resize(old_size + block);
        if (observer_.before_read)
            observer_.before_read();
        const auto got = read_some(fd_, buffer_.data() + old_size, block, name_);
        buffer_.resize(old_size + got);
        if (observer_.on_bytes)
            observer_.on_bytes(std::string_view(buffer_).substr(old_size));
        return got > 0;
    }

    bool stopped() const
    {
        pollfd watched[2] = {{stop_fd_, POLLIN, 0}, {fd_.get(), POLLIN, 0}};
        while (::poll(watched, 2, -1) < 0) {
            if (errno != EINTR)
                throw IoError(name_, errno);
        }
        return watched[0].revents != 0;
    }

    Fd fd_;
    int stop_fd_ = -1;
    Observer observer_;
    std::string name_;
    std::string buffer_;
    std::uint64_t buffer_offset_ = 0; // of its first byte, in the source
    std::size_t begin_ = 0;
    std::size_t scanned_ = 0;
    std::size_t line_ = 0;
    std::uint64_t offset_ = 0;
    bool at_end_ = false;
};

/// The next line that is not blank as a JSON object, or nothing at the end. Throws InputError
/// ("file:line: reason") for a line that is no JSON object.
inline std::optional<json::object> next_object(LineReader& reader)
{
    while (const auto line = reader.next()) {
        if (trim(*line).empty())
            continue;
        try {
            auto value = parse_json(*line);
            if (!value.is_object())
                throw JsonError("not a JSON object");
            return std::move(value.get_object());
        } catch (const JsonError& error) {
            throw reader.error(error.what());
        }
    }
    return std::nullopt;
}

/// Writes records, one line each, handed to the system before write() returns.
class JsonlWriter {
public:
    /// Opens `path` ("-" is stdout). Throws IoError.
    explicit JsonlWriter(const std::string& path, OpenMode mode = OpenMode::truncate)
        : fd_(open_output(path, mode)), name_(path == "-" ? "<stdout>" : path)
    {
    }

    /// Throws ClosedPipe or IoError.
    void write(const json::object& record) { write_text(to_json(record) + '\n'); }

    /// For poll.
    int fd() const noexcept { return fd_.get(); }

    /// Any other text, as it stands.
    void write_text(std::string_view text)
    {
        if (give_up_fd_ < 0)
            return write_all(fd_, text, name_);
        while (!text.empty()) {
            wait_for_reader();
            const auto block = text.substr(0, PIPE_BUF); // as much as a ready pipe takes without waiting
            write_all(fd_, block, name_);
            text.remove_prefix(block.size());
        }
    }

    /// Once `fd` is readable, a reader that takes nothing for a second counts as gone: ClosedPipe, from then
    /// on.
    void give_up_when_readable(int fd)
    {
        struct stat status {};
        if (::fstat(fd_.get(), &status) == 0 && !S_ISREG(status.st_mode)) // a file's write stays one write
            give_up_fd_ = fd;
    }

private:
    void wait_for_reader()
    {
        pollfd watched[2] = {{fd_.get(), POLLOUT, 0}, {give_up_fd_, POLLIN, 0}};
        while (!reader_gone_) {
            const bool giving_up = watched[1].revents != 0;
            const int ready = ::poll(watched, giving_up ? 1 : 2, giving_up ? 1000 : -1);
            if (ready < 0 && errno != EINTR)
                throw IoError(name_, errno);
            if (ready > 0 && watched[0].revents != 0)
                return;
            reader_gone_ = ready == 0;
        }
        throw ClosedPipe();
    }

    Fd fd_;
    int give_up_fd_ = -1;
    bool reader_gone_ = false;
    std::string name_;
};

} // namespace slo::io

#endif
