// SPDX-License-Identifier: MIT
#include <slo/sys/cuda_driver.hpp>

#define BOOST_TEST_MODULE sys_cuda_driver
#include <boost/test/unit_test.hpp>

namespace {
using namespace slo;

BOOST_AUTO_TEST_CASE(a_library_that_is_none_is_said_so)
{
    BOOST_CHECK_EXCEPTION(sys::CudaDriver("/no/such/libcuda.so.1"), Error, [](const Error& error) {
        return std::string(error.what()).starts_with("/no/such/libcuda.so.1: ");
    });
    BOOST_CHECK_EXCEPTION(sys::CudaDriver("libm.so.6"), Error, [](const Error& error) {
        return error.what() == std::string("cuInit: not in the CUDA driver's library");
    });
}

} // namespace
