// SPDX-License-Identifier: MIT
#include <slo/run/system_limits.hpp>

#define BOOST_TEST_MODULE run_system_limits
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_file.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

using namespace slo;

namespace {

// A folder that stands for /proc.
struct Proc {
    test::ScratchFile file;
    const std::string root = file.path() + ".d"; // beside the file, whose name is nobody else's

    Proc() { std::filesystem::create_directories(root + "/sys/net/ipv4"); }
    Proc(const Proc&) = delete;
    Proc& operator=(const Proc&) = delete;
    ~Proc() { std::filesystem::remove_all(root); }

    void put(const std::string& name, const std::string& text) const
    {
        std::filesystem::create_directories(std::filesystem::path(root + "/" + name).parent_path());
        std::ofstream(root + "/" + name) << text;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(system_limits, Proc)

BOOST_AUTO_TEST_CASE(files_of_the_kernel_are_read)
{
    put("sys/net/ipv4/ip_local_port_range", "1024\t65535\n");
    put("sys/net/ipv4/tcp_tw_reuse", "1\n");
    put("net/sockstat",
        "sockets: used 615\nTCP: inuse 402 orphan 3 tw 76 alloc 500 mem 22\nUDP: inuse 7 mem 0\n");
    put("net/sockstat6", "TCP6: inuse 12\nUDP6: inuse 9\n");
    const auto limits = run::read_system_limits(root);
    BOOST_TEST(limits.first_port == 1024);
    BOOST_TEST(limits.last_port == 65535);
    BOOST_TEST(limits.tw_reuse == 1);
    BOOST_TEST(limits.sockets_in_use == 402 + 76 + 12);
}

BOOST_AUTO_TEST_CASE(missing_files_leave_the_defaults)
{
    const auto limits = run::read_system_limits(root + "/none");
    BOOST_TEST(limits.first_port == 32768);
    BOOST_TEST(limits.last_port == 60999);
    BOOST_TEST(limits.tw_reuse == 2);
    BOOST_TEST(limits.sockets_in_use == 0);
    BOOST_TEST(limits.descriptors_hard >= limits.descriptors_soft);
    BOOST_TEST(limits.descriptors_soft > 0);
}

BOOST_AUTO_TEST_CASE(odd_files_leave_the_defaults)
{
    for (const std::string text : {"", "\n", "x y", "5 4", "3 70000", "-1 99", "9 0", "40000",
                                   "99999999999999999999 1", "32768-60999"}) {
        put("sys/net/ipv4/ip_local_port_range", text);
        put("sys/net/ipv4/tcp_tw_reuse", text);
        const auto limits = run::read_system_limits(root);
        BOOST_TEST(limits.first_port == 32768, text);
        BOOST_TEST(limits.last_port == 60999, text);
        BOOST_TEST(limits.tw_reuse == 2, text);
    }
    for (const std::string text : {"TCP:", "TCP: inuse", "TCP: inuse x tw -4", "UDP: inuse 7 tw 5",
                                   "inuse 4 tw 4", "TCP: inuse 99999999999999999999"}) {
        put("net/sockstat", text);
        BOOST_TEST(run::read_system_limits(root).sockets_in_use == 0, text);
    }
    put("net/sockstat", std::string(100'000, 'a'));
    BOOST_TEST(run::read_system_limits(root).sockets_in_use == 0);
    std::filesystem::remove_all(root + "/sys/net/ipv4/tcp_tw_reuse");
    std::filesystem::create_directories(root + "/sys/net/ipv4/tcp_tw_reuse");
    BOOST_TEST(run::read_system_limits(root).tw_reuse == 2);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(a_plan_takes_over_the_limits)
{
    run::SystemLimits limits;
    limits.first_port = 1024;
    limits.last_port = 65535;
    limits.descriptors_soft = 100;
    limits.descriptors_hard = 200;
    limits.sockets_in_use = 5;
    const auto plan = run::port_plan(limits, 8, 2, false);
    BOOST_TEST(plan.reuse);
    BOOST_TEST(plan.qps == 8);
    BOOST_TEST(plan.latency_s == 2);
    BOOST_TEST(plan.first_port == 1024);
    BOOST_TEST(plan.last_port == 65535);
    BOOST_TEST(plan.descriptors_soft == 100);
    BOOST_TEST(plan.descriptors_hard == 200);
    BOOST_TEST(plan.sockets_in_use == 5);
    BOOST_TEST(plan.time_wait_s == 60);
    BOOST_TEST(run::port_plan(limits, 8, 2, true).time_wait_s == 1);
    limits.tw_reuse = 1;
    BOOST_TEST(run::port_plan(limits, 8, 2, false).time_wait_s == 1);
    limits.tw_reuse = 0;
    BOOST_TEST(run::port_plan(limits, 8, 2, true).time_wait_s == 60);
}

BOOST_AUTO_TEST_CASE(the_soft_limit_is_raised_to_the_hard_one)
{
    rlimit before{};
    BOOST_REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    auto lowered = before;
    lowered.rlim_cur = 64;
    BOOST_REQUIRE(::setrlimit(RLIMIT_NOFILE, &lowered) == 0);
    BOOST_TEST(run::read_system_limits().descriptors_soft == 64);
    BOOST_TEST(run::raise_descriptor_limit() == before.rlim_max);
    const auto limits = run::read_system_limits();
    BOOST_TEST(limits.descriptors_soft == limits.descriptors_hard);
    // The table has grown to that at once.
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word && word != "FDSize:") {
    }
    std::int64_t size = 0;
    status >> size;
    BOOST_TEST(size >= std::min<std::int64_t>(limits.descriptors_soft, 65536));
    ::setrlimit(RLIMIT_NOFILE, &before);
}
