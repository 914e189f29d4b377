// SPDX-License-Identifier: MIT
// The state file of a service: read whole, changed under a lock, never seen half written.

#ifndef SLO_RUN_SERVICE_FILE_HPP
#define SLO_RUN_SERVICE_FILE_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/io/atomic_file.hpp>
#include <slo/io/fd.hpp>
#include <slo/record/service_state.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace slo::run {

/// The absolute form of a path. Throws IoError.
inline std::string absolute_path(const std::string& path)
{
    std::error_code error;
    const auto absolute = std::filesystem::absolute(path, error);
    if (error)
        throw IoError(path, error.value());
    auto text = absolute.lexically_normal().string();
    if (text.size() > 1 && text.ends_with('/'))
        text.pop_back();
    return text;
}

/// Where the state of one service stands.
class ServiceFile {
public:
    /// Throws UsageError for no path and for a stream, IoError.
    explicit ServiceFile(const std::string& path) : name_(path)
    {
        if (path.empty())
            throw UsageError("--state is missing");
        if (path == "-")
            throw UsageError("--state", "must be a file, not a stream");
        path_ = absolute_path(path);
    }

    const std::string& path() const noexcept { return path_; }
    const std::string& name() const noexcept { return name_; }

    /// The state. Throws IoError, InputError.
    record::ServiceState read() const { return parse(text()); }

    /// Nothing when there is no such file, or an empty one.
    std::optional<record::ServiceState> read_if_there() const
    {
        try {
            const auto found = text();
            return trim(found).empty() ? std::nullopt : std::optional(parse(found));
        } catch (const IoError& error) {
            if (error.error_number() == ENOENT)
                return std::nullopt;
            throw;
        }
    }

    /// Writes a state in the place of the one before. Throws IoError.
    void write(const record::ServiceState& state) const
    {
        io::AtomicFile file(path_);
        file.write(to_json(record::to_record(state)) + "\n");
        file.commit();
    }

    /// Holds back all others who would change states in the folder of this one, while it lives. It is the
    /// folder that is locked: the file itself is replaced at each change.
    class Lock {
    public:
        /// Throws IoError; Error when others hold it for 30 seconds.
        explicit Lock(const ServiceFile& file)
        {
            const auto folder = std::filesystem::path(file.path_).parent_path();
            fd_ = io::Fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
            if (!fd_)
                throw IoError(file.name_, errno);
            for (const auto end_ns = monotonic_ns() + to_ns(30);
                 ::flock(fd_.get(), LOCK_EX | LOCK_NB) != 0;) {
                if (errno != EWOULDBLOCK && errno != EINTR)
                    throw IoError(file.name_, errno);
                if (monotonic_ns() > end_ns)
                    throw Error(file.name_, "its folder is locked by another program");
                ::poll(nullptr, 0, 10);
            }
        }

    private:
        io::Fd fd_;
    };

    /// Reads, lets `change` change, writes; all under the lock. Throws what read() and write() throw.
    template <class Change>
    record::ServiceState update(Change&& change) const
    {
        const Lock lock(*this);
        auto state = read();
        change(state);
        write(state);
        return state;
    }

private:
    static constexpr std::size_t max_bytes = std::size_t{4} << 20;

    // Errors name the file as the user did.
    std::string text() const
    {
        try {
            return io::read_all(path_, max_bytes);
        } catch (const IoError& error) {
            throw IoError(name_, error.error_number());
        }
    }

    record::ServiceState parse(const std::string& text) const
    {
        try {
            const auto value = parse_json(text);
            if (!value.is_object())
                throw Error("not a JSON object");
            return record::service_state(value.get_object());
        } catch (const Error& error) {
            throw InputError(name_, error.what());
        }
    }

    std::string name_;
    std::string path_;
};

} // namespace slo::run

#endif
