// SPDX-License-Identifier: MIT
// Which process is meant: a number that the system gives out again, and the moment that tells them apart.

#ifndef SLO_SYS_PROCESS_ID_HPP
#define SLO_SYS_PROCESS_ID_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/io/fd.hpp>

#include <dirent.h>
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::sys {

/// A process among all that there were since the machine started.
struct ProcessId {
    pid_t pid = 0;
    std::uint64_t start_ticks = 0; ///< when it was started, in clock ticks since boot
    bool operator==(const ProcessId&) const = default;
};

/// What /proc/PID/stat says of a process.
struct ProcessStat {
    ProcessId id;
    char state = '?'; ///< R, S, D, T (stopped), Z (ended, not yet waited for), …
    pid_t parent = 0;
    pid_t session = 0;

    /// It can still do something.
    bool alive() const noexcept { return state != 'Z' && state != 'X' && state != 'x'; }
    /// A signal has stopped it, or a debugger.
    bool frozen() const noexcept { return state == 'T' || state == 't'; }
};

/// Reads the text of /proc/PID/stat (proc(5)); nothing where it is none.
inline std::optional<ProcessStat> parse_process_stat(std::string_view text)
{
    // The name in parentheses may hold blanks and parentheses.
    const auto open = text.find(" (");
    const auto close = text.rfind(") ");
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
        return std::nullopt;
    constexpr std::size_t wanted = 20;
    std::array<std::string_view, wanted> fields; // fields[0] is the state, the third of all
    auto rest = text.substr(close + 2);
    for (auto& field : fields) {
        const auto end = rest.find_first_of(" \n");
        field = rest.substr(0, end);
        rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    }
    const auto pid = parse_integer<pid_t>(text.substr(0, open));
    const auto parent = parse_integer<pid_t>(fields[1]);
    const auto session = parse_integer<pid_t>(fields[3]);
    const auto start = parse_integer<std::uint64_t>(fields[19]);
    if (fields[0].size() != 1 || !pid || !parent || !session || !start)
        return std::nullopt;
    return ProcessStat{{*pid, *start}, fields[0][0], *parent, *session};
}

namespace detail {

// A small file of /proc at most; empty where it cannot be read.
inline std::string read_proc(const std::string& path, std::size_t limit_bytes)
{
    const io::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::string text;
    while (fd && text.size() < limit_bytes) {
        char block[4096];
        const auto got = ::read(fd.get(), block, sizeof block);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        text.append(block, static_cast<std::size_t>(got));
    }
    return text;
}

} // namespace detail

/// The process that has this number now; nothing when there is none.
inline std::optional<ProcessStat> find_process(pid_t pid)
{
    if (pid <= 0)
        return std::nullopt;
    return parse_process_stat(detail::read_proc("/proc/" + std::to_string(pid) + "/stat", 8192));
}

/// That very process, while it is there; nothing when it has ended, whoever has its number now.
inline std::optional<ProcessStat> find_process(const ProcessId& id)
{
    auto found = find_process(id.pid);
    return found && found->id == id && found->alive() ? found : std::nullopt;
}

/// All processes to be seen. Throws IoError where there is no /proc.
inline std::vector<ProcessStat> list_processes()
{
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), &::closedir);
    if (!folder)
        throw IoError("/proc", errno);
    std::vector<ProcessStat> processes;
    while (const auto* entry = ::readdir(folder.get())) {
        if (const auto pid = parse_integer<pid_t>(entry->d_name)) {
            if (auto process = find_process(*pid))
                processes.push_back(*process);
        }
    }
    return processes;
}

/// True where the process was started with `name`=`value` in its environment, as far as that can be seen:
/// some programs write over it.
inline bool started_with(pid_t pid, const std::string& name, const std::string& value)
{
    constexpr std::size_t most = std::size_t{4} << 20;
    const auto text = '\0' + detail::read_proc("/proc/" + std::to_string(pid) + "/environ", most) + '\0';
    return text.find('\0' + name + "=" + value + '\0') != std::string::npos;
}

/// Sends a signal to that very process; false when it has ended.
inline bool send_signal(const ProcessId& id, int signal)
{
    // The descriptor holds on to the process, so that what was checked is what is signalled.
    const io::Fd held(static_cast<int>(::syscall(SYS_pidfd_open, id.pid, 0)));
    if (!held && errno != ENOSYS && errno != EPERM)
        return false;
    if (!find_process(id))
        return false;
    return held ? ::syscall(SYS_pidfd_send_signal, held.get(), signal, nullptr, 0) == 0
                : ::kill(id.pid, signal) == 0;
}

/// What names this run of the machine; empty where the kernel does not say.
inline std::string boot_id()
{
    return std::string(trim(detail::read_proc("/proc/sys/kernel/random/boot_id", 256)));
}

/// What names the set of processes whose numbers we see, "pid:[4026531836]"; empty where not known.
inline std::string pid_namespace()
{
    std::array<char, 128> text{};
    const auto size = ::readlink("/proc/self/ns/pid", text.data(), text.size());
    return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : std::string();
}

} // namespace slo::sys

#endif
