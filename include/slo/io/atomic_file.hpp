// SPDX-License-Identifier: MIT
// A file that is there whole, or not at all.

#ifndef SLO_IO_ATOMIC_FILE_HPP
#define SLO_IO_ATOMIC_FILE_HPP

#include <slo/base/error.hpp>
#include <slo/io/fd.hpp>
#include <slo/io/jsonl.hpp>

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace slo::io {

/// Collects what is written beside its destination, and puts it in the place of the destination by
/// commit(); without commit() the destination stays as it was. A pipe or a device is written to at once: it
/// has no place to put a file in.
class AtomicFile {
public:
    /// `path` is "-" for stdout. Its folder must be there. Throws IoError.
    explicit AtomicFile(const std::string& path) : name_(path == "-" ? "<stdout>" : path)
    {
        struct stat info = {};
        const bool there = path != "-" && ::stat(path.c_str(), &info) == 0;
        if (path == "-" || (there && !S_ISREG(info.st_mode))) {
            stream_.emplace(path);
            return;
        }
        std::error_code error;
        // Through a symbolic link, or the link would be replaced in place of the file.
        target_ = there ? std::filesystem::canonical(path, error).string() : path;
        if (error)
            throw IoError(name_, error.value());
        partial_ = target_ + ".XXXXXX";
        fd_ = Fd(::mkostemp(partial_.data(), O_CLOEXEC));
        if (!fd_) {
            partial_.clear();
            throw IoError(name_, errno);
        }
        ::fchmod(fd_.get(), there ? info.st_mode & 0777 : 0666 & ~current_umask());
    }
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    ~AtomicFile()
    {
        if (!partial_.empty())
            ::unlink(partial_.c_str());
    }

    /// Where the text lies until commit(); empty when it is written in place, and after commit().
    const std::string& partial_path() const noexcept { return partial_; }

    /// Throws ClosedPipe or IoError.
    void write(std::string_view text)
    {
        if (stream_)
            stream_->write_text(text);
        else
            write_all(fd_, text, name_);
    }

    /// Once `fd` is readable, the reader of a pipe that takes nothing counts as gone.
    void give_up_when_readable(int fd)
    {
        if (stream_)
            stream_->give_up_when_readable(fd);
    }

    /// Puts what was written on the disk and in its place. Throws IoError.
    void commit()
    {
        if (partial_.empty())
            return;
        if (::fdatasync(fd_.get()) != 0 && errno != EINVAL && errno != EROFS)
            throw IoError(name_, errno);
        if (std::rename(partial_.c_str(), target_.c_str()) != 0)
            throw IoError(name_, errno);
        partial_.clear();
    }

private:
    static mode_t current_umask() noexcept
    {
        const auto mask = ::umask(0);
        ::umask(mask);
        return mask;
    }

    std::string name_;
    std::string target_;
    std::string partial_; // empty when written in place, and once committed
    Fd fd_;
    std::optional<JsonlWriter> stream_; // stdout, a pipe or a device
};

/// Refuses, before anything is done, a place for a copy of what goes to stdout: stdout itself, and a file
/// that cannot be made there. Nothing for an empty path, nor for a pipe, whose reader would see it open and
/// close. Throws UsageError naming `option`, and IoError.
inline void check_copy(const std::string& option, const std::string& path)
{
    struct stat info = {};
    if (path == "-")
        throw UsageError(option, "must be a file: stdout has the record");
    if (!path.empty() && (::stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)))
        AtomicFile{path};
}

} // namespace slo::io

#endif
