// SPDX-License-Identifier: MIT
#include <slo/sys/cuda_copy.hpp>

#define BOOST_TEST_MODULE sys_cuda_copy
#include <boost/test/unit_test.hpp>

#include <slo/sys/forked.hpp>

namespace {
using namespace slo;

// All that needs a driver is tested by the cases of gpu-preflight, with a library that plays one.
BOOST_AUTO_TEST_CASE(what_ends_a_copy_is_said_in_one_line)
{
    sys::Forked child([](int in, int out) {
        return sys::CudaCopy::run({"/no/such/libcuda.so.1", "0000:01:00.0", {0, 99999}}, in, out);
    });
    const auto until_ns = monotonic_ns() + to_ns(20);
    while (child.wait(until_ns, -1) == sys::Forked::Event::output) {
    }
    BOOST_TEST(child.finish(10).code == 1);
    BOOST_TEST(child.text().starts_with("{\"error\":\"/no/such/libcuda.so.1: "));
    BOOST_TEST(child.text().ends_with("}\n"));
}

} // namespace
