// SPDX-License-Identifier: MIT
#include <slo/workload/exact_time.hpp>

#define BOOST_TEST_MODULE workload_exact_time
#include <boost/test/unit_test.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace workload = slo::workload;

namespace {

workload::ExactTime time_of(std::string_view text)
{
    return workload::exact(slo::record::Timestamp::parse(text).value());
}

std::string period_of(std::initializer_list<std::string_view> times)
{
    workload::CyclePeriod period;
    for (const auto time : times)
        period.see(slo::record::Timestamp::parse(time).value());
    const auto result = period.period();
    return result ? workload::to_text(*result) : "none";
}

} // namespace

BOOST_AUTO_TEST_CASE(times_read_as_they_were_written)
{
    for (const auto* text : {"0", "1755000000", "9223372036854775807", "0.5", "1760000000.000000001",
                             "9223372036854775807.999999999999999999"})
        BOOST_TEST(workload::to_text(time_of(text)) == text);
    BOOST_TEST(workload::to_text(time_of("1.76e9")) == "1760000000");
    BOOST_TEST(workload::to_text(time_of("10.50")) == "10.5");
}

BOOST_AUTO_TEST_CASE(a_period_is_the_span_and_a_mean_gap)
{
    BOOST_TEST(period_of({"1755000000", "1755000001", "1755000002"}) == "3");
    BOOST_TEST(period_of({"5", "0", "2"}) == "8");           // 5 / 2 is 2.5, rounded up
    BOOST_TEST(period_of({"0", "0", "0", "0", "1"}) == "2"); // a gap of at least one unit
    BOOST_TEST(period_of({"0.25", "0.5", "1"}) == "1.13");   // 0.375 to two decimals
    BOOST_TEST(period_of({"7", "7"}) == "none");
    BOOST_TEST(period_of({"7"}) == "none");
}

BOOST_AUTO_TEST_CASE(cycles_go_on_until_the_end_of_time)
{
    BOOST_TEST(workload::to_text(workload::later(time_of("0.1"), time_of("0.2"), 7).value()) == "1.5");
    const auto year_ns = time_of("1760000000000000000");
    const auto day = time_of("86400000000000");
    BOOST_TEST(workload::to_text(workload::later(year_ns, day, 86'000).value()) == "9190400000000000000");
    BOOST_TEST(!workload::later(year_ns, day, 87'000));
    BOOST_TEST(!workload::later(time_of("9223372036854775807"), time_of("1"), 1));
    BOOST_TEST(workload::later(time_of("9223372036854775807"), time_of("1"), 0).has_value());
    BOOST_TEST(!workload::later(0, workload::end_of_time, 1'000'000'000));
}
