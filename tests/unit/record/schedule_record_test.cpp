// SPDX-License-Identifier: MIT
#include <slo/record/schedule_record.hpp>

#define BOOST_TEST_MODULE record_schedule_record
#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <limits>
#include <string>

using namespace slo;
using stats::Process;

BOOST_AUTO_TEST_CASE(the_header_names_what_the_process_reads)
{
    stats::Arrival arrival;
    arrival.process = Process::gamma;
    arrival.qps = 8.2;
    arrival.burstiness = 0.5;
    arrival.seed = std::numeric_limits<std::uint64_t>::max();
    BOOST_TEST(
        to_json(record::schedule_header(arrival, 30, 12, false)) ==
        R"({"schema":"sloutils.schedule/1","process":"gamma","qps":8.2,"end_qps":null,"burstiness":0.5,)"
        R"("seed":18446744073709551615,"speed":null,"windows":12,"window_s":30.0,"due_from":"run"})");
    arrival.process = Process::ramp;
    arrival.end_qps = 9.5;
    BOOST_TEST(
        to_json(record::schedule_header(arrival, 30, std::nullopt, true)) ==
        R"({"schema":"sloutils.schedule/1","process":"ramp","qps":8.2,"end_qps":9.5,"burstiness":null,)"
        R"("seed":null,"speed":null,"windows":null,"window_s":30.0,"due_from":"round"})");
    arrival.process = Process::trace;
    arrival.speed = 2;
    BOOST_TEST(
        to_json(record::schedule_header(arrival, 60, 3, false)) ==
        R"({"schema":"sloutils.schedule/1","process":"trace","qps":null,"end_qps":null,"burstiness":null,)"
        R"("seed":null,"speed":2.0,"windows":3,"window_s":60.0,"due_from":"run"})");
}

BOOST_AUTO_TEST_CASE(a_request_says_when_it_is_due_and_from_where_it_comes)
{
    const std::string conv_id = "a\"b\n";
    BOOST_TEST(to_json(record::to_record({3, 0.30000000000000004, 2, conv_id, 17})) ==
               R"({"i":3,"due_s":0.30000000000000004,"round":2,"conv_id":"a\"b\n","line":17})");
    BOOST_TEST(to_json(record::to_record(record::ScheduledRequest{})) ==
               R"({"i":0,"due_s":0.0,"round":1,"conv_id":"","line":0})");
}
