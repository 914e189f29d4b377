// SPDX-License-Identifier: MIT
#include <slo/plan/port_budget.hpp>

#define BOOST_TEST_MODULE plan_port_budget
#include <boost/test/unit_test.hpp>

#include <slo/base/json.hpp>
#include <slo/io/fd.hpp>

#include <limits>
#include <string>

using namespace slo;
using plan::PortPlan;

namespace {

json::object case_file(const char* name)
{
    return parse_json(io::read_all(std::string("tests/data/cases/R03-port-and-fd-budget/") + name,
                                   std::size_t{1} << 20))
        .as_object();
}

PortPlan case_plan()
{
    const auto given = case_file("plan.json");
    PortPlan plan;
    plan.qps = number_at(given, "target_rps").value();
    plan.latency_s = number_at(given, "mean_latency_s").value();
    plan.first_port = static_cast<int>(as_number(&array_at(given, "port_range")->at(0)).value());
    plan.last_port = static_cast<int>(as_number(&array_at(given, "port_range")->at(1)).value());
    plan.time_wait_s = number_at(given, "time_wait_s").value();
    plan.destinations = static_cast<int>(integer_at(given, "destinations").value());
    plan.descriptors_soft = integer_at(given, "nofile_soft").value();
    plan.descriptors_hard = 1'048'576;
    return plan;
}

std::string advice_of(const PortPlan& plan)
{
    return plan::advice(plan, plan::port_budget(plan)).value_or("");
}

} // namespace

BOOST_AUTO_TEST_CASE(R03_ports_and_descriptors)
{
    const auto expected = case_file("expected.json");
    auto plan = case_plan();
    plan.reuse = false;
    const auto without = plan::port_budget(plan);
    BOOST_TEST(without.ports_available == integer_at(expected, "ports_available").value());
    BOOST_TEST(without.ports_needed == integer_at(expected, "ports_needed_without_reuse").value());
    BOOST_TEST(without.ports_ok == expected.at("feasible_without_reuse").as_bool());
    BOOST_CHECK_CLOSE(without.max_qps, number_at(expected, "max_rps_without_reuse").value(), 1e-12);
    BOOST_TEST(!without.ok());
    plan.reuse = true;
    const auto with = plan::port_budget(plan);
    BOOST_TEST(with.connections == integer_at(expected, "connections_needed_with_reuse").value());
    BOOST_TEST(with.ports_needed == with.connections);
    BOOST_TEST(with.ports_ok == expected.at("feasible_with_reuse_by_ports").as_bool());
    BOOST_TEST(with.soft_limit_ok == expected.at("fd_limit_ok").as_bool());
    BOOST_TEST(with.hard_limit_ok);
    BOOST_TEST(with.ok());
    BOOST_TEST(advice_of(plan) == ""); // raising the soft limit is enough
}

BOOST_AUTO_TEST_CASE(advice_names_what_to_change)
{
    auto plan = case_plan();
    plan.descriptors_hard = 1024;
    // 1200 + 4 √1200 + 64
    BOOST_TEST(advice_of(plan) ==
               "1403 descriptors are needed for 600.0 requests a second of 2.0 s, the hard "
               "limit is 1024: raise it (ulimit -n, LimitNOFILE=) or divide the load (--shard)");
    plan = case_plan();
    plan.reuse = false;
    BOOST_TEST(
        advice_of(plan) ==
        "37200 local ports are needed for 600.0 requests a second of 2.0 s without reuse of connections, "
        "there are 28232: widen net.ipv4.ip_local_port_range (sysctl) or divide the load (--shard)");
    plan.qps = 2000; // more than any range has
    BOOST_TEST(advice_of(plan).ends_with(
        "there are 28232: divide the load over more source addresses or machines (--shard)"));
    plan = case_plan();
    plan.sockets_in_use = 27'500;
    BOOST_TEST(plan::port_budget(plan).ok());
    BOOST_TEST(advice_of(plan) ==
               "1200 local ports are needed for 600.0 requests a second of 2.0 s; 27500 sockets "
               "are in use and 28232 ports in all: they may run out if these lead to the same "
               "server");
}

BOOST_AUTO_TEST_CASE(destinations_and_source_addresses_multiply_the_ports)
{
    auto plan = case_plan();
    plan.reuse = false;
    plan.destinations = 2;
    BOOST_TEST(plan::port_budget(plan).ports_available == 2 * 28232);
    BOOST_TEST(plan::port_budget(plan).ok());
    plan.destinations = 1;
    plan.source_addresses = 3;
    BOOST_TEST(plan::port_budget(plan).ports_available == 3 * 28232);
    plan.source_addresses = 1;
    plan.time_wait_s = 1; // reused after a second
    BOOST_TEST(plan::port_budget(plan).ports_needed == 1800);
}

BOOST_AUTO_TEST_CASE(the_bounds_are_exact)
{
    PortPlan plan;
    plan.qps = 100;
    plan.latency_s = 1; // 100 + 4 · 10 + 64
    for (const auto& [limit, enough] : {std::pair(203, false), std::pair(204, true)}) {
        plan.descriptors_soft = limit;
        plan.descriptors_hard = limit;
        BOOST_TEST(plan::port_budget(plan).soft_limit_ok == enough);
        BOOST_TEST(plan::port_budget(plan).hard_limit_ok == enough);
    }
    plan.first_port = 50000;
    for (const auto& [last, enough] : {std::pair(50098, false), std::pair(50099, true)}) {
        plan.last_port = last;
        BOOST_TEST(plan::port_budget(plan).ports_ok == enough);
    }
    plan.qps = 8.2;
    plan.latency_s = 30; // 245.99999999999997 in doubles
    BOOST_TEST(plan::port_budget(plan).connections == 246);
}

BOOST_AUTO_TEST_CASE(odd_figures_overflow_nothing)
{
    PortPlan plan;
    BOOST_TEST(plan::port_budget(plan).ok());
    BOOST_TEST(plan::port_budget(plan).max_qps == 0);
    plan.qps = 1e9;
    plan.latency_s = 1e9;
    plan.descriptors_hard = std::numeric_limits<std::int64_t>::max();
    BOOST_TEST(!plan::port_budget(plan).ports_ok);
    plan.first_port = 60999;
    plan.last_port = 32768;
    BOOST_TEST(plan::port_budget(plan).ports_available == 0);
}
