// SPDX-License-Identifier: MIT
#include <slo/run/gpu_preflight_options.hpp>

#define BOOST_TEST_MODULE run_gpu_preflight_options
#include <boost/test/unit_test.hpp>

namespace {
using namespace slo;

BOOST_AUTO_TEST_CASE(options_are_checked)
{
    run::GpuPreflightOptions good;
    good.our_pids = {"12", "7"};
    BOOST_TEST(good.checked().at(1) == 7);
    BOOST_TEST(good.proc_of_machine() == "/proc");
    good.sysfs = "sys";
    BOOST_TEST(good.proc_of_machine() == "");
    good.proc = "proc";
    BOOST_TEST(good.proc_of_machine() == "proc");
    const auto refused = [](auto change) {
        run::GpuPreflightOptions options;
        change(options);
        try {
            options.checked();
        } catch (const UsageError&) {
            return true;
        }
        return false;
    };
    BOOST_TEST(refused([](auto& o) { o.timeout_s = 0; }));
    BOOST_TEST(refused([](auto& o) { o.wake_up_s = -1; }));
    BOOST_TEST(refused([](auto& o) { o.kv_offload_gib = -1; }));
    BOOST_TEST(refused([](auto& o) { o.our_pids = {"x"}; }));
    BOOST_TEST(refused([](auto& o) { o.our_pids = {"0"}; }));
}

BOOST_AUTO_TEST_CASE(what_is_asked_beside_nvidia_smi)
{
    run::GpuPreflightOptions options;
    BOOST_TEST(options.nvml_library() == "libnvidia-ml.so.1");
    BOOST_TEST(options.rocm_program() == "rocm-smi");
    options.sysfs = "sys";
    BOOST_TEST(options.nvml_library() == "");
    BOOST_TEST(options.rocm_program() == "");
    options.nvml = "./lib.so";
    options.rocm_smi = "./smi";
    BOOST_TEST(options.nvml_library() == "./lib.so");
    BOOST_TEST(options.rocm_program() == "./smi");
    options.nvml = "none";
    BOOST_TEST(options.nvml_library() == "");
}

} // namespace
