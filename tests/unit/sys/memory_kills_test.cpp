// SPDX-License-Identifier: MIT
#include <slo/sys/memory_kills.hpp>

#define BOOST_TEST_MODULE sys_memory_kills
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo::sys;

BOOST_AUTO_TEST_CASE(counters_of_both_versions_of_control_groups)
{
    const std::string v2 = "low 0\nhigh 0\nmax 12\noom 3\noom_kill 2\noom_group_kill 0\n";
    const std::string v1 = "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n";
    BOOST_TEST(counter_in(v2, "oom_kill").value() == 2U);
    BOOST_TEST(counter_in(v1, "oom_kill").value() == 5U);
    BOOST_TEST(!counter_in(v2, "missing").has_value());
    BOOST_TEST(!counter_in("oom_kill", "oom_kill").has_value());
    BOOST_TEST(!counter_in("oom_kill x\n", "oom_kill").has_value());
    BOOST_TEST(!counter_in("", "oom_kill").has_value());
}

BOOST_AUTO_TEST_CASE(where_the_counter_stands)
{
    BOOST_TEST(memory_events_path("0::/user.slice/a.scope\n") ==
               "/sys/fs/cgroup/user.slice/a.scope/memory.events");
    BOOST_TEST(memory_events_path("5:cpu,cpuacct:/x\n4:memory:/y/z\n0::/w\n") ==
               "/sys/fs/cgroup/memory/y/z/memory.oom_control");
    BOOST_TEST(memory_events_path("5:cpu:/x\n") == "");
    BOOST_TEST(memory_events_path("nonsense\n:\n::\n") == "/sys/fs/cgroup/memory.events");
    BOOST_TEST(memory_events_path("") == "");
}

BOOST_AUTO_TEST_CASE(a_record_of_the_kernel_log_names_one_process_of_one_time)
{
    const std::string record =
        "3,1234,5000000,-;Memory cgroup out of memory: Killed process 4711 (vllm) total-vm:1kB";
    BOOST_TEST(tells_of_memory_kill(record, 4711, 4000000));
    BOOST_TEST(tells_of_memory_kill(record, 4711, 5000000));
    BOOST_TEST(!tells_of_memory_kill(record, 4711, 5000001));
    BOOST_TEST(!tells_of_memory_kill(record, 471, 0));
    BOOST_TEST(!tells_of_memory_kill("3,1234;Killed process 4711 (x)", 4711, 0));
    BOOST_TEST(!tells_of_memory_kill("", 4711, 0));
    BOOST_TEST(!tells_of_memory_kill("6,1,9,-;usb 1-1: new device", 4711, 0));
}

BOOST_AUTO_TEST_CASE(nothing_is_said_of_a_process_that_nobody_killed)
{
    BOOST_TEST(!kernel_log_tells_of_memory_kill({::getpid(), ~0ULL / 2'000'000}));
}
