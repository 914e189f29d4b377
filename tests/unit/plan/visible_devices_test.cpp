// SPDX-License-Identifier: MIT
#include <slo/plan/visible_devices.hpp>

#define BOOST_TEST_MODULE plan_visible_devices
#include <boost/test/unit_test.hpp>

namespace {
using namespace slo;

std::vector<record::GpuFacts> cards()
{
    std::vector<record::GpuFacts> gpus(4);
    for (int i = 0; i < 4; ++i)
        gpus[static_cast<std::size_t>(i)].uuid = "GPU-" + std::to_string(i) + "aaa";
    gpus[3].vendor = "amd";
    return gpus;
}

// Which cards are visible, "013".
std::string visible(const char* variable, bool mixed = false, bool order_of_bus = false)
{
    auto gpus = cards();
    if (mixed)
        gpus[1].name = "other";
    const auto note = plan::mark_visible(gpus, variable, order_of_bus);
    std::string text;
    for (std::size_t i = 0; i < gpus.size(); ++i)
        text += gpus[i].visible ? std::to_string(i) : "";
    return text + (note ? "!" : "");
}

BOOST_AUTO_TEST_CASE(numbers_and_uuids)
{
    BOOST_TEST(visible("0") == "03"); // the card of another maker is not for CUDA to hide
    BOOST_TEST(visible(" 2 , 0 ") == "023");
    BOOST_TEST(visible("GPU-1") == "13");
    BOOST_TEST(visible("") == "3");
    BOOST_TEST(visible("-1") == "3");
    BOOST_TEST(visible("NoDevFiles") == "3");
}

BOOST_AUTO_TEST_CASE(what_follows_a_wrong_entry_does_not_count)
{
    BOOST_TEST(visible("1,7,0") == "13");
    BOOST_TEST(visible("1,GPU-x,0") == "13");
    BOOST_TEST(visible("1,,0") == "13");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_told_hides_nothing)
{
    BOOST_TEST(visible("MIG-1") == "0123!");
    BOOST_TEST(visible("1", true) == "0123!");
    BOOST_TEST(visible("1", true, true) == "13");
    BOOST_TEST(visible("GPU-1", true) == "13");
}

} // namespace
