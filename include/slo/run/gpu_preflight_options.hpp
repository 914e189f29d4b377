// SPDX-License-Identifier: MIT
// The options of gpu-preflight.

#ifndef SLO_RUN_GPU_PREFLIGHT_OPTIONS_HPP
#define SLO_RUN_GPU_PREFLIGHT_OPTIONS_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace slo::run {

/// What they mean stands in their help.
struct GpuPreflightOptions {
    std::string nvidia_smi = "nvidia-smi";
    std::optional<std::string> nvml;
    std::string libcuda = "libcuda.so.1";
    std::optional<std::string> rocm_smi;
    std::string sysfs = "/sys";
    std::optional<std::string> proc;
    std::string kernel_log = "/dev/kmsg";
    bool no_bandwidth = false;
    double timeout_s = 30;
    double wake_up_s = 1.5;
    std::optional<double> kv_offload_gib;
    std::string workdir = workdir_from_environment();
    std::vector<std::string> our_pids;
    std::string json_out;
    bool quiet = false;

    template <class Table>
    void describe(Table& table)
    {
        table.section("What is asked for");
        table.add("kv-offload-gib", kv_offload_gib, "GIB",
                  "host memory that the service is told to use for KV blocks; judges RAM and memlock");
        table.add("workdir", workdir, "DIR", "where runs will write: free disk is judged there");
        table.flag("no-bandwidth", no_bandwidth, "copy nothing: an idle link then stays unknown under load");
        table.add_repeatable("our-pid", our_pids, "PID",
                             "a process that belongs here, such as the service; may be repeated");
        table.section("Limits");
        table.add("timeout", timeout_s, "SECONDS",
                  "for each question to a driver's tool, and each card's copies");
        table.add("wake-up", wake_up_s, "SECONDS", "how long a link may take to come up under load");
        table.section("Output");
        table.add("json-out", json_out, "FILE", "write the record there, too, whole or not at all");
        table.flag("quiet,q", quiet, "no report for people on stderr");
        table.section("Where to look");
        table.add("nvidia-smi", nvidia_smi, "PATH", "the program to ask");
        table.add("nvml", nvml, "FILE", "NVML, asked where that program is not there; none: never");
        table.add("libcuda", libcuda, "FILE", "the CUDA driver's library");
        table.add("rocm-smi", rocm_smi, "PATH", "the program to ask about AMD cards");
        table.add("sysfs-root", sysfs, "DIR", "stands for /sys");
        table.add("proc-root", proc, "DIR",
                  "stands for /proc; beside --sysfs-root, /proc tells the memory alone");
        table.add("kernel-log", kernel_log, "FILE", "a kernel log, for Xid reports");
    }

    /// What stands for /proc where the same machine is meant as by --sysfs-root; empty where nothing does.
    std::string proc_of_machine() const { return proc ? *proc : sysfs == "/sys" ? "/proc" : ""; }

    /// What to ask beside nvidia-smi; empty for nothing, as where --sysfs-root alone means another machine.
    std::string nvml_library() const
    {
        return nvml ? (*nvml == "none" ? "" : *nvml) : sysfs == "/sys" ? "libnvidia-ml.so.1" : "";
    }
    std::string rocm_program() const { return rocm_smi ? *rocm_smi : sysfs == "/sys" ? "rocm-smi" : ""; }

    /// The pids of --our-pid. Throws UsageError for any option that makes no sense.
    std::vector<std::int64_t> checked() const
    {
        if (!(timeout_s > 0 && timeout_s <= 86400))
            throw UsageError("--timeout", "must be above 0 and at most 86400");
        if (!(wake_up_s >= 0 && wake_up_s <= 86400))
            throw UsageError("--wake-up", "must be from 0 to 86400");
        if (kv_offload_gib && !(*kv_offload_gib >= 0 && *kv_offload_gib <= 1e6))
            throw UsageError("--kv-offload-gib", "must be from 0 to 1000000");
        std::vector<std::int64_t> pids;
        for (const auto& text : our_pids) {
            const auto pid = parse_integer<std::int64_t>(text);
            if (!pid || *pid < 1)
                throw UsageError("--our-pid", "'" + printable(text, 80) + "' is no process id");
            pids.push_back(*pid);
        }
        return pids;
    }

private:
    static std::string workdir_from_environment()
    {
        const char* folder = std::getenv("LLM_BENCH_DIR");
        return folder && *folder ? folder : ".";
    }
};

} // namespace slo::run

#endif
