// SPDX-License-Identifier: MIT
// Hit rates from the series of their counters.

#include <slo/plan/cache_rates.hpp>

#define BOOST_TEST_MODULE plan_cache_rates
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::plan;

namespace {

record::CacheRate rate(const std::string& before, const std::string& after, bool denom_is_total = true,
                       const std::string& doubt = "")
{
    const auto first = record::parse_snapshot(before, "before");
    const auto second = record::parse_snapshot(after, "after");
    const MetricsWindow window(first, second);
    return rate_of(window, {"local", window.find("h"), window.find("d"), denom_is_total, "from"}, doubt);
}

} // namespace

BOOST_AUTO_TEST_CASE(differences_are_summed_before_the_division)
{
    const auto found = rate("h{from=\"a\"} 1\nd{e=\"x\"} 10\n",
                            "h{from=\"a\"} 3\nh{from=\"b\"} 4\nd{e=\"x\"} 20\nd{e=\"y\"} 2\n");
    BOOST_TEST(found.hits.value() == 6);
    BOOST_TEST(found.queries.value() == 12);
    BOOST_TEST(found.hit_rate.value() == 0.5);
    BOOST_TEST((found.by_source == record::NamedFigures{{"a", 2.0 / 12}, {"b", 4.0 / 12}}));
    BOOST_TEST(rate("h 0\nd 0\n", "h 3\nd 9\n", false).hit_rate.value() == 0.25);
}

BOOST_AUTO_TEST_CASE(a_rate_that_cannot_be_known_has_a_reason)
{
    const auto expect = [](const record::CacheRate& found, const std::string& reason) {
        BOOST_TEST(!found.hit_rate.has_value());
        BOOST_TEST(found.reason.find(reason) != std::string::npos, found.reason);
        BOOST_TEST(found.by_source.empty());
    };
    expect(rate("h 1\nd 2\n", "h 1\nd 2\n"), "no lookups");
    expect(rate("h 1\nd 2\n", "h 5\nd 4\n"), "more hits than lookups");
    expect(rate("h 1\nd 2\n", "h 0\nd 4\n"), "h fell from 1.0 to 0.0");
    expect(rate("h 1\nd 2\n", "h 2\n"), "d is missing");
    expect(rate("h 1\nd 2\n", "h +Inf\nd 4\n"), "not a finite number");
    expect(rate("h 1\nd 2\n", "h 2\nd 4\n", true, "restarted"), "restarted");
    expect(rate("h 1\nd 2\nx", "h 2\nh{e=\"1\"} 2\nd 9\n"),
           "missing in the first snapshot, whose end is cut off");
    expect(rate("h 1\n", "h 2\n"), "no such series");
}

BOOST_AUTO_TEST_CASE(engines_that_have_one_counter_only_have_no_rate)
{
    const auto first = record::parse_snapshot("", "before");
    const auto second =
        record::parse_snapshot("h{engine=\"0\"} 1\nd{engine=\"0\"} 2\nd{engine=\"1\"} 2\n", "after");
    const MetricsWindow window(first, second);
    const CacheFamilies cache{"local", window.find("h"), window.find("d"), true, ""};
    const auto rates = rates_by_engine(window, cache, EngineKey(cache.denom), {});
    BOOST_TEST_REQUIRE(rates.size() == 2U);
    BOOST_TEST(rates[0].second.hit_rate.value() == 0.5);
    BOOST_TEST(!rates[1].second.hit_rate.has_value());
    BOOST_TEST(rates[1].second.reason == "no such series");
}
