// SPDX-License-Identifier: MIT
// What NVIDIA's management library tells of the cards, found at run time: for a container that has the
// driver's libraries and no nvidia-smi.

#ifndef SLO_SYS_NVML_HPP
#define SLO_SYS_NVML_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace slo::sys {

/// What NVML calls its results; those that are told apart here.
enum class NvmlError : int {
    none = 0,
    not_supported = 3,
    no_permission = 4,
    insufficient_size = 7,
    driver_not_loaded = 9,
    function_not_found = 13,
    gpu_is_lost = 15,
    reset_required = 16,
    version_mismatch = 18,
    unknown = 999
};

/// The answer to one question: a value where there is no error.
template <class Value>
struct NvmlAnswer {
    NvmlError error = NvmlError::none;
    Value value{};

    bool ok() const noexcept { return error == NvmlError::none; }
};

/// A program that computes on a card.
struct NvmlProcess {
    unsigned pid = 0;
    std::optional<unsigned long long> memory_bytes;
};

/// The library, by the functions and layouts of its documentation (NVML API Reference: Device Structs, Device
/// Queries). A function comes in versions: the newest that is there is called, and what none is there for is
/// function_not_found.
class Nvml {
public:
    using Device = void*;

    /// Memory of a card in bytes; `used` without what the driver keeps for itself, where it tells that apart.
    struct Memory {
        unsigned long long total = 0, free = 0, used = 0;
    };
    struct RemappedRows {
        bool pending = false, failed = false;
    };
    /// Of memory errors: whether corrected, and since when they are counted.
    enum class Ecc : unsigned { corrected = 0, uncorrected = 1 };
    enum class Since : unsigned { driver_loaded = 0, made = 1 };
    enum Reason : unsigned long long { // why a clock is held down
        hw_slowdown = 0x8,
        sw_thermal_slowdown = 0x20,
        hw_thermal_slowdown = 0x40,
        hw_power_brake_slowdown = 0x80
    };

    /// Throws Error where the library is not there, or is another.
    explicit Nvml(const std::string& library) : library_(::dlopen(library.c_str(), RTLD_NOW))
    {
        if (!library_)
            throw Error(library, printable(::dlerror()));
        if (!::dlsym(library_, "nvmlInit_v2") && !::dlsym(library_, "nvmlInit"))
            throw Error("nvmlInit", "not in the library " + printable(library));
    }
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;

    /// Comes first.
    NvmlError init() const { return call({"nvmlInit_v2", "nvmlInit"}); }

    /// NVML's words for an error.
    std::string words(NvmlError error) const
    {
        void* symbol = ::dlsym(library_, "nvmlErrorString");
        const char* text =
            symbol ? reinterpret_cast<const char* (*)(int)>(symbol)(static_cast<int>(error)) : nullptr;
        return text ? printable(text, 160) : "error " + std::to_string(static_cast<int>(error));
    }

    NvmlAnswer<unsigned> count() const
    {
        NvmlAnswer<unsigned> answer;
        answer.error = call({"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"}, &answer.value);
        return answer;
    }

    NvmlAnswer<Device> device(unsigned index) const
    {
        NvmlAnswer<Device> answer;
        answer.error =
            call({"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"}, index, &answer.value);
        return answer;
    }

    NvmlAnswer<std::string> driver_version() const
    {
        Text text{};
        return text_answer(call({"nvmlSystemGetDriverVersion"}, text.data(), length(text)), text);
    }

    NvmlAnswer<std::string> process_name(unsigned pid) const
    {
        Text text{};
        return text_answer(call({"nvmlSystemGetProcessName"}, pid, text.data(), length(text)), text);
    }

    /// What a function "nvmlDeviceGet" + `what` of (device, char*, unsigned length) says: "Name", "UUID".
    NvmlAnswer<std::string> text(Device device, const std::string& what) const
    {
        Text text{};
        return text_answer(call({("nvmlDeviceGet" + what).c_str()}, device, text.data(), length(text)), text);
    }

    /// What a function "nvmlDeviceGet" + `what` of (device, unsigned*) says: "CurrPcieLinkGeneration",
    /// "PersistenceMode", …; an enumeration has the same layout.
    NvmlAnswer<unsigned> number(Device device, const std::string& what) const
    {
        NvmlAnswer<unsigned> answer;
        answer.error = call({("nvmlDeviceGet" + what).c_str()}, device, &answer.value);
        return answer;
    }

    NvmlAnswer<unsigned> temperature_c(Device device) const
    {
        constexpr unsigned of_the_chip = 0;
        NvmlAnswer<unsigned> answer;
        answer.error = call({"nvmlDeviceGetTemperature"}, device, of_the_chip, &answer.value);
        return answer;
    }

    NvmlAnswer<Memory> memory(Device device) const
    {
        struct {
            unsigned version = 0;
            unsigned long long total = 0, reserved = 0, free = 0, used = 0;
        } now;
        static_assert(sizeof now == 40);
        now.version = sizeof now | (2u << 24);
        if (call({"nvmlDeviceGetMemoryInfo_v2"}, device, static_cast<void*>(&now)) == NvmlError::none)
            return {NvmlError::none, {now.total, now.free, now.used}};
        NvmlAnswer<Memory> answer; // its layout is that of the first version
        answer.error = call({"nvmlDeviceGetMemoryInfo"}, device, &answer.value);
        return answer;
    }

    NvmlAnswer<unsigned> utilization_pct(Device device) const
    {
        std::array<unsigned, 2> of_chip_and_memory{};
        const auto error =
            call({"nvmlDeviceGetUtilizationRates"}, device, static_cast<void*>(&of_chip_and_memory));
        return {error, of_chip_and_memory[0]};
    }

    /// With the whole domain, as "0000C1A0:01:00.0".
    NvmlAnswer<std::string> pci_address(Device device) const
    {
        // The second version is shorter and begins in the same way.
        struct {
            char legacy[16] = {};
            unsigned domain = 0, bus = 0, device = 0, device_id = 0, subsystem_id = 0;
            char address[32] = {};
        } info;
        static_assert(sizeof info == 68);
        const auto error =
            call({"nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2"}, device, static_cast<void*>(&info));
        std::array<char, 40> text{};
        std::snprintf(text.data(), text.size(), "%08X:%02X:%02X.0", info.domain, info.bus, info.device);
        return {error, text.data()};
    }

    NvmlAnswer<unsigned long long> memory_errors(Device device, Ecc type, Since since) const
    {
        NvmlAnswer<unsigned long long> answer;
        answer.error = call({"nvmlDeviceGetTotalEccErrors"}, device, static_cast<unsigned>(type),
                            static_cast<unsigned>(since), &answer.value);
        return answer;
    }

    /// The bits of Reason, and others.
    NvmlAnswer<unsigned long long> clock_reasons(Device device) const
    {
        NvmlAnswer<unsigned long long> answer;
        answer.error =
            call({"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"},
                 device, &answer.value);
        return answer;
    }

    NvmlAnswer<RemappedRows> remapped_rows(Device device) const
    {
        unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
        const auto error =
            call({"nvmlDeviceGetRemappedRows"}, device, &corrected, &uncorrected, &pending, &failed);
        return {error, {pending != 0, failed != 0}};
    }

    NvmlAnswer<bool> mig_enabled(Device device) const
    {
        unsigned current = 0, pending = 0;
        const auto error = call({"nvmlDeviceGetMigMode"}, device, &current, &pending);
        return {error, current == 1};
    }

    /// Those that compute; `unknown` where what came is not of the layout that is documented.
    NvmlAnswer<std::vector<NvmlProcess>> processes(Device device) const
    {
        struct Entry {
            unsigned pid;
            unsigned long long memory_bytes;
            unsigned gpu_instance, compute_instance;
        };
        struct OlderEntry {
            unsigned pid;
            unsigned long long memory_bytes;
        };
        static_assert(sizeof(Entry) == 24 && sizeof(OlderEntry) == 16);
        auto answer = listed<Entry>(
            device, {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
        if (answer.error == NvmlError::function_not_found)
            answer = listed<OlderEntry>(device, {"nvmlDeviceGetComputeRunningProcesses"});
        return answer;
    }

private:
    using Text = std::array<char, 1024>; // the longest that NVML asks for is 96, but for names of processes

    static unsigned length(const Text& text) noexcept { return static_cast<unsigned>(text.size()) - 1; }

    static NvmlAnswer<std::string> text_answer(NvmlError error, const Text& text)
    {
        return {error, printable(text.data(), 256)};
    }

    template <class... Arguments>
    NvmlError call(std::initializer_list<const char*> names, Arguments... arguments) const
    {
        for (const char* name : names) {
            if (void* symbol = ::dlsym(library_, name))
                return static_cast<NvmlError>(reinterpret_cast<int (*)(Arguments...)>(symbol)(arguments...));
        }
        return NvmlError::function_not_found;
    }

    template <class Entry>
    NvmlAnswer<std::vector<NvmlProcess>> listed(Device device, std::initializer_list<const char*> names) const
    {
        constexpr unsigned most = 4096;
        constexpr unsigned greatest_pid = 1u << 22; // Linux has none above
        constexpr auto not_known = ~0ull;
        // Some drivers wrote longer entries than they said: room for them, and a look at what came.
        std::vector<unsigned char> block(most * std::size_t{64});
        unsigned count = most;
        NvmlAnswer<std::vector<NvmlProcess>> answer;
        answer.error = call(names, device, &count, static_cast<void*>(block.data()));
        for (unsigned i = 0; answer.ok() && i < std::min(count, most); ++i) {
            Entry entry;
            std::memcpy(&entry, block.data() + i * sizeof entry, sizeof entry);
            if (entry.pid == 0 || entry.pid > greatest_pid)
                return {NvmlError::unknown, {}};
            answer.value.push_back({entry.pid, entry.memory_bytes == not_known
                                                   ? std::nullopt
                                                   : std::optional(entry.memory_bytes)});
        }
        return answer;
    }

    void* library_; // never closed: its own threads may still run in it
};

} // namespace slo::sys

#endif
