// SPDX-License-Identifier: MIT
#include <slo/wire/rocm_smi.hpp>

#define BOOST_TEST_MODULE wire_rocm_smi
#include <boost/test/unit_test.hpp>

namespace {
using namespace slo;

BOOST_AUTO_TEST_CASE(a_whole_answer)
{
    const auto report = wire::parse_rocm_smi(
        "WARNING: {not} ours\n"
        R"json({"card0": {"PCI Bus": "0000:E7:00.0", "Temperature (Sensor edge) (C)": "35.0",
            "Temperature (Sensor junction) (C)": "36.5", "GPU use (%)": "3",
            "Current Socket Graphics Package Power (W)": "12.1", "VRAM Total Memory (B)": "68702699520",
            "VRAM Total Used Memory (B)": 10960896},
            "card1": {"Temperature (Sensor edge) (C)": "50"},
            "system":
{
    "Driver version" : "6.7.0", "PID12" : "a, b, 1, 1024, 0, 0", "PID13" : "c, 1, UNKNOWN, 0, 0"
}
})json"
        "\n");
    BOOST_REQUIRE(report);
    BOOST_REQUIRE(report->cards.size() == 2u);
    const auto& card = report->cards[0];
    BOOST_TEST(card.at == "0000:e7:00.0");
    BOOST_TEST(card.temperature_c.value() == 36.5);
    BOOST_TEST(card.power_w.value() == 12.1);
    BOOST_TEST(card.utilization_pct.value() == 3);
    BOOST_TEST(card.memory_total_bytes.value() == 68702699520.0);
    BOOST_TEST(card.memory_used_bytes.value() == 10960896);
    BOOST_TEST(card.implausible.empty());
    BOOST_TEST(report->cards[1].at == "");
    BOOST_TEST(report->cards[1].temperature_c.value() == 50);
    BOOST_TEST(!report->cards[1].memory_used_bytes);
    BOOST_REQUIRE(report->processes.size() == 2u);
    BOOST_TEST(report->processes[0].pid == 12);
    BOOST_TEST(report->processes[0].name == "a b");
    BOOST_TEST(report->processes[0].memory_bytes.value() == 1024);
    BOOST_TEST(!report->processes[1].memory_bytes);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_unknown_and_said)
{
    const auto report = wire::parse_rocm_smi(
        R"json({"card0": {"GPU use (%)": "101", "VRAM Total Memory (B)": "10", "VRAM Total Used Memory (B)": "11",
            "Temperature (Sensor junction) (C)": "hot", "Temperature (Sensor edge) (C)": "40"
}
})json");
    BOOST_REQUIRE(report);
    const auto& card = report->cards[0];
    BOOST_TEST(!card.utilization_pct);
    BOOST_TEST(!card.memory_used_bytes);
    BOOST_TEST(card.temperature_c.value() == 40);
    BOOST_TEST(card.implausible.size() == 3u);
    BOOST_TEST(card.implausible[0] == "Temperature (Sensor junction) (C) hot");
}

BOOST_AUTO_TEST_CASE(what_is_no_answer)
{
    for (const char* text : {"", "ERROR", "{", "}", "}{", "[]", "{}", "{\"card0\": 7}", "\n{\"card0\": {}",
                             "{\"system\": {\"PID1\": \"a, 1, 2, 3, 4\"}}", "{\"card0\": {}} {}"})
        BOOST_TEST(!wire::parse_rocm_smi(text), text);
    const auto odd = wire::parse_rocm_smi(
        R"json({"card0": {}, "system": {"PID": "a, 1, 2, 3, 4", "PID-1": "a, 1, 2, 3, 4", "PID3": "a, 1", "PID4": 4}})json");
    BOOST_REQUIRE(odd);
    BOOST_TEST(odd->processes.empty());
}

} // namespace
