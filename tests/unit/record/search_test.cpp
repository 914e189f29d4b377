// SPDX-License-Identifier: MIT
// Unit test of record/search.hpp: records out and in again.

#include <slo/record/search.hpp>

#define BOOST_TEST_MODULE record_search
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::record;

namespace {

json::object object(const std::string& text)
{
    return parse_json(text).as_object();
}

std::string refusal(const std::string& text)
{
    try {
        read_probe(object(text));
    } catch (const Error& error) {
        return error.what();
    }
    return "read";
}

} // namespace

BOOST_AUTO_TEST_CASE(probes_survive_the_way_through_text)
{
    SearchProbe probe;
    probe.step = 3;
    probe.phase = "bisect";
    probe.qps = 9.3;
    probe.status = ProbeStatus::not_enough_rounds;
    probe.measured = false;
    probe.avg_p50_latency_s = 4.88;
    probe.primary_metric = "steady";
    probe.window = "steady 3-8";
    probe.tail_avg_p50_latency_s = 5.25;
    probe.warmup_dominated = true;
    probe.hit_rate = 0.5;
    probe.elapsed_s = 61.5;
    probe.service_died = true;
    probe.cache_reset = false;
    probe.evidence.margins = {{"e2e:p50<4", 0.25, 0.125}};
    probe.evidence.rounds = 8;
    probe.evidence.looks = {4, 8};
    probe.evidence.seed = 7;
    probe.notes = {"a", "b"};
    probe.attachments = {json::object{{"x", 1}}};
    const auto text = to_json(to_record(probe));
    auto read = read_probe(object(text));
    BOOST_TEST(read.step == 0u); // numbered anew by who reads
    read.step = 3;
    BOOST_TEST(to_json(to_record(read)) == text);
    BOOST_TEST(text.find("\"qps\":9.3,") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_verdict_with_a_rate_is_a_probe)
{
    const auto steady = read_probe(object(
        R"({"qps":8,"status":"PASS","avg_p50_latency_s":4.9,"primary_metric":"steady","tail_window":4,)"
        R"("steady_window_start_idx":2,"steady_window_size":6,"tail_avg_p50_latency_s":5.1,"warmup_dominated":true,)"
        R"("notes":["first"]})"));
    BOOST_TEST((steady.status == ProbeStatus::pass));
    BOOST_TEST(steady.window == "steady 3-8");
    BOOST_TEST(*steady.avg_p50_latency_s == 4.9);
    BOOST_TEST(steady.warmup_dominated);
    BOOST_TEST(steady.notes.at(0) == "first");
    const auto tail = read_probe(object(
        R"({"qps":8,"status":"FAIL","avg_p50_latency_s":7,"primary_metric":"tail","tail_window":4,"notes":"one"})"));
    BOOST_TEST(tail.window == "tail 4");
    BOOST_TEST(tail.notes.at(0) == "one");
    const auto none = read_probe(object(
        R"({"qps":8,"status":"NOT_ENOUGH_ROUNDS","avg_p50_latency_s":null,"primary_metric":null,"tail_window":4})"));
    BOOST_TEST(!none.avg_p50_latency_s);
    BOOST_TEST(none.window == "");
}

BOOST_AUTO_TEST_CASE(what_is_no_probe_is_refused)
{
    BOOST_TEST(refusal(R"({"status":"PASS"})") == "qps is no positive number in the record of a probe");
    BOOST_TEST(refusal(R"({"qps":"8","status":"PASS"})") ==
               "qps is no positive number in the record of a probe");
    BOOST_TEST(refusal(R"({"qps":-8,"status":"PASS"})") ==
               "qps is no positive number in the record of a probe");
    BOOST_TEST(refusal(R"({"qps":8,"status":"pass"})") == "pass at 8.0 qps is no verdict");
    BOOST_TEST(refusal(R"({"qps":8,"status":"ERROR"})") == "ERROR at 8.0 qps is no verdict");
    BOOST_TEST(refusal(R"({"qps":8,"status":1})") == "no status at 8.0 qps is no verdict");
    BOOST_TEST(refusal(R"({"qps":8})") == "no status at 8.0 qps is no verdict");
}

BOOST_AUTO_TEST_CASE(notes_and_figures_from_outside_are_bounded)
{
    json::array notes;
    for (int i = 0; i < 1000; ++i)
        notes.push_back(json::string(std::string(5000, '\x1B')));
    const auto probe = read_probe(
        {{"qps", 1}, {"status", "PASS"}, {"notes", notes}, {"avg_p50_latency_s", -1}, {"hit_rate", "0.5"}});
    BOOST_TEST(probe.notes.size() == 20u);
    BOOST_TEST(probe.notes[0].size() < 400u);
    BOOST_TEST(probe.notes[0][0] == '?');
    BOOST_TEST(!probe.avg_p50_latency_s);
    BOOST_TEST(!probe.hit_rate);
}

BOOST_AUTO_TEST_CASE(what_decides_nothing_measured_nothing)
{
    for (const auto status :
         {ProbeStatus::not_enough_rounds, ProbeStatus::inconclusive, ProbeStatus::invalid}) {
        BOOST_TEST(!is_decided(status));
        BOOST_TEST((probe_status_of(name_of(status)) == status));
        const auto probe = read_probe({{"qps", 1}, {"status", std::string(name_of(status))}});
        BOOST_TEST((probe.status == status));
        BOOST_TEST(!probe.measured);
    }
    BOOST_TEST(is_decided(ProbeStatus::pass));
    BOOST_TEST(is_decided(ProbeStatus::fail));
}
