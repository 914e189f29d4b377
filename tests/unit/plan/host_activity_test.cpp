// SPDX-License-Identifier: MIT
#include <slo/plan/host_activity.hpp>

#define BOOST_TEST_MODULE plan_host_activity
#include <boost/test/unit_test.hpp>

#include <string>

namespace {

std::string host_of(const std::string& before, const std::string& after)
{
    return slo::to_json(slo::plan::HostActivity(slo::record::parse_snapshot(before, "before"),
                                                slo::record::parse_snapshot(after, "after"))
                            .to_json_object());
}

std::string scrape(double idle_s, double user_s, double iowait_s, double available_bytes)
{
    return "node_cpu_seconds_total{cpu=\"0\",mode=\"idle\"} " + slo::format_double(idle_s) +
           "\nnode_cpu_seconds_total{cpu=\"0\",mode=\"user\"} " + slo::format_double(user_s) +
           "\nnode_cpu_seconds_total{cpu=\"0\",mode=\"iowait\"} " + slo::format_double(iowait_s) +
           "\nnode_memory_MemAvailable_bytes " + slo::format_double(available_bytes) +
           "\nnode_memory_MemTotal_bytes 4194304\nnode_load1 " + slo::format_double(user_s / 100) + "\n";
}

} // namespace

BOOST_AUTO_TEST_CASE(shares_are_of_the_window)
{
    BOOST_TEST(host_of(scrape(1000, 100, 10, 3145728), scrape(1006, 103, 11, 2097152)) ==
               R"({"":{"cpu_busy_pct":30.0,"cpu_iowait_pct":10.0,"memory_available_min_mib":2.0,)"
               R"("memory_total_mib":4.0,"load1_max":1.03}})");
}

BOOST_AUTO_TEST_CASE(a_restart_or_no_time_gives_no_share)
{
    const std::string null_shares = R"({"":{"cpu_busy_pct":null,"cpu_iowait_pct":null,)";
    BOOST_TEST(host_of(scrape(1000, 100, 10, 1), scrape(5, 1, 0, 1)).starts_with(null_shares));
    BOOST_TEST(host_of(scrape(5, 1, 0, 1), scrape(5, 1, 0, 1)).starts_with(null_shares));
}

BOOST_AUTO_TEST_CASE(hosts_are_told_apart_and_other_exporters_are_none)
{
    BOOST_TEST(host_of("node_load1{instance=\"a\"} 1\n", "node_load1{instance=\"b\"} 2\n") ==
               R"({"a":{"cpu_busy_pct":null,"cpu_iowait_pct":null,"memory_available_min_mib":null,)"
               R"("memory_total_mib":null,"load1_max":1.0},)"
               R"("b":{"cpu_busy_pct":null,"cpu_iowait_pct":null,"memory_available_min_mib":null,)"
               R"("memory_total_mib":null,"load1_max":2.0}})");
    BOOST_TEST(host_of("vllm:x 1\n", "vllm:x 2\n") == "{}");
}
