// SPDX-License-Identifier: MIT
#include <slo/run/gpu_bandwidth.hpp>

#define BOOST_TEST_MODULE run_gpu_bandwidth
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_folder.hpp"

namespace {
using namespace slo;

// The copies themselves are tested by the cases of gpu-preflight, with a library that plays the CUDA driver.
BOOST_AUTO_TEST_CASE(without_a_driver_there_is_a_reason)
{
    const test::ScratchFolder sysfs;
    io::StopSignal stop;
    const sys::PciTree tree(sysfs.path());
    const run::NvidiaSmi smi("/no/such", 1, stop);
    record::GpuFacts gpu;
    gpu.at = "0000:01:00.0";
    gpu.link = {5, 5, 16, 16};
    run::BandwidthRun({"/no/such/libcuda.so.1", 20, 0.1, true}, tree, smi, stop, gpu).run();
    BOOST_TEST(gpu.bandwidth.sizes.empty());
    BOOST_TEST(gpu.bandwidth.error.starts_with("/no/such/libcuda.so.1: "));
    BOOST_TEST(!gpu.link_under_load);
}

} // namespace
