// SPDX-License-Identifier: MIT
// The end of a log, and what is added to it.

#ifndef SLO_RUN_SERVICE_LOG_HPP
#define SLO_RUN_SERVICE_LOG_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/io/fd.hpp>
#include <slo/record/service_state.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slo::run {

/// Reads a file at any place, also while it grows.
class LogReader {
public:
    /// Throws IoError.
    explicit LogReader(const std::string& path) : name_(path), fd_(io::open_input(path)) {}

    /// Bytes in the file now. Throws IoError.
    std::uint64_t size() const
    {
        struct stat status {};
        if (::fstat(fd_.get(), &status) != 0)
            throw IoError(name_, errno);
        return static_cast<std::uint64_t>(status.st_size);
    }

    /// Up to `limit_bytes` from `offset` on; empty at the end. Throws IoError.
    std::string read(std::uint64_t offset, std::size_t limit_bytes) const
    {
        std::string text(limit_bytes, '\0');
        ssize_t got;
        do
            got = ::pread(fd_.get(), text.data(), text.size(), static_cast<off_t>(offset));
        while (got < 0 && errno == EINTR);
        if (got < 0)
            throw IoError(name_, errno);
        text.resize(static_cast<std::size_t>(got));
        return text;
    }

    /// Where the last `lines` lines begin, not before `floor` and at most 4 MiB before the end.
    std::uint64_t tail_offset(std::size_t lines, std::uint64_t floor) const
    {
        constexpr std::uint64_t most = std::uint64_t{4} << 20;
        constexpr std::uint64_t block = 65536;
        const auto end = size();
        floor = std::max(std::min(floor, end), end > most ? end - most : 0);
        std::size_t seen = 0;
        for (auto at = end; at > floor;) {
            const auto begin = std::max(floor, at > block ? at - block : 0);
            const auto text = read(begin, static_cast<std::size_t>(at - begin));
            for (auto i = text.size(); i-- > 0;) {
                // The last byte ends the last line and begins none.
                if (text[i] == '\n' && begin + i + 1 < end && ++seen == lines)
                    return begin + i + 1;
            }
            at = begin;
        }
        return lines == 0 ? end : floor;
    }

private:
    std::string name_;
    io::Fd fd_;
};

/// The last `lines` lines that the service wrote since it was started, as they are. Throws IoError.
inline std::string log_tail(const record::ServiceState& state, std::size_t lines)
{
    const LogReader log(state.log);
    const auto size = log.size();
    const auto begin = log.tail_offset(lines, size < state.log_offset ? 0 : state.log_offset);
    return log.read(begin, static_cast<std::size_t>(size - begin));
}

/// The same for people: printable, without control characters; empty where the log cannot be read.
inline std::vector<std::string> log_tail_lines(const record::ServiceState& state, std::size_t lines)
{
    std::vector<std::string> list;
    std::string text;
    try {
        text = log_tail(state, lines);
    } catch (const IoError&) {
        return list;
    }
    for (std::string_view rest = text; !rest.empty();) {
        const auto end = rest.find('\n');
        list.push_back(printable(trim(rest.substr(0, end)), 1000));
        rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    }
    return list;
}

} // namespace slo::run

#endif
