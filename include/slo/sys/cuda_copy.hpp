// SPDX-License-Identifier: MIT
// What the child process does that copies between pinned host memory and a card.

#ifndef SLO_SYS_CUDA_COPY_HPP
#define SLO_SYS_CUDA_COPY_HPP

#include <slo/base/json.hpp>
#include <slo/io/fd.hpp>
#include <slo/sys/cuda_driver.hpp>

#include <poll.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::sys {

/// Which card is copied to and from, by what.
struct CopyTask {
    std::string library;     ///< the CUDA driver's
    std::string pci_address; ///< the card
    std::vector<int> cpus;   ///< those beside the card; the copying thread keeps to them where it may
};

/// Copies, and writes JSON Lines about it to `out`: {"phase":"load",…} once it copies without pause, so that
/// the link wakes up; when `in` is readable, {"phase":"loaded","copies"} with how many it made since, then
/// {"size_mib","h2d","d2h"} (GB/s, 10^9 bytes) or {"size_mib","error"} for each size; {"remark"} where there
/// is too little memory; {"error"} for what ends it.
class CudaCopy {
public:
    static constexpr std::array<int, 2> sizes_mib{16, 64};
    static constexpr int warm_ups = 2;
    static constexpr int timed = 5;

    static int run(const CopyTask& task, int in, int out)
    {
        try {
            CudaCopy(task, in, out).copy();
            return 0;
        } catch (const Error& error) {
            say(out, {{"error", error.what()}});
            return 1;
        }
    }

private:
    struct Buffers {
        const CudaDriver& driver;
        std::size_t size;
        char* host;
        CudaDriver::Address card;

        Buffers(const CudaDriver& d, std::size_t bytes)
            : driver(d), size(bytes), host(d.allocate_pinned(bytes))
        {
            try {
                card = driver.allocate(size);
            } catch (const Error&) {
                driver.free_pinned(host);
                throw;
            }
        }
        Buffers(const Buffers&) = delete;
        Buffers& operator=(const Buffers&) = delete;
        ~Buffers()
        {
            driver.free(card);
            driver.free_pinned(host);
        }
    };

    CudaCopy(const CopyTask& task, int in, int out)
        : in_(in), out_(out), bound_(keep_to(task.cpus)), driver_(task.library)
    {
        driver_.init();
        driver_.use_device(task.pci_address);
        stream_ = driver_.make_stream();
        begin_ = driver_.make_event();
        end_ = driver_.make_event();
    }

    static void say(int out, const json::object& record)
    {
        const auto line = to_json(record) + "\n";
        [[maybe_unused]] const auto put = ::write(out, line.data(), line.size());
    }

    // Whether the thread runs beside the card now; nothing where it is not known which CPUs those are.
    static std::optional<bool> keep_to(const std::vector<int>& cpus)
    {
        cpu_set_t allowed, wanted;
        CPU_ZERO(&wanted);
        if (cpus.empty() || ::sched_getaffinity(0, sizeof allowed, &allowed) != 0)
            return std::nullopt;
        for (const int cpu : cpus) {
            if (cpu < CPU_SETSIZE && CPU_ISSET(cpu, &allowed))
                CPU_SET(cpu, &wanted);
        }
        return CPU_COUNT(&wanted) > 0 && ::sched_setaffinity(0, sizeof wanted, &wanted) == 0;
    }

    void copy()
    {
        const auto free = driver_.free_memory_bytes();
        std::vector<int> sizes;
        for (const int size_mib : sizes_mib) {
            if (2 * bytes(size_mib) < free)
                sizes.push_back(size_mib);
        }
        if (sizes.empty()) {
            say(out_,
                {{"remark", "only " + std::to_string(free >> 20) + " MiB of the card's memory are free"}});
            return;
        }
        load(bytes(sizes.front()));
        for (const int size_mib : sizes) {
            json::object record{{"size_mib", size_mib}};
            try {
                measure(bytes(size_mib), record);
            } catch (const Error& error) {
                record["error"] = error.what();
            }
            say(out_, record);
        }
    }

    static constexpr std::size_t bytes(int size_mib) noexcept
    {
        return static_cast<std::size_t>(size_mib) << 20;
    }

    // Keeps the link busy in both directions until we are told to go on, or nobody is there any more. Says so
    // once it is busy.
    void load(std::size_t size)
    {
        const Buffers buffers(driver_, size);
        bool said = false;
        int copies = 0;
        for (pollfd go{in_, POLLIN, 0}; ::poll(&go, 1, 0) == 0;) {
            driver_.copy_to_device(buffers.card, buffers.host, size, stream_);
            driver_.copy_to_host(buffers.host, buffers.card, size, stream_);
            driver_.wait(stream_);
            if (std::exchange(said, true)) {
                ++copies;
                continue;
            }
            unsigned cpu = 0, node = 0;
            ::getcpu(&cpu, &node);
            say(out_, {{"phase", "load"}, {"node", node}, {"beside_card", or_null(bound_)}});
        }
        say(out_, {{"phase", "loaded"}, {"copies", copies}});
    }

    void measure(std::size_t size, json::object& record) const
    {
        const Buffers buffers(driver_, size);
        constexpr unsigned char pattern = 0xA5;
        std::memset(buffers.host, pattern, size);
        record["h2d"] =
            rate(size, [&] { driver_.copy_to_device(buffers.card, buffers.host, size, stream_); });
        std::memset(buffers.host, 0, size);
        record["d2h"] = rate(size, [&] { driver_.copy_to_host(buffers.host, buffers.card, size, stream_); });
        const bool same = std::all_of(buffers.host, buffers.host + size,
                                      [](char c) { return static_cast<unsigned char>(c) == pattern; });
        record["differs"] = !same;
        if (!same)
            throw Error("the card gave back other data than it was given");
    }

    // The median rate in GB/s.
    template <class Copy>
    double rate(std::size_t size, Copy&& copy_once) const
    {
        std::array<double, timed> rates_gb_s{};
        for (int i = -warm_ups; i < timed; ++i) {
            driver_.record(begin_, stream_);
            copy_once();
            driver_.record(end_, stream_);
            driver_.wait(stream_);
            const double ms = driver_.elapsed_ms(begin_, end_);
            if (!(ms > 0))
                throw Error("cuEventElapsedTime", "no time passed");
            if (i >= 0)
                rates_gb_s[static_cast<std::size_t>(i)] = static_cast<double>(size) / 1e6 / ms;
        }
        std::nth_element(rates_gb_s.begin(), rates_gb_s.begin() + timed / 2, rates_gb_s.end());
        return rates_gb_s[timed / 2];
    }

    int in_, out_;
    std::optional<bool> bound_; // before the driver allocates anything
    CudaDriver driver_;
    CudaDriver::Handle stream_ = nullptr, begin_ = nullptr, end_ = nullptr;
};

} // namespace slo::sys

#endif
