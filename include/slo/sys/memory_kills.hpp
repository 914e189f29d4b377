// SPDX-License-Identifier: MIT
// Whether the system has ended processes for want of memory.

#ifndef SLO_SYS_MEMORY_KILLS_HPP
#define SLO_SYS_MEMORY_KILLS_HPP

#include <slo/base/text.hpp>
#include <slo/io/fd.hpp>
#include <slo/sys/process_id.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slo::sys {

/// The value behind `name` in lines "name value", as in memory.events and memory.oom_control of a control
/// group; nothing when it is not there.
inline std::optional<std::uint64_t> counter_in(std::string_view text, std::string_view name)
{
    while (!text.empty()) {
        const auto end = text.find('\n');
        const auto line = text.substr(0, end);
        const auto blank = line.find(' ');
        if (line.substr(0, blank) == name && blank != std::string_view::npos)
            return parse_integer<std::uint64_t>(trim(line.substr(blank)));
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    }
    return std::nullopt;
}

/// Where the control group of a process counts such kills, from the text of /proc/PID/cgroup; empty when that
/// names no group with a memory controller.
inline std::string memory_events_path(std::string_view cgroup)
{
    std::string unified;
    while (!cgroup.empty()) {
        const auto end = cgroup.find('\n');
        const auto line = cgroup.substr(0, end);
        const auto first = line.find(':');
        const auto second = line.find(':', first == std::string_view::npos ? first : first + 1);
        if (second != std::string_view::npos) {
            const auto controllers = "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
            const auto group = std::string(line.substr(second + 1));
            if (controllers.find(",memory,") != std::string::npos)
                return "/sys/fs/cgroup/memory" + group + "/memory.oom_control";
            if (controllers == ",,")
                unified = "/sys/fs/cgroup" + group + "/memory.events";
        }
        cgroup = end == std::string_view::npos ? std::string_view{} : cgroup.substr(end + 1);
    }
    return unified;
}

/// How many processes of our control group the system has killed for want of memory; nothing when that cannot
/// be seen.
inline std::optional<std::uint64_t> memory_kills()
{
    const auto path = memory_events_path(detail::read_proc("/proc/self/cgroup", 65536));
    return path.empty() ? std::nullopt : counter_in(detail::read_proc(path, 65536), "oom_kill");
}

/// True where a record of the kernel log ("priority,sequence,microseconds,flags;text") says that process
/// `pid`, and no earlier one of that number, was killed for want of memory.
inline bool tells_of_memory_kill(std::string_view record, pid_t pid, std::uint64_t not_before_us)
{
    const auto first = record.find(',');
    const auto second = record.find(',', first == std::string_view::npos ? first : first + 1);
    const auto third = record.find_first_of(",;", second == std::string_view::npos ? second : second + 1);
    if (third == std::string_view::npos)
        return false;
    const auto at_us = parse_integer<std::uint64_t>(record.substr(second + 1, third - second - 1));
    return at_us && *at_us >= not_before_us &&
           record.find("Killed process " + std::to_string(pid) + " ") != std::string_view::npos;
}

/// True where the kernel log, so far as it can be read, says so of that process. It numbers processes as the
/// outermost namespace does: from within another one nothing can be said.
inline bool kernel_log_tells_of_memory_kill(const ProcessId& id)
{
    constexpr std::string_view outermost = "pid:[4026531836]";
    if (pid_namespace() != outermost)
        return false;
    const io::Fd log(::open("/dev/kmsg", O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    const auto ticks_per_s = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
    constexpr int most_records = 100'000;
    for (int i = 0; log && i < most_records; ++i) {
        std::array<char, 8192> record;
        const auto got = ::read(log.get(), record.data(), record.size());
        if (got < 0 && (errno == EPIPE || errno == EINTR))
            continue; // overwritten meanwhile
        if (got <= 0)
            break;
        if (tells_of_memory_kill({record.data(), static_cast<std::size_t>(got)}, id.pid,
                                 id.start_ticks * 1'000'000 / ticks_per_s))
            return true;
    }
    return false;
}

} // namespace slo::sys

#endif
