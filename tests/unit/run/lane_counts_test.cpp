// SPDX-License-Identifier: MIT
#include <slo/run/lane_counts.hpp>

#define BOOST_TEST_MODULE run_lane_counts
#include <boost/test/unit_test.hpp>

#include <thread>

using slo::record::RequestStatus;

BOOST_AUTO_TEST_CASE(what_one_thread_counts_another_reads)
{
    slo::run::LaneCounts counts;
    BOOST_TEST(counts.round() == 1);
    BOOST_TEST(counts.rounds() == 0);
    std::thread([&] {
        for (int i = 0; i < 1000; ++i)
            counts.add_due();
        counts.add_ended(RequestStatus::ok);
        counts.add_ended(RequestStatus::not_sent);
        counts.set_on_wire(998);
        counts.set_round(2);
        counts.set_rounds(8);
    }).join();
    BOOST_TEST(counts.due() == 1000);
    BOOST_TEST(counts.ended(static_cast<std::size_t>(RequestStatus::ok)) == 1);
    BOOST_TEST(counts.ended(static_cast<std::size_t>(RequestStatus::failed)) == 0);
    BOOST_TEST(counts.ended(static_cast<std::size_t>(RequestStatus::not_sent)) == 1);
    BOOST_TEST(counts.on_wire() == 998U);
    BOOST_TEST(counts.round() == 2);
    BOOST_TEST(counts.rounds() == 8);
}
