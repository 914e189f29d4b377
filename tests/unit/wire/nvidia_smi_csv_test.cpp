// SPDX-License-Identifier: MIT
#include <slo/wire/nvidia_smi_csv.hpp>

#define BOOST_TEST_MODULE wire_nvidia_smi_csv
#include <boost/test/unit_test.hpp>

#include <clocale>
#include <string>

namespace {
using namespace slo;

struct Sink {
    std::string seen;
    void reading(std::string_view gpu, std::string_view field, std::optional<double> value,
                 std::optional<double> time_s)
    {
        seen += std::string(gpu) + " " + std::string(field) + " " + (value ? format_double(*value) : "?") +
                (time_s ? " @" + format_double(*time_s) : "") + "\n";
    }
};

std::string read(std::initializer_list<std::string_view> lines)
{
    Sink sink;
    wire::NvidiaSmiCsv table;
    for (const auto line : lines) {
        if (const char* reason = table.take(line, sink))
            sink.seen += std::string("! ") + reason + "\n";
    }
    return sink.seen;
}

BOOST_AUTO_TEST_CASE(g01_what_is_not_known_is_no_number)
{
    BOOST_TEST(
        read(
            {"index, name, driver_version, temperature.gpu, memory.used [MiB], fan.speed [%], power.draw [W]",
             "0, NVIDIA Sample-A 80GB, 550.00.01, 41, 1024 MiB, [N/A], 71.25 W",
             "1, NVIDIA Sample-A 80GB, 550.00.01, 40, [Insufficient Permissions], N/A, [Unknown Error]"}) ==
        "0 driver_version ?\n0 temperature.gpu 41.0\n0 memory.used 1024.0\n0 fan.speed ?\n0 power.draw "
        "71.25\n"
        "1 driver_version ?\n1 temperature.gpu 40.0\n1 memory.used ?\n1 fan.speed ?\n1 power.draw ?\n");
}

BOOST_AUTO_TEST_CASE(l01_the_locale_does_not_matter)
{
    std::setlocale(LC_ALL, "de_DE.UTF-8");
    BOOST_TEST(read({"index, power.draw [W]", "0, 71.25 W"}) == "0 power.draw 71.25\n");
    std::setlocale(LC_ALL, "C");
}

BOOST_AUTO_TEST_CASE(a_row_has_its_time)
{
    BOOST_TEST(*wire::nvidia_smi_time(" 2026/05/01 10:00:00.250") == 1777629600.25);
    BOOST_TEST(*wire::nvidia_smi_time("1970/01/02 00:00:01") == 86401);
    for (const char* bad : {"", "2026/13/01 10:00:00", "2026-05-01 10:00:00", "2026/05/01 10:00:00x", "N/A"})
        BOOST_TEST(!wire::nvidia_smi_time(bad));
    BOOST_TEST(read({"timestamp, index, utilization.gpu [%]", "1970/01/01 00:00:02.500, 3, 7 %"}) ==
               "3 utilization.gpu 7.0 @2.5\n");
}

BOOST_AUTO_TEST_CASE(a_comma_in_the_name_and_a_header_that_comes_again)
{
    BOOST_TEST(read({"name, index, memory.used [MiB]", "Card, 80GB, odd, 0, 5 MiB", "",
                     "name, index, memory.used [MiB]", "Card, 1, 6"}) ==
               "0 memory.used 5.0\n1 memory.used 6.0\n");
    BOOST_TEST(read({"index, power.draw [W]", "0, 1, 2", "0"}) ==
               "! not as many columns as the header has\n! not as many columns as the header has\n");
    BOOST_TEST(read({std::string(300, ',')}) == "! more than 256 columns\n");
}

BOOST_AUTO_TEST_CASE(cards_are_told_apart_by_what_there_is)
{
    BOOST_TEST(read({"uuid, power.draw [W]", "GPU-1, 2 W"}) == "GPU-1 power.draw 2.0\n");
    BOOST_TEST(read({"power.draw [W]", "2 W"}) == "gpu power.draw 2.0\n");
}

BOOST_AUTO_TEST_CASE(a_header_is_known_as_one)
{
    BOOST_TEST(wire::NvidiaSmiCsv::is_header("index, name"));
    BOOST_TEST(wire::NvidiaSmiCsv::is_header("power.draw [W]"));
    BOOST_TEST(!wire::NvidiaSmiCsv::is_header("DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",index=\"1\"} 1"));
    BOOST_TEST(!wire::NvidiaSmiCsv::is_header("# HELP DCGM_FI_DEV_GPU_UTIL utilization"));
}
} // namespace
