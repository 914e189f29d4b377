// SPDX-License-Identifier: MIT
#include <slo/wire/nvidia_smi_table.hpp>

#define BOOST_TEST_MODULE wire_nvidia_smi_table
#include <boost/test/unit_test.hpp>

#include <slo/io/fd.hpp>

#include <string>
#include <vector>

namespace {
using namespace slo;
using wire::NvidiaSmiTable;

NvidiaSmiTable table_of(const std::string& file)
{
    return {io::read_all("tests/data/cases/" + file, 65536), {"index", "name", "pid"}};
}

BOOST_AUTO_TEST_CASE(g01_words_in_brackets_are_unknown)
{
    const auto cards = table_of("G01-sentinel-values/nvidia-smi.csv");
    BOOST_REQUIRE(cards.rows().size() == 3u);
    const auto& rows = cards.rows();
    BOOST_TEST(rows[0].number("memory.used").value() == 1024);
    BOOST_TEST(rows[0].number("power.draw").value() == 71.25);
    BOOST_TEST(!rows[0].number("fan.speed"));
    for (const auto* column : {"memory.used", "power.draw", "fan.speed", "utilization.gpu"})
        BOOST_TEST(!rows[1].text(column), column);
    BOOST_TEST(!rows[2].number("memory.total"));
    BOOST_TEST(rows[2].number("fan.speed").value() == 30);
    BOOST_TEST(!rows[2].field("no.such"));

    const auto apps = table_of("G01-sentinel-values/compute-apps.csv");
    BOOST_REQUIRE(apps.rows().size() == 3u);
    BOOST_TEST(apps.rows()[1].field("process_name").value() == "[Not Found]");
    BOOST_TEST(!apps.rows()[1].number("used_gpu_memory"));
    BOOST_TEST(!apps.rows()[2].text("pid"));
}

BOOST_AUTO_TEST_CASE(g08_a_line_that_is_no_row_is_a_message)
{
    const auto cards = table_of("G08-lost-gpu-in-list/nvidia-smi.csv");
    BOOST_TEST(cards.rows().size() == 2u);
    BOOST_REQUIRE(cards.messages().size() == 1u);
    BOOST_TEST(cards.messages()[0].starts_with("Unable to determine the device handle for GPU0000:81:00.0"));
}

BOOST_AUTO_TEST_CASE(commas_belong_to_the_name)
{
    const std::vector<std::string> asked{"index", "name", "memory.total"};
    const NvidiaSmiTable table("0, Foo,Bar, Baz, 10 MiB\n1, Foo, 20 MiB\n", asked);
    BOOST_REQUIRE(table.rows().size() == 2u);
    BOOST_TEST(table.rows()[0].field("name").value() == "Foo,Bar, Baz");
    BOOST_TEST(table.rows()[0].number("memory.total").value() == 10);
    BOOST_TEST(table.rows()[1].number("memory.total").value() == 20);
}

BOOST_AUTO_TEST_CASE(a_message_may_stand_before_the_header)
{
    const NvidiaSmiTable table("WARNING: infoROM is corrupted\nindex, pstate\r\n0, P8\r\n\r\n",
                               {"index", "pstate"});
    BOOST_TEST(table.messages().size() == 1u);
    BOOST_REQUIRE(table.rows().size() == 1u);
    BOOST_TEST(table.rows()[0].text("pstate").value() == "P8");
}

BOOST_AUTO_TEST_CASE(columns_have_older_names)
{
    const NvidiaSmiTable table("gpu_uuid, clocks_throttle_reasons.hw_slowdown\nGPU-1, Active\n", {"uuid"});
    BOOST_REQUIRE(table.rows().size() == 1u);
    BOOST_TEST(table.rows()[0].text("uuid").value() == "GPU-1");
    BOOST_TEST(table.rows()[0].text("clocks_event_reasons.hw_slowdown").value() == "Active");
}

BOOST_AUTO_TEST_CASE(a_column_under_another_name_is_known_by_its_place)
{
    const NvidiaSmiTable table("index, pcie.link.gen.gpucurrent, pstate\n0, 5, P8\n",
                               {"index", "pcie.link.gen.current", "pstate"});
    BOOST_TEST(table.rows().at(0).number("pcie.link.gen.current").value() == 5);
    const NvidiaSmiTable other("index, name, memory.used [MiB]\n0, x, 5 MiB\n",
                               {"pid", "process_name", "used_gpu_memory"});
    BOOST_TEST(!other.rows().at(0).field("pid"));
}

BOOST_AUTO_TEST_CASE(refused_fields_are_told)
{
    BOOST_TEST(NvidiaSmiTable::refused_field("Field \"mig.mode\" is not a valid field to query.\n").value() ==
               "mig.mode");
    BOOST_TEST(!NvidiaSmiTable::refused_field("No devices were found"));
}

} // namespace
