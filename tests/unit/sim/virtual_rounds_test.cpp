// SPDX-License-Identifier: MIT
#include <slo/sim/virtual_rounds.hpp>
#define BOOST_TEST_MODULE sim_virtual_rounds
#include <boost/test/unit_test.hpp>

#include <slo/engine/named_profile.hpp>
#include <slo/sim/workload.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace slo;
using namespace slo::sim;

namespace {

const auto small = *engine::named_profile("small");

std::vector<json::object> rounds(const RoundOptions& options)
{
    WorkloadOptions workload;
    workload.route = "tests/data/engine/route.jsonl";
    std::vector<json::object> records;
    run_virtual_rounds(small, load_workload(workload, small), options,
                       [&](const json::object& record) { records.push_back(record); });
    return records;
}

std::string load_complaint(const std::string& row)
{
    const auto path =
        (std::filesystem::temp_directory_path() / ("slo-route-" + std::to_string(::getpid()))).string();
    std::ofstream(path) << R"({"ts":1755000000,"conv_id":"a","body":{"prompt":"fine"}})"
                        << "\n"
                        << row << "\n";
    WorkloadOptions workload;
    workload.route = path;
    std::string what = "none";
    try {
        load_workload(workload, small);
    } catch (const InputError& error) {
        what = error.what();
    }
    std::remove(path.c_str());
    return what.starts_with(path) ? what.substr(path.size()) : what;
}

} // namespace

BOOST_AUTO_TEST_CASE(every_window_is_there_and_counts_what_was_due_in_it)
{
    RoundOptions options;
    options.arrival.qps = 8.2;
    options.round_duration_s = 30;
    options.max_rounds = 3;
    options.e2e_slo_s = 0.5;
    const auto records = rounds(options);
    BOOST_REQUIRE(records.size() == 3u);
    BOOST_TEST(records[0].at("counts").at("due").as_int64() == 246);
    BOOST_TEST(records[1].at("counts").at("due").as_int64() == 246);
    for (std::size_t i = 0; i < 3; ++i) {
        const auto& record = records[i];
        BOOST_TEST(record.at("schema").as_string() == "sloutils.round/1");
        BOOST_TEST(record.at("measurement_round").to_number<int>() == static_cast<int>(i) + 1);
        BOOST_TEST(record.at("target_qps").as_double() == 8.2);
        BOOST_TEST(record.at("success_rate").as_double() == 100.0);
        BOOST_TEST(record.at("model").as_string() == "sim-small");
        BOOST_TEST(record.at("Latency").at("p50").as_double() > 0.1);
        BOOST_TEST(record.at("TTFT").at("p50").as_double() < record.at("Latency").at("p50").as_double());
        BOOST_TEST(record.at("slo_seconds").as_double() == 0.5);
    }
}

BOOST_AUTO_TEST_CASE(each_window_holds_as_many_as_in_the_schedule_of_replay)
{
    for (const double qps : {0.3, 2.5, 9.4, 29.9}) {
        RoundOptions options;
        options.arrival.qps = qps;
        options.round_duration_s = 10;
        options.max_rounds = 7;
        const auto schedule = stats::Schedule::constant(qps, 10, 7);
        const auto records = rounds(options);
        for (int i = 0; i < 7; ++i) {
            const auto due = records[static_cast<std::size_t>(i)].at("counts").at("due").as_int64();
            BOOST_TEST(static_cast<std::size_t>(due) == schedule.first_of(i + 1) - schedule.first_of(i));
        }
    }
}

BOOST_AUTO_TEST_CASE(latency_rises_with_the_rate_and_the_seed_repeats_it)
{
    RoundOptions options;
    options.max_rounds = 2;
    options.arrival.process = stats::Process::poisson;
    double last_p50 = 0;
    for (const double qps : {2.0, 20.0, 40.0}) {
        options.arrival.qps = qps;
        const auto records = rounds(options);
        const double p50 = records[1].at("Latency").at("p50").as_double();
        BOOST_TEST(p50 > last_p50);
        last_p50 = p50;
        BOOST_TEST(to_json(rounds(options)[1]) == to_json(records[1]));
    }
}

BOOST_AUTO_TEST_CASE(rows_without_max_tokens_get_the_default_and_null_leaves_it_to_the_engine)
{
    const auto path =
        (std::filesystem::temp_directory_path() / ("slo-limits-" + std::to_string(::getpid()))).string();
    std::ofstream(path) << R"({"ts":1,"body":{"prompt":"a"}})"
                        << "\n"
                        << R"({"ts":2,"body":{"prompt":"a","max_tokens":null}})"
                        << "\n"
                        << R"({"ts":0,"body":{"prompt":"a","max_tokens":7,"ignore_eos":true}})"
                        << "\n";
    WorkloadOptions options;
    options.route = path;
    const auto rows = load_workload(options, small);
    std::filesystem::remove(path);
    BOOST_REQUIRE(rows.size() == 3u);
    // Sorted by time.
    BOOST_TEST(*rows[0].limits.max_tokens == 7);
    BOOST_TEST(*rows[1].limits.max_tokens == 200);
    BOOST_TEST(!rows[2].limits.max_tokens.has_value());
    BOOST_TEST(!rows[0].limits.ignore_eos);
}

BOOST_AUTO_TEST_CASE(senseless_options_are_refused)
{
    RoundOptions options;
    options.arrival.qps = 0;
    BOOST_CHECK_THROW(rounds(options), UsageError);
    options.arrival.qps = 1;
    options.arrival.process = stats::Process::trace;
    BOOST_CHECK_THROW(rounds(options), UsageError);
    options.arrival.process = stats::Process::constant;
    options.max_rounds = 0;
    BOOST_CHECK_THROW(rounds(options), UsageError);
    options.max_rounds = 1;
    options.round_duration_s = -1;
    BOOST_CHECK_THROW(rounds(options), UsageError);
}

BOOST_AUTO_TEST_CASE(a_row_the_engine_cannot_take_is_named)
{
    BOOST_TEST(load_complaint(R"({"ts":1755000001,"body":{"prompt":"a","max_tokens":9000}})") ==
               ":2: prompt and answer need 9001 tokens, the engine's context holds 8192");
    BOOST_TEST(load_complaint(R"({"ts":1755000001,"body":{"prompt":"a","max_tokens":0}})") ==
               ":2: max_tokens is no integer above 0");
    BOOST_TEST(load_complaint(R"({"ts":1755000001,"body":{"prompt":[{"role":"user","content":5}]}})") ==
               ":2: a message's content must be text or a list of text parts");
    BOOST_TEST(load_complaint(R"({"ts":1755000001,"body":{"prompt":"a","max_tokens":null}})") == "none");
    BOOST_TEST(load_complaint("{}") == ":2: ts is missing");
    BOOST_TEST(load_complaint(R"({"ts":1755000001,"body":{"prompt":"b"}})") == "none");
}

BOOST_AUTO_TEST_CASE(an_engine_that_refuses_all_gives_rounds_of_failures)
{
    const auto refusing = *engine::named_profile("refusing");
    WorkloadOptions workload;
    workload.route = "tests/data/engine/route.jsonl";
    RoundOptions options;
    options.arrival.qps = 2;
    options.max_rounds = 2;
    options.objectives.push_back(stats::parse_objective("success>=99%"));
    int count = 0;
    run_virtual_rounds(refusing, load_workload(workload, refusing), options, [&](const json::object& record) {
        ++count;
        BOOST_TEST(record.at("counts").at("due").as_int64() == 60);
        BOOST_TEST(record.at("counts").at("failed").as_int64() == 60);
        BOOST_TEST(record.at("errors").at("http_5xx").as_int64() == 60);
        BOOST_TEST(record.at("success_rate").as_double() == 0.0);
        BOOST_TEST(record.at("Latency").at("p50").is_null());
        BOOST_TEST(record.at("objectives").at(0).at("requests").as_int64() == 60);
        BOOST_TEST(record.at("objectives").at(0).at("met").as_int64() == 0);
        BOOST_TEST(record.at("exceptions")
                       .at("HTTP 503: as many requests are under way as the engine takes")
                       .as_int64() == 60);
    });
    BOOST_TEST(count == 2);
}
