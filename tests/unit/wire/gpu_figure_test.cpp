// SPDX-License-Identifier: MIT
#include <slo/wire/gpu_figure.hpp>

#define BOOST_TEST_MODULE wire_gpu_figure
#include <boost/test/unit_test.hpp>

namespace {
using namespace slo;

BOOST_AUTO_TEST_CASE(what_can_be_is_taken)
{
    BOOST_TEST(wire::gpu_figure("memory.used", "0 MiB").value() == 0);
    BOOST_TEST(wire::gpu_figure("memory.total", "81559 MiB").value() == 81559);
    BOOST_TEST(wire::gpu_figure("utilization.gpu", "100 %").value() == 100);
    BOOST_TEST(wire::gpu_figure("temperature.gpu", "-5").value() == -5);
    BOOST_TEST(wire::gpu_figure("fan.speed", "104 %").value() == 104);
    BOOST_TEST(wire::gpu_figure("pcie.link.gen.max", "8").value() == 8);
    for (const char* width : {"1", "2", "4", "8", "12", "16", "32"})
        BOOST_TEST(wire::gpu_figure("pcie.link.width.current", width).has_value(), width);
    BOOST_TEST(wire::gpu_figure("a column of tomorrow", "-7").value() == -7);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_nothing)
{
    const auto is_nothing = [](const char* name, const char* field) {
        return !wire::gpu_figure(name, field).has_value();
    };
    BOOST_TEST(is_nothing("memory.used", "-5 MiB"));
    BOOST_TEST(is_nothing("memory.total", "0 MiB"));
    BOOST_TEST(is_nothing("used_gpu_memory", "17592186044415 MiB"));
    BOOST_TEST(is_nothing("utilization.gpu", "300 %"));
    BOOST_TEST(is_nothing("temperature.gpu", "4294967295"));
    BOOST_TEST(is_nothing("pcie.link.gen.current", "99"));
    BOOST_TEST(is_nothing("pcie.link.gen.current", "0"));
    BOOST_TEST(is_nothing("pcie.link.gen.current", "3.5"));
    for (const char* width : {"0", "3", "24", "255", "1e300", "-16"})
        BOOST_TEST(is_nothing("pcie.link.width.max", width), width);
    BOOST_TEST(is_nothing("ecc.errors.uncorrected.volatile.total", "18446744073709551615"));
    BOOST_TEST(is_nothing("index", "-1"));
    BOOST_TEST(is_nothing("power.draw", "many W"));
    BOOST_TEST(is_nothing("power.draw", "nan"));
}

} // namespace
