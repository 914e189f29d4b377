// SPDX-License-Identifier: MIT
#include <slo/record/probe_metrics.hpp>
#define BOOST_TEST_MODULE record_probe_metrics
#include <boost/test/unit_test.hpp>

#include <slo/base/json.hpp>

#include <string>

using namespace slo;
using namespace slo::record;

namespace {

json::object parsed(const std::string& text)
{
    return parse_json(text).as_object();
}

} // namespace

BOOST_AUTO_TEST_CASE(a_diff_gives_its_hit_rate_and_its_reconciliation_once)
{
    ProbeMetrics metrics;
    BOOST_TEST(metrics.take(parsed(R"({"schema":"sloutils.diff/1","hit_rate":0.664,"reset_detected":false,
        "reconciliation":{"reconciled":true,"reason":null}})")));
    SearchProbe probe;
    metrics.give(probe);
    BOOST_TEST(probe.hit_rate.value() == 0.664);
    BOOST_TEST(probe.reconciled.value());
    BOOST_TEST(probe.notes.empty());
    SearchProbe next;
    metrics.give(next);
    BOOST_TEST(!next.hit_rate);
    BOOST_TEST(!next.reconciled);
}

BOOST_AUTO_TEST_CASE(what_casts_doubt_is_noted)
{
    ProbeMetrics metrics;
    metrics.take(parsed(R"({"schema":"sloutils.diff/1","hit_rate":null,"reset_detected":false,
        "reconciliation":{"reconciled":false,"reason":"requests: 3.0 by the client, 9.0 by the server"}})"));
    SearchProbe probe;
    metrics.give(probe);
    BOOST_TEST(!probe.reconciled.value());
    BOOST_TEST(probe.notes.at(0) == "client and server did not count the same: requests: 3.0 by the client, "
                                    "9.0 by the server");
    metrics.take(parsed(R"({"schema":"sloutils.diff/1","reset_detected":true,
        "reconciliation":{"reconciled":null,"reason":"the server was restarted during the run"}})"));
    SearchProbe restarted;
    metrics.give(restarted);
    BOOST_TEST(!restarted.reconciled);
    BOOST_TEST(restarted.notes.at(0) == "the server's counters were reset during the probe");
}

BOOST_AUTO_TEST_CASE(other_records_give_a_sound_hit_rate_and_nothing_else)
{
    ProbeMetrics metrics;
    BOOST_TEST(!metrics.take(parsed(R"({"hit_rate":0.5,"reconciliation":{"reconciled":false}})")));
    BOOST_TEST(!metrics.take(parsed(R"({"hit_rate":7})")));
    BOOST_TEST(!metrics.take(parsed(R"({"schema":5,"hit_rate":"0.4","reset_detected":true})")));
    SearchProbe probe;
    probe.reconciled = true;
    metrics.give(probe);
    BOOST_TEST(probe.hit_rate.value() == 0.5);
    BOOST_TEST(probe.reconciled.value());
    BOOST_TEST(probe.notes.empty());
    SearchProbe known;
    known.hit_rate = 0.1;
    metrics.take(parsed(R"({"hit_rate":0.9})"));
    metrics.give(known);
    BOOST_TEST(known.hit_rate.value() == 0.1);
}
