// SPDX-License-Identifier: MIT
#include <slo/run/system_check.hpp>

#define BOOST_TEST_MODULE run_system_check
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace slo::run;

namespace {

struct Fixture {
    ReplayPlan plan;
    slo::record::Route route;
    std::vector<std::string> notes;

    Fixture()
    {
        plan.request.api_base = "http://127.0.0.1:8000/v1";
        route.rows.resize(11);
        for (std::size_t i = 0; i < 11; ++i)
            route.rows[i].ts_ns = static_cast<std::int64_t>(i) * 500'000'000;
    }
    void check(double latency_s)
    {
        check_system_limits(plan, route, latency_s, [&](const std::string& note) { notes.push_back(note); });
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(system_check, Fixture)

BOOST_AUTO_TEST_CASE(each_kind_of_load_has_a_rate)
{
    plan.arrival.qps = 8;
    plan.arrival.end_qps = 20;
    plan.mode = ReplayMode::continuous;
    BOOST_TEST(planned_qps(plan, route, 1) == 20);
    plan.mode = ReplayMode::closed;
    plan.users = 50;
    BOOST_TEST(planned_qps(plan, route, 2) == 25);
    plan.mode = ReplayMode::timestamp;
    plan.arrival.speed = 2;
    BOOST_TEST(planned_qps(plan, route, 2) == 11 / 2.5);
}

BOOST_AUTO_TEST_CASE(a_load_beyond_this_machine_is_refused_with_what_to_change)
{
    plan.mode = ReplayMode::continuous;
    plan.arrival.qps = 10;
    check(1);
    plan.arrival.qps = 1'000'000;
    try {
        check(10'000);
        BOOST_ERROR("was let through");
    } catch (const slo::Error& error) {
        const std::string text = error.what();
        BOOST_TEST(text.find("system limits") != std::string::npos);
        BOOST_TEST(text.find("--shard") != std::string::npos);
    }
    plan.e2e_slo_s = 0.0001; // the SLO says what latency to expect
    check(10'000);
    plan.e2e_slo_s.reset();
    plan.max_in_flight = 100; // no more than these are ever open
    check(10'000);
}

BOOST_AUTO_TEST_SUITE_END()
