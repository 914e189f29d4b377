// SPDX-License-Identifier: MIT
#include <slo/record/service_status.hpp>

#define BOOST_TEST_MODULE record_service_status
#include <boost/test/unit_test.hpp>

#include <csignal>

using namespace slo;
using namespace slo::record;

BOOST_AUTO_TEST_CASE(ends_in_words)
{
    BOOST_TEST(exit_text({3, {}, false, {}, {}}) == "exit status 3");
    BOOST_TEST(exit_text({{}, SIGKILL, true, {}, {}}) == "killed by signal 9 (Killed), out of memory");
    BOOST_TEST(exit_text({{}, {}, false, {}, "the container is gone"}) ==
               "exit status not known, the container is gone");
}

BOOST_AUTO_TEST_CASE(the_record_has_all_members_always)
{
    ServiceStatus status;
    status.name = "web";
    status.state = "slow";
    status.alive = true;
    status.processes = 3;
    BOOST_TEST(
        to_json(to_record(status)) ==
        R"({"schema":"sloutils.service_status/1","name":"web","state":"slow","alive":true,"ready":false,)"
        R"("api_base":null,"model":null,"elapsed_s":null,"probes":null,"processes":3,"exit_status":null,)"
        R"("signal":null,"out_of_memory":null,"detail":null})");
    BOOST_TEST(!status.well());
    status.asked = false;
    BOOST_TEST(to_record(status).at("ready").is_null());
    BOOST_TEST(status.well());
    status.exit = ServiceExit{{}, 9, true, {}, {}};
    status.elapsed_s = 0.5;
    status.probes = 2;
    const auto record = to_record(status);
    BOOST_TEST(record.at("signal").as_int64() == 9);
    BOOST_TEST(record.at("exit_status").is_null());
    BOOST_TEST(record.at("out_of_memory").as_bool());
    BOOST_TEST(record.at("elapsed_s").as_double() == 0.5);
}
