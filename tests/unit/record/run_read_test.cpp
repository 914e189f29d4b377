// SPDX-License-Identifier: MIT
#include <slo/record/run_read.hpp>

#define BOOST_TEST_MODULE record_run_read
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::record;

namespace {

json::object object(const std::string& text)
{
    return parse_json(text).get_object();
}

RunLoad load(const std::string& config)
{
    return read_run_load(object(R"({"latency_basis":"send","config":{)" + config + "}}"));
}

} // namespace

BOOST_AUTO_TEST_CASE(the_load_is_that_of_the_configuration)
{
    const auto seen =
        load(R"("replay_mode":"qps","continuous_qps_window":true,"target_qps":8,"ramp_to":null,)"
             R"("round_duration_s":30,"max_rounds":12,"concurrency":null,"shard":"1/4")");
    BOOST_TEST(seen.round_duration_s == 30);
    BOOST_TEST(!seen.drains);
    BOOST_TEST(seen.target_qps(5).value() == 8);
    BOOST_TEST(seen.max_rounds.value() == 12);
    BOOST_TEST(!seen.concurrency.has_value());
    BOOST_TEST(seen.shard == "1/4");
    BOOST_TEST((seen.basis == LatencyBasis::send));
}

BOOST_AUTO_TEST_CASE(rounds_drain_at_a_rate_only)
{
    BOOST_TEST(load(R"("round_duration_s":1,"replay_mode":"qps")").drains);
    BOOST_TEST(load(R"("round_duration_s":1,"replay_mode":"qps","continuous_qps_window":false)").drains);
    BOOST_TEST(!load(R"("round_duration_s":1,"replay_mode":"timestamp")").drains);
    const auto closed = load(R"("round_duration_s":1,"replay_mode":"closed","concurrency":7)");
    BOOST_TEST(!closed.drains);
    BOOST_TEST(closed.concurrency.value() == 7);
    BOOST_TEST(!closed.target_qps(1).has_value());
}

BOOST_AUTO_TEST_CASE(a_ramp_has_a_rate_for_each_round)
{
    const auto ramp = load(R"("round_duration_s":1,"target_qps":2,"ramp_to":10,"max_rounds":4)");
    BOOST_TEST(ramp.target_qps(1).value() == 3);
    BOOST_TEST(ramp.target_qps(4).value() == 9);
    BOOST_TEST(!load(R"("round_duration_s":1,"target_qps":2,"ramp_to":10)").target_qps(1).has_value());
}

BOOST_AUTO_TEST_CASE(what_replay_does_not_write_is_refused)
{
    BOOST_CHECK_THROW(read_run_load(object("{}")), InputError);
    BOOST_CHECK_THROW(read_run_load(object(R"({"config":[]})")), InputError);
    for (const auto* config :
         {"", R"("round_duration_s":null)", R"("round_duration_s":0)", R"("round_duration_s":1e300)",
          R"("round_duration_s":"30")", R"("round_duration_s":1,"target_qps":-1)",
          R"("round_duration_s":1,"max_rounds":1e9)", R"("round_duration_s":1,"concurrency":true)"})
        BOOST_CHECK_THROW(load(config), InputError);
}

BOOST_AUTO_TEST_CASE(a_closing_record_says_why_and_when)
{
    BOOST_TEST(!read_run_stop(object("{}")).has_value());
    const auto stop = read_run_stop(object(R"({"stopped":"decided","stopped_s":2.5})"));
    BOOST_TEST(stop->by == "decided");
    BOOST_TEST(stop->at_s.value() == 2.5);
    BOOST_TEST(!read_run_stop(object(R"({"stopped":"route_exhausted","stopped_s":null})"))->at_s.has_value());
    BOOST_CHECK_THROW(read_run_stop(object(R"({"stopped":"decided","stopped_s":-1})")), InputError);
}
