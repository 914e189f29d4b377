// SPDX-License-Identifier: MIT
#include <slo/sys/host.hpp>

#define BOOST_TEST_MODULE sys_host
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_folder.hpp"

#include <unistd.h>

namespace {
using namespace slo;

BOOST_AUTO_TEST_CASE(memory_is_what_kernel_and_control_group_leave)
{
    const test::ScratchFolder root;
    root.write("proc/meminfo", "MemTotal:  900 kB\nMemAvailable:   500 kB\n");
    const auto proc = root.path() + "/proc", sysfs = root.path() + "/sys";
    BOOST_TEST(sys::available_memory_bytes(proc, sysfs).value() == 512000u);
    root.write("sys/fs/cgroup/memory.max", "max\n");
    root.write("sys/fs/cgroup/memory.current", "300000\n");
    root.write("sys/fs/cgroup/memory.stat", "anon 1\ninactive_file 100000\n");
    BOOST_TEST(sys::available_memory_bytes(proc, sysfs).value() == 512000u);
    root.write("sys/fs/cgroup/memory.max", "400000\n");
    BOOST_TEST(sys::available_memory_bytes(proc, sysfs).value() == 200000u);
    root.write("sys/fs/cgroup/memory.current", "600000\n");
    BOOST_TEST(sys::available_memory_bytes(proc, sysfs).value() == 0u);
    BOOST_TEST(!sys::available_memory_bytes("/no/such", "/no/such"));
}

BOOST_AUTO_TEST_CASE(older_control_groups_count_too)
{
    const test::ScratchFolder root;
    root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "1000\n");
    root.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "900\n");
    root.write("sys/fs/cgroup/memory/memory.stat", "total_inactive_file 400\n");
    BOOST_TEST(sys::available_memory_bytes("/no/such", root.path() + "/sys").value() == 500u);
}

BOOST_AUTO_TEST_CASE(governors_and_distances)
{
    const test::ScratchFolder root;
    for (const std::string cpu : {"cpu0", "cpu1"}) {
        root.write("devices/system/cpu/" + cpu + "/cpufreq/scaling_governor",
                   cpu == "cpu0" ? "performance" : "powersave");
        root.write("devices/system/cpu/" + cpu + "/cpufreq/scaling_driver", "acpi-cpufreq\n");
    }
    root.write("devices/system/cpu/cpufreq/scaling_governor", "odd");
    const auto found = sys::cpu_governors(root.path());
    BOOST_TEST(found.governors.size() == 2u);
    BOOST_TEST(found.driver == "acpi-cpufreq");
    root.write("devices/system/node/online", "0,2\n");
    root.write("devices/system/node/node0/distance", "10 21\n");
    BOOST_TEST(sys::numa_distance(root.path(), 0, 2).value() == 21);
    BOOST_TEST(!sys::numa_distance(root.path(), 0, 1));
    BOOST_TEST(!sys::numa_distance(root.path(), 7, 0));
}

BOOST_AUTO_TEST_CASE(parents)
{
    const test::ScratchFolder proc;
    proc.write("7/stat", "7 (odd) name) S 3 7 7 0\n");
    proc.write("8/stat", "");
    proc.write("9/stat", "x");
    BOOST_TEST(sys::parent_pid(proc.path(), 7).value() == 3);
    BOOST_TEST(!sys::parent_pid(proc.path(), 8));
    BOOST_TEST(!sys::parent_pid(proc.path(), 9));
    BOOST_TEST(!sys::parent_pid(proc.path(), 10));
    BOOST_TEST(sys::parent_pid("/proc", ::getpid()).value() == ::getppid());
}

BOOST_AUTO_TEST_CASE(disk_and_limits)
{
    BOOST_TEST(sys::free_disk_bytes("/").has_value());
    BOOST_TEST(!sys::free_disk_bytes("/no/such"));
    const auto limit = sys::resource_limit(RLIMIT_NOFILE);
    BOOST_REQUIRE(limit);
    BOOST_TEST((!limit->hard || (limit->soft && *limit->soft <= *limit->hard)));
}

} // namespace
