// SPDX-License-Identifier: MIT
// What the system allows a client in descriptors and local ports.

#ifndef SLO_RUN_SYSTEM_LIMITS_HPP
#define SLO_RUN_SYSTEM_LIMITS_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/io/fd.hpp>
#include <slo/plan/port_budget.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::run {

/// Lets the process open as many descriptors as it may: the soft limit becomes the hard one. Returns it. Best
/// called before any thread is started: the kernel's table then has room for the first 65,536 at once.
inline std::size_t raise_descriptor_limit() noexcept
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 0;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    ::getrlimit(RLIMIT_NOFILE, &limit);
    // Each time the table grows, a process of several threads is stopped for ten milliseconds and more.
    constexpr rlim_t most = 65536;
    const io::Fd highest(
        ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, static_cast<int>(std::min(limit.rlim_cur, most)) - 1));
    return static_cast<std::size_t>(limit.rlim_cur);
}

/// The limits of this process and machine; what could not be read has Linux's default.
struct SystemLimits {
    std::int64_t descriptors_soft = 1024;
    std::int64_t descriptors_hard = 1024;
    int first_port = 32768;
    int last_port = 60999;
    int tw_reuse = 2; ///< net.ipv4.tcp_tw_reuse: 0 never, 1 for any, 2 for connections to itself
    std::int64_t sockets_in_use = 0; ///< TCP, those in TIME_WAIT too
};

namespace detail {

// The first words of a small file; none where there is no such file or it cannot be read.
inline std::vector<std::string> words_of(const std::string& path)
{
    std::array<char, 4096> block;
    std::string_view text;
    try {
        const auto fd = io::open_input_at_once(path);
        text = {block.data(), io::read_some(fd, block.data(), block.size(), path)};
    } catch (const IoError&) {
    }
    std::vector<std::string> words;
    for (constexpr std::string_view blanks = " \t\r\n"; !text.empty();) {
        text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
        const auto word = text.substr(0, text.find_first_of(blanks));
        text.remove_prefix(word.size());
        if (!word.empty())
            words.emplace_back(word);
    }
    return words;
}

template <class Int>
std::optional<Int> word_in(const std::vector<std::string>& words, std::size_t index, Int least, Int greatest)
{
    const auto value = index < words.size() ? parse_integer<Int>(words[index]) : std::nullopt;
    return value && *value >= least && *value <= greatest ? value : std::nullopt;
}

// "TCP: inuse 4 orphan 0 tw 76 …": the sum of the named figures.
inline std::int64_t sockets_in(const std::vector<std::string>& words, std::string_view protocol)
{
    constexpr std::int64_t most = 1'000'000'000;
    auto at = std::find(words.begin(), words.end(), protocol);
    std::int64_t sum = 0;
    for (; at != words.end() && (at + 1) != words.end(); ++at) {
        if (*at != protocol && at->ends_with(':'))
            break;
        if (*at == "inuse" || *at == "tw")
            sum += word_in<std::int64_t>({*(at + 1)}, 0, 0, most).value_or(0);
    }
    return sum;
}

inline std::int64_t limit_value(rlim_t limit) noexcept
{
    constexpr auto greatest = std::numeric_limits<std::int64_t>::max();
    return limit < static_cast<rlim_t>(greatest) ? static_cast<std::int64_t>(limit) : greatest;
}

} // namespace detail

/// Reads what there is; `proc` stands for /proc.
inline SystemLimits read_system_limits(const std::string& proc = "/proc")
{
    SystemLimits limits;
    rlimit descriptors{};
    if (::getrlimit(RLIMIT_NOFILE, &descriptors) == 0) {
        limits.descriptors_soft = detail::limit_value(descriptors.rlim_cur);
        limits.descriptors_hard = detail::limit_value(descriptors.rlim_max);
    }
    const auto ports = detail::words_of(proc + "/sys/net/ipv4/ip_local_port_range");
    const auto first = detail::word_in(ports, 0, 1, 65535);
    const auto last = detail::word_in(ports, 1, 1, 65535);
    if (first && last && *first <= *last) {
        limits.first_port = *first;
        limits.last_port = *last;
    }
    limits.tw_reuse =
        detail::word_in(detail::words_of(proc + "/sys/net/ipv4/tcp_tw_reuse"), 0, 0, 2).value_or(2);
    limits.sockets_in_use = detail::sockets_in(detail::words_of(proc + "/net/sockstat"), "TCP:") +
                            detail::sockets_in(detail::words_of(proc + "/net/sockstat6"), "TCP6:");
    return limits;
}

/// The plan of a load on connections that are kept, within these limits; `loopback`: the server is this
/// machine. Where TIME_WAIT is reused, that is so after one second.
inline plan::PortPlan port_plan(const SystemLimits& limits, double qps, double latency_s, bool loopback)
{
    plan::PortPlan plan;
    plan.qps = qps;
    plan.latency_s = latency_s;
    plan.first_port = limits.first_port;
    plan.last_port = limits.last_port;
    plan.time_wait_s = limits.tw_reuse == 1 || (limits.tw_reuse == 2 && loopback) ? 1 : 60;
    plan.sockets_in_use = limits.sockets_in_use;
    plan.descriptors_soft = limits.descriptors_soft;
    plan.descriptors_hard = limits.descriptors_hard;
    return plan;
}

} // namespace slo::run

#endif
