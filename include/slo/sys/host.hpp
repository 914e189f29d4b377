// SPDX-License-Identifier: MIT
// What the host offers beside its cards: memory, limits, CPU governor, disk, NUMA distances.

#ifndef SLO_SYS_HOST_HPP
#define SLO_SYS_HOST_HPP

#include <slo/base/text.hpp>
#include <slo/sys/small_file.hpp>

#include <sys/resource.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

namespace slo::sys {

namespace detail {

// "NAME: 123 kB" or "NAME 123" in a file of such lines.
inline std::optional<std::uint64_t> figure_in(const std::string& path, std::string_view name)
{
    const auto text = small_file(path);
    if (!text)
        return std::nullopt;
    const auto found = words(*text);
    for (std::size_t i = 0; i + 1 < found.size(); ++i) {
        const auto& word = found[i];
        if (word == name || (word.ends_with(':') && word.substr(0, word.size() - 1) == name))
            return parse_integer<std::uint64_t>(found[i + 1]);
    }
    return std::nullopt;
}

// What a control group lets its processes still take: its limit less what is used and cannot be dropped.
inline std::optional<std::uint64_t> group_memory_left_bytes(const std::string& folder, const char* limit_name,
                                                            const char* used_name, const char* cache_name)
{
    const auto limit = small_file_integer<std::uint64_t>(folder + "/" + limit_name);
    const auto used = small_file_integer<std::uint64_t>(folder + "/" + used_name);
    if (!limit || !used)
        return std::nullopt;
    const auto cache = figure_in(folder + "/memory.stat", cache_name).value_or(0);
    const auto kept = *used - std::min(*used, cache);
    return *limit - std::min(*limit, kept);
}

} // namespace detail

/// Memory that a new process may take, in bytes: what the kernel calls available, or what is left of the
/// control group's limit where that is less. Nothing where it is not known.
inline std::optional<std::uint64_t> available_memory_bytes(const std::string& proc, const std::string& sysfs)
{
    constexpr std::uint64_t kib = 1024;
    auto available = detail::figure_in(proc + "/meminfo", "MemAvailable");
    if (available)
        *available = std::min(*available, UINT64_MAX / kib) * kib;
    const auto group = sysfs + "/fs/cgroup";
    for (const auto& left :
         {detail::group_memory_left_bytes(group, "memory.max", "memory.current", "inactive_file"),
          detail::group_memory_left_bytes(group + "/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                                          "total_inactive_file")}) {
        if (left)
            available = std::min(available.value_or(UINT64_MAX), *left);
    }
    return available;
}

/// The parent of a process; nothing where there is no such process.
inline std::optional<std::int64_t> parent_pid(const std::string& proc, std::int64_t pid)
{
    const auto text = small_file(proc + "/" + std::to_string(pid) + "/stat");
    if (!text)
        return std::nullopt;
    // "7 (name) S 1 …": the name may hold anything, a bracket too.
    const auto end_of_name = text->rfind(')');
    const auto rest = words(std::string_view(*text).substr(std::min(end_of_name, text->size() - 1) + 1));
    return rest.size() > 1 ? parse_integer<std::int64_t>(rest[1]) : std::nullopt;
}

/// Bytes that may still be written below a folder; nothing where it is not there.
inline std::optional<std::uint64_t> free_disk_bytes(const std::string& folder)
{
    struct statvfs info = {};
    if (::statvfs(folder.c_str(), &info) != 0)
        return std::nullopt;
    return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
}

/// A limit of this process.
struct ResourceLimit {
    std::optional<std::uint64_t> soft, hard; ///< nothing: unlimited
};

/// Nothing where the limit cannot be read.
inline std::optional<ResourceLimit> resource_limit(decltype(RLIMIT_NOFILE) which) noexcept
{
    rlimit limit{};
    if (::getrlimit(which, &limit) != 0)
        return std::nullopt;
    const auto value = [](rlim_t number) -> std::optional<std::uint64_t> {
        return number == RLIM_INFINITY ? std::nullopt : std::optional<std::uint64_t>(number);
    };
    return ResourceLimit{value(limit.rlim_cur), value(limit.rlim_max)};
}

/// How the CPUs choose their clock.
struct CpuGovernors {
    std::set<std::string> governors; ///< those in use; empty where the kernel does not scale clocks
    std::string driver;              ///< "intel_pstate", "acpi-cpufreq", …
};

inline CpuGovernors cpu_governors(const std::string& sysfs)
{
    CpuGovernors found;
    std::error_code error;
    const auto folder = sysfs + "/devices/system/cpu";
    for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
         at.increment(error)) {
        const auto name = at->path().filename().string();
        if (!name.starts_with("cpu") || !parse_integer<unsigned>(std::string_view(name).substr(3)))
            continue;
        if (const auto governor = small_file_line(at->path() / "cpufreq/scaling_governor"))
            found.governors.insert(*governor);
        if (const auto driver = small_file_line(at->path() / "cpufreq/scaling_driver"))
            found.driver = *driver;
    }
    return found;
}

/// The distance between two NUMA nodes as the firmware gives it (10 within one node); nothing where unknown.
inline std::optional<int> numa_distance(const std::string& sysfs, int from, int to)
{
    const auto line =
        small_file_line(sysfs + "/devices/system/node/node" + std::to_string(from) + "/distance");
    const auto distances = words(line ? std::string_view(*line) : std::string_view());
    const auto nodes = number_list(small_file_line(sysfs + "/devices/system/node/online").value_or(""));
    const auto found = std::find(nodes.begin(), nodes.end(), to);
    const auto at = static_cast<std::size_t>(found - nodes.begin());
    if (found == nodes.end() || at >= distances.size())
        return std::nullopt;
    return parse_integer<int>(distances[at]);
}

} // namespace slo::sys

#endif
