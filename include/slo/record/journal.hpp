// SPDX-License-Identifier: MIT
// The journal of a search: an append-only file that survives a crash and belongs to one process at a time.

#ifndef SLO_RECORD_JOURNAL_HPP
#define SLO_RECORD_JOURNAL_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/io/fd.hpp>
#include <slo/record/search.hpp>
#include <slo/record/search_log.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace slo::record {

/// A journal open for appending, locked against every other process. Nothing in the file changes before the
/// first append(), so a search that turns out to be another one leaves it as it was.
class Journal {
public:
    /// No journal is larger than this.
    static constexpr std::size_t max_bytes = std::size_t{1} << 30;

    /// Opens or creates `path`, waits at most `patience_s` for its lock, and reads it. Throws IoError, Error
    /// where another search holds it or it is no regular file, InputError where it is no journal.
    explicit Journal(const std::string& path, double patience_s = 3) : path_(path)
    {
        fd_ = io::Fd(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666));
        if (!fd_)
            throw IoError(path, errno);
        struct stat status {};
        if (::fstat(fd_.get(), &status) != 0)
            throw IoError(path, errno);
        if (!S_ISREG(status.st_mode))
            throw Error(path, "not a regular file");
        lock(patience_s);
        read();
    }

    /// What the journal held when it was opened.
    const SearchLog& log() const noexcept { return read_.log; }

    /// Bytes of a torn last line, which the first append() cuts off.
    std::size_t torn_bytes() const noexcept { return read_.torn_bytes; }

    /// Adds one record; it is on the disk when this returns. Throws IoError.
    void append(const json::object& record)
    {
        if (!std::exchange(repaired_, true))
            repair();
        io::write_all(fd_, to_json(record) + '\n', path_);
        if (::fdatasync(fd_.get()) != 0)
            throw IoError(path_, errno);
    }

private:
    void lock(double patience_s)
    {
        const auto deadline_ns = monotonic_ns() + to_ns(patience_s);
        while (::flock(fd_.get(), LOCK_EX | LOCK_NB) != 0) {
            if (errno != EWOULDBLOCK && errno != EINTR)
                throw IoError(path_, errno);
            if (monotonic_ns() >= deadline_ns)
                throw Error(path_, "in use by another search");
            const timespec pause{0, 50'000'000};
            ::nanosleep(&pause, nullptr);
        }
    }

    void read()
    {
        std::string text;
        char block[65536];
        while (const auto got = io::read_some(fd_, block, sizeof block, path_)) {
            if (text.size() + got > max_bytes)
                throw InputError(path_, "larger than 1 GiB");
            text.append(block, got);
        }
        read_ = read_search_log(text, path_);
        if (text.empty() || read_.log.settings)
            return;
        // Only a start record cut short may be thrown away; any other text is somebody else's file.
        const auto start = to_json(search_event("start"));
        const std::string_view known(start.data(), start.size() - 1);
        const auto fragment = std::string_view(text).substr(0, known.size());
        if (read_.whole_bytes != 0 || !known.starts_with(fragment))
            throw InputError(path_, "not the journal of a search");
    }

    void repair()
    {
        if (read_.torn_bytes > 0 && ::ftruncate(fd_.get(), static_cast<off_t>(read_.whole_bytes)) != 0)
            throw IoError(path_, errno);
        if (!read_.ends_in_lf)
            io::write_all(fd_, "\n", path_);
        const auto slash = path_.rfind('/');
        const auto folder = slash == std::string::npos ? std::string(".") : path_.substr(0, slash + 1);
        const io::Fd directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (directory)
            ::fsync(directory.get());
    }

    std::string path_;
    io::Fd fd_;
    SearchLogText read_;
    bool repaired_ = false;
};

} // namespace slo::record

#endif
