// SPDX-License-Identifier: MIT
#include <slo/plan/log_hit_rate.hpp>

#define BOOST_TEST_MODULE plan_log_hit_rate
#include <boost/test/unit_test.hpp>

namespace {
using namespace slo;

BOOST_AUTO_TEST_CASE(tokens_are_summed_not_their_rates)
{
    plan::LogHitRateMeter meter;
    meter.tokens("S", 0, 1000);
    meter.tokens("S", 9, 10);
    meter.rate("V", "local", "", 0.5);
    const auto result = meter.result();
    BOOST_TEST(*result.hit_rate == 9.0 / 1010);
    BOOST_TEST(to_json(plan::to_json_object(result)) ==
               R"({"hit_rate":0.00891089108910891,"hits":9,"queries":1010,"pattern":"S","lines":2,)"
               R"("basis":"tokens of all lines","unused_patterns":{"V":1}})");
}

BOOST_AUTO_TEST_CASE(of_rates_the_latest_of_each_engine_counts)
{
    plan::LogHitRateMeter meter;
    for (const double rate : {0.1, 0.2, 0.6})
        meter.rate("V", "local", "000", rate);
    meter.rate("V", "local", "001", 0.2);
    meter.rate("V", "external", "000", 0.05);
    const auto result = meter.result();
    BOOST_TEST(*result.hit_rate == 0.4);
    BOOST_TEST(result.lines == 4U);
    BOOST_TEST(result.basis == "mean of the latest lines of 2 engines");
    BOOST_TEST(result.layers.at("external") == 0.05);
    BOOST_TEST(!result.hits);
}

BOOST_AUTO_TEST_CASE(no_rate_has_its_reason)
{
    plan::LogHitRateMeter nothing;
    BOOST_TEST(to_json(plan::to_json_object(nothing.result())) ==
               R"({"hit_rate":null,"hits":null,"queries":null,"pattern":null,"lines":0,)"
               R"("reason":"no line of the log tells of a prefix cache"})");
    plan::LogHitRateMeter empty;
    empty.tokens("S", 0, 0);
    BOOST_TEST(!empty.result().hit_rate);
    BOOST_TEST(empty.result().reason == "the log tells of no prompt tokens");
    plan::LogHitRateMeter other;
    other.rate("V", "external", "", 0.9);
    BOOST_TEST(!other.result().hit_rate);
    BOOST_TEST(other.result().reason == "the log tells of other caches only");
}
} // namespace
