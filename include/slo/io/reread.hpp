// SPDX-License-Identifier: MIT
// A source that is read more than once, be it a file or a pipe.

#ifndef SLO_IO_REREAD_HPP
#define SLO_IO_REREAD_HPP

#include <slo/base/error.hpp>
#include <slo/io/fd.hpp>
#include <slo/io/jsonl.hpp>

#include <sys/stat.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace slo::io {

/// Reads a file again from where it stood first. What comes from a pipe goes, as it is read, to a file
/// without a name in the system's temporary folder (TMPDIR), and is read again from there. Outlives its
/// readers; one of them reads at a time.
class RereadSource {
public:
    /// `path` "-" is stdin. Throws IoError.
    explicit RereadSource(const std::string& path) : name_(display_name(path)), source_(open_input(path))
    {
        struct stat status = {};
        if (::fstat(source_.get(), &status) != 0)
            throw IoError(name_, errno);
        is_file_ = S_ISREG(status.st_mode);
        if (is_file_)
            start_ = ::lseek(source_.get(), 0, SEEK_CUR);
        else
            make_spool();
    }
    RereadSource(const RereadSource&) = delete;
    RereadSource& operator=(const RereadSource&) = delete;

    /// The first reading: each line as soon as it is there. Throws IoError.
    LineReader first(LineReader::Observer observer)
    {
        LineReader lines(duplicate(source_), name_);
        if (!is_file_) {
            observer.on_bytes = [this, on_bytes = std::move(observer.on_bytes)](std::string_view bytes) {
                if (on_bytes)
                    on_bytes(bytes);
                write_all(spool_, bytes, spool_name_);
            };
        }
        lines.observe(std::move(observer));
        return lines;
    }

    /// The same from the start; of a pipe, what was read at first. Throws IoError.
    LineReader again()
    {
        if (::lseek(kept().get(), start_, SEEK_SET) < 0)
            throw IoError(name_, errno);
        return {duplicate(kept()), name_};
    }

    /// Fills `text` with the bytes from `offset` on, counted from where the first reading began. Throws
    /// IoError, and InputError when there are fewer.
    void read_at(std::uint64_t offset, std::string& text) const
    {
        for (std::size_t have = 0; have < text.size();) {
            const auto got = ::pread(kept().get(), text.data() + have, text.size() - have,
                                     start_ + static_cast<off_t>(offset + have));
            if (got == 0)
                throw changed();
            if (got < 0 && errno != EINTR)
                throw IoError(name_, errno);
            have += got > 0 ? static_cast<std::size_t>(got) : 0;
        }
    }

    /// What to throw when it is not what it was.
    InputError changed() const { return {name_, "changed while it was read"}; }

    const std::string& name() const noexcept { return name_; }

private:
    const Fd& kept() const noexcept { return is_file_ ? source_ : spool_; }

    Fd duplicate(const Fd& fd) const
    {
        Fd copy(::fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
        if (!copy)
            throw IoError(name_, errno);
        return copy;
    }

    void make_spool()
    {
        const char* const folder = std::getenv("TMPDIR");
        spool_name_ = folder && *folder ? folder : "/tmp";
        auto path = spool_name_ + "/sloutils-XXXXXX";
        spool_ = Fd(::mkostemp(path.data(), O_CLOEXEC));
        if (!spool_ || ::unlink(path.c_str()) != 0)
            throw IoError(spool_name_, errno);
    }

    std::string name_;
    Fd source_;
    bool is_file_ = false;
    off_t start_ = 0;
    std::string spool_name_; // the folder it is in
    Fd spool_;
};

} // namespace slo::io

#endif
