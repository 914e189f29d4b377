// SPDX-License-Identifier: MIT
// Unit test of record/search.hpp: records out and in again.

#include <slo/record/search.hpp>

#define BOOST_TEST_MODULE record_search
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::record;

namespace {

SearchSettings settings()
{
    return {8.5, 10.5, 0.1, 6.5, true, 16, 8, 18446744073709551615u, {"./probe", "{qps}", "\"quoted\""}};
}

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

BOOST_AUTO_TEST_CASE(settings_survive_the_way_through_text)
{
    const auto record = object(to_json(to_record(settings())));
    BOOST_TEST(*string_at(record, "schema") == "sloutils.search/1");
    BOOST_TEST(*string_at(record, "event") == "start");
    BOOST_TEST(difference(read_settings(record), settings()) == "");
}

BOOST_AUTO_TEST_CASE(every_setting_makes_another_search)
{
    const auto differs = [](auto change) {
        auto other = settings();
        change(other);
        return difference(settings(), other);
    };
    BOOST_TEST(differs([](auto& s) { s.low_qps = 8; }) == "low is 8.5 there, 8.0 here");
    BOOST_TEST(differs([](auto& s) { s.high_qps = 11; }) == "high is 10.5 there, 11.0 here");
    BOOST_TEST(differs([](auto& s) { s.precision_qps = 0.5; }) == "precision is 0.1 there, 0.5 here");
    BOOST_TEST(differs([](auto& s) { s.slo_s = 2; }) == "the SLO is 6.5 there, 2.0 here");
    BOOST_TEST(differs([](auto& s) { s.offload = false; }) == "offload is on there, off here");
    BOOST_TEST(differs([](auto& s) { s.total_rounds = 8; }) == "total-rounds is 16 there, 8 here");
    BOOST_TEST(differs([](auto& s) { s.tail_window = 4; }) == "tail-window is 8 there, 4 here");
    BOOST_TEST(differs([](auto& s) { s.seed = 1; }) == "the seed is 18446744073709551615 there, 1 here");
    BOOST_TEST(differs([](auto& s) { s.command = {"x"}; }) ==
               R"(the command is ["./probe","{qps}","\"quoted\""] there, ["x"] here)");
}

BOOST_AUTO_TEST_CASE(a_start_record_without_its_numbers_is_refused)
{
    BOOST_CHECK_THROW(read_settings(object("{}")), Error);
    auto record = to_record(settings());
    record["slo_s"] = "6.5";
    BOOST_CHECK_THROW(read_settings(record), Error);
}

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

BOOST_AUTO_TEST_CASE(the_result_record)
{
    const SearchResult result{9.4, std::nullopt, true, false, "interrupted", 7, 100.5, {"note"}, 0.66, true};
    BOOST_TEST(
        to_json(to_record(result, settings())) ==
        R"({"schema":"sloutils.search/1","event":"result","max_qps":9.4,"first_fail_qps":null,)"
        R"("first_fail_measured":null,"converged":false,"reason":"interrupted","interrupted":true,)"
        R"("hit_rate":0.66,"reconciled":true,"probes":7,"slo_s":6.5,"precision":0.1,"offload":true,"total_rounds":16,"tail_window":8,"elapsed_s":100.5,)"
        R"("notes":["note"]})");
}
