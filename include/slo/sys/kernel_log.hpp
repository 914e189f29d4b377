// SPDX-License-Identifier: MIT
// NVIDIA's Xid reports in the kernel's log since boot.

#ifndef SLO_SYS_KERNEL_LOG_HPP
#define SLO_SYS_KERNEL_LOG_HPP

#include <slo/base/error.hpp>
#include <slo/io/fd.hpp>
#include <slo/wire/xid.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::sys {

/// What the log says.
struct KernelLog {
    std::vector<wire::Xid> xids;           ///< the last thousand
    std::optional<std::string> unreadable; ///< why nothing is known
};

/// Reads /dev/kmsg, which gives one record a read, or a file of lines in any of the usual forms, of which the
/// first 256 MiB count.
inline KernelLog read_kernel_log(const std::string& path)
{
    constexpr std::size_t most_xids = 1000, most_bytes = std::size_t{256} << 20, longest_line = 65536;
    KernelLog log;
    const io::Fd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!fd) {
        log.unreadable = IoError(path, errno).what();
        return log;
    }
    const auto take = [&log](std::string_view line) {
        if (auto xid = wire::parse_xid(line)) {
            if (log.xids.size() == most_xids)
                log.xids.erase(log.xids.begin());
            log.xids.push_back(std::move(*xid));
        }
    };
    std::string text;
    char block[65536];
    for (std::size_t read_bytes = 0; read_bytes < most_bytes;) {
        const auto got = ::read(fd.get(), block, sizeof block);
        if (got < 0 &&
            (errno == EINTR || errno == EPIPE)) // EPIPE: records were overwritten; the next one is there
            continue;
        if (got < 0 && errno != EAGAIN)
            log.unreadable = IoError(path, errno).what();
        if (got <= 0)
            break;
        read_bytes += static_cast<std::size_t>(got);
        text.append(block, static_cast<std::size_t>(got));
        std::size_t begin = 0;
        for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
            take(std::string_view(text).substr(begin, end - begin));
            begin = end + 1;
        }
        text.erase(0, begin);
        if (text.size() > longest_line)
            text.clear();
    }
    take(text);
    return log;
}

} // namespace slo::sys

#endif
