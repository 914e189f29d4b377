// SPDX-License-Identifier: MIT
// The header line of a saved scrape, written and read.

#include <slo/record/snapshot_header.hpp>

#define BOOST_TEST_MODULE record_snapshot_header
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo::record;

BOOST_AUTO_TEST_CASE(is_one_line_of_this_form)
{
    SnapshotHeader header;
    header.taken_s = 1779076800.25;
    header.url = "http://host:8000/metrics";
    header.duration_s = 0.0123;
    header.bytes = 12345;
    header.label = "node a\n";
    BOOST_TEST(format_snapshot_header(header) ==
               "# sloutils.snapshot/1 time=2026-05-18T04:00:00.250Z url=http://host:8000/metrics "
               "duration_s=0.012 bytes=12345 label=node_a_");
    BOOST_TEST(format_snapshot_header({}) == "# sloutils.snapshot/1");
}

BOOST_AUTO_TEST_CASE(what_is_written_reads_back)
{
    SnapshotHeader header;
    header.taken_s = 1779076800.25;
    header.url = "http://host:8000/metrics?a=b";
    header.duration_s = 0.012;
    header.bytes = 12345;
    header.label = "decode=1";
    const auto back = parse_snapshot_header(format_snapshot_header(header)).value();
    BOOST_TEST(back.taken_s.value() == 1779076800.25);
    BOOST_TEST(back.url.value() == *header.url);
    BOOST_TEST(back.duration_s.value() == 0.012);
    BOOST_TEST(back.bytes.value() == 12345U);
    BOOST_TEST(back.label.value() == "decode=1");
}

BOOST_AUTO_TEST_CASE(unknown_keys_and_senseless_values_are_passed_over)
{
    const auto header = parse_snapshot_header("# sloutils.snapshot/1  time=yesterday colour=red bytes=-1 =x "
                                              "duration_s=nan alone url=  label=a")
                            .value();
    BOOST_TEST(!header.taken_s.has_value());
    BOOST_TEST(!header.bytes.has_value());
    BOOST_TEST(!header.duration_s.has_value());
    BOOST_TEST(header.url.value().empty());
    BOOST_TEST(header.label.value() == "a");
}

BOOST_AUTO_TEST_CASE(other_lines_are_none)
{
    for (const auto* line : {"", "# sloutils.snapshot/12 bytes=1", "# sloutils.snapshot",
                             "#sloutils.snapshot/1", " # sloutils.snapshot/1", "# HELP a b"})
        BOOST_TEST(!parse_snapshot_header(line).has_value(), line);
    BOOST_TEST(parse_snapshot_header("# sloutils.snapshot/1").has_value());
    BOOST_TEST(parse_snapshot_header("# sloutils.snapshot/1 ").has_value());
}

BOOST_AUTO_TEST_CASE(moments)
{
    BOOST_TEST(parse_utc_moment("2026-05-18T04:05:00+00:00").value() == 1779077100);
    BOOST_TEST(parse_utc_moment("2026-05-18T04:05:00.5Z").value() == 1779077100.5);
    BOOST_TEST(parse_utc_moment("2026-05-18T04:05:00.500000+00:00").value() == 1779077100.5);
    for (const auto* text : {"2026-05-18T04:05:00", "2026-05-18T04:05:00+02:00", "2026-02-30T04:05:00Z",
                             "2026-05-18T04:05:00Z ", "now", ""})
        BOOST_TEST(!parse_utc_moment(text).has_value(), text);
    BOOST_TEST(iso8601_utc_ms(1779077100.9996) == "2026-05-18T04:05:01.000Z");
    BOOST_TEST(iso8601_utc_ms(0) == "1970-01-01T00:00:00.000Z");
}
