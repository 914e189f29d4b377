// SPDX-License-Identifier: MIT
#include <slo/trace/utc_time.hpp>

#define BOOST_TEST_MODULE trace_utc_time
#include <boost/test/unit_test.hpp>

namespace {
using slo::trace::parse_moment;

BOOST_AUTO_TEST_CASE(moments_of_both_azure_traces)
{
    BOOST_TEST(parse_moment("2023-11-16 18:15:46.6805900").value() == 1'700'158'546'680'590'000);
    BOOST_TEST(parse_moment("2024-05-10 00:00:00.009930+00:00").value() == 1'715'299'200'009'930'000);
    BOOST_TEST(parse_moment("2024-05-10 00:00:00+00:00").value() == 1'715'299'200'000'000'000);
}

BOOST_AUTO_TEST_CASE(zones_and_fractions)
{
    BOOST_TEST(parse_moment("2024-05-10T02:30:00.000000001+02:30").value() == 1'715'299'200'000'000'001);
    BOOST_TEST(parse_moment("2024-05-09 23:00:00-01:00").value() == 1'715'299'200'000'000'000);
    BOOST_TEST(parse_moment("2024-05-10T00:00:00Z").value() == 1'715'299'200'000'000'000);
    BOOST_TEST(parse_moment("1970-01-01 00:00:00").value() == 0);
}

BOOST_AUTO_TEST_CASE(what_is_no_moment)
{
    for (const char* text :
         {"", "2024-05-10", "2024-05-10 00:00", "2024-05-10 00:00:00.", "2024-05-10 00:00:00.0000000001",
          "2024-05-10 00:00:00+0000", "2024-05-10 00:00:00+00:60", "2024-05-10 00:00:00+24:00",
          "2024-05-10 00:00:00++1:00", "2024-05-10 00:00:00+01:-1", "2024-13-10 00:00:00",
          "2024-02-30 00:00:00", "2024-05-10 24:00:00", "2024-05-10 00:00:00 ", "2024-05-10_00:00:00",
          "1970-01-01 00:00:00+01:00", "2024-05-10 00:00:00.1x", "2024-05-10 00:00:00Z+00:00", "1715299200"})
        BOOST_TEST(!parse_moment(text), text);
}

} // namespace
