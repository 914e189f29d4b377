// SPDX-License-Identifier: MIT
#include <slo/io/priority.hpp>

#define BOOST_TEST_MODULE io_priority
#include <boost/test/unit_test.hpp>

#include <thread>

BOOST_AUTO_TEST_CASE(the_answer_is_what_happened_and_threads_started_later_are_ordinary)
{
    const int before = ::sched_getscheduler(0);
    const bool preferred = slo::io::prefer_this_thread();
    BOOST_TEST(::sched_getscheduler(0) == (preferred ? SCHED_RR | SCHED_RESET_ON_FORK : before));
    int of_child = -1;
    std::thread([&] { of_child = ::sched_getscheduler(0); }).join();
    BOOST_TEST(of_child == SCHED_OTHER);
}

BOOST_AUTO_TEST_CASE(one_thread_steps_back_and_no_other)
{
    const auto niceness = [] { return ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid())); };
    const int before = niceness();
    int inside = -1;
    std::thread([&] {
        slo::io::defer_this_thread();
        inside = niceness();
    }).join();
    BOOST_TEST(inside >= 10);
    BOOST_TEST(niceness() == before);
}
