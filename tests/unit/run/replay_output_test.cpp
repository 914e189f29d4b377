// SPDX-License-Identifier: MIT
#include <slo/run/replay_output.hpp>

#define BOOST_TEST_MODULE run_replay_output
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_file.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

using namespace slo::run;
using slo::test::ScratchFile;

namespace {

slo::record::Request request(const std::string& id, int round)
{
    slo::record::Request request;
    request.id = id;
    request.round = round;
    request.status = slo::record::RequestStatus::ok;
    request.sent_s = 0;
    request.end_s = 0.5;
    return request;
}

LaneWindow window(int number)
{
    LaneWindow lane;
    lane.window.number = number;
    lane.window.duration_s = 10;
    return lane;
}

std::vector<slo::json::object> records(const ScratchFile& file)
{
    slo::io::LineReader reader(file.path());
    std::vector<slo::json::object> all;
    while (auto record = slo::io::next_object(reader))
        all.push_back(std::move(*record));
    return all;
}

struct Files {
    ScratchFile out, rounds, requests, metrics;
    ReplayOptions options;

    void run(int lanes = 1)
    {
        slo::io::JsonlWriter writer(out.path());
        ReplayOutput output(options, {}, lanes, writer);
        BOOST_TEST(!output.last_p50_s().has_value());
        output.requests({request("a", 1), request("b", 2)});
        output.window(window(1));
        output.requests({request("c", 2)});
        for (int lane = 1; lane < lanes; ++lane)
            output.window(window(1));
        output.window(window(2));
        output.end();
        BOOST_TEST(output.last_p50_s().value() == 0.5);
        BOOST_TEST(output.run_totals().rounds == 2);
        BOOST_TEST(output.run_totals().due == 3);
    }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(rounds_go_to_the_given_stream, Files)
{
    run();
    const auto written = records(out);
    BOOST_REQUIRE_EQUAL(written.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        BOOST_TEST(written[i].at("measurement_round") == i + 1);
        BOOST_TEST(written[i].at("counts").at("due") == i + 1);
    }
}

BOOST_FIXTURE_TEST_CASE(the_end_writes_what_one_loop_alone_had_begun, Files)
{
    run(2);
    BOOST_TEST(records(out).size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(files_take_what_is_named_for_them, Files)
{
    options.json_output = rounds.path();
    options.requests_out = requests.path();
    options.prom_textfile = metrics.path();
    run();
    BOOST_TEST(records(out).empty());
    BOOST_TEST(records(rounds).size() == 2U);
    const auto log = records(requests);
    BOOST_REQUIRE_EQUAL(log.size(), 3U);
    BOOST_TEST(log[2].at("id") == "c");
    const auto text = slo::io::read_all(metrics.path(), 1 << 20);
    BOOST_TEST(text.find("sloutils_replay_round 2.0\n") != std::string::npos);
    BOOST_TEST(text.find("sloutils_replay_requests_total{status=\"ok\"} 3.0\n") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(a_decider_gets_the_rounds_beside_the_file, Files)
{
    options.json_output = rounds.path();
    options.until_decided = true;
    run();
    BOOST_TEST(records(out).size() == 2U);
    BOOST_TEST(records(rounds).size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(a_decider_that_has_gone_costs_nothing, Files)
{
    std::signal(SIGPIPE, SIG_IGN);
    options.json_output = rounds.path();
    options.requests_out = requests.path();
    options.until_decided = true;
    int ends[2];
    BOOST_REQUIRE(::pipe(ends) == 0);
    const slo::io::Fd writing(ends[1]);
    slo::io::JsonlWriter writer("/dev/fd/" + std::to_string(writing.get()));
    ReplayOutput output(options, {}, 1, writer);
    BOOST_TEST(!output.has_told_decider());
    output.requests({request("a", 1)});
    output.window(window(1));
    BOOST_TEST(output.has_told_decider());
    ::close(ends[0]);
    output.requests({request("b", 2)});
    output.window(window(2));
    output.requests({request("c", 3)});
    output.window(window(3));
    output.end();
    output.stopped("decided", 2.5);
    BOOST_TEST(records(rounds).size() == 3U);
    const auto log = records(requests);
    BOOST_REQUIRE_EQUAL(log.size(), 4U);
    BOOST_TEST(slo::to_json(log[3]) == R"({"schema":"sloutils.run/1","stopped":"decided","stopped_s":2.5})");
}

BOOST_FIXTURE_TEST_CASE(where_a_summary_is_to_stand_no_round_stands, Files)
{
    options.summary_format = "vllm";
    run();
    BOOST_TEST(records(out).empty());
    options.json_output = rounds.path();
    run();
    BOOST_TEST(records(rounds).size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(a_metrics_file_that_cannot_be_written_loses_no_round, Files)
{
    options.prom_textfile = "/dev/full";
    slo::io::JsonlWriter writer(out.path());
    ReplayOutput output(options, {}, 1, writer);
    BOOST_TEST(output.textfile_fault().empty());
    output.window(window(1));
    output.window(window(2));
    BOOST_TEST(records(out).size() == 2U);
    BOOST_TEST(output.textfile_fault().find("/dev/full") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_csv_is_quoted_and_counts_per_token)
{
    slo::record::Request request;
    request.id = "r";
    request.conv_id = "a,\"b\"";
    request.due_s = 1;
    request.sent_s = 1.25;
    request.first_token_s = 1.5;
    request.last_token_s = 2.5;
    request.end_s = 2.75;
    request.input_tokens = 7;
    request.output_tokens = 5;
    BOOST_TEST(DetailedLog::row(request) == "r,\"a,\"\"b\"\"\",1.25,1.5,2.75,7,5,0.5,0.25\n");
    request.output_tokens = 1;
    request.first_token_s.reset();
    BOOST_TEST(DetailedLog::row(request) == "r,\"a,\"\"b\"\"\",1.25,,2.75,7,1,,\n");
}

BOOST_AUTO_TEST_CASE(the_csv_lies_in_the_directory_of_the_hint)
{
    ::setenv("TZ", "UTC", 1);
    BOOST_TEST(DetailedLog::path_for("logs/x", 1755000000) == "logs/detailed_results_20250812_120000.csv");
    BOOST_TEST(DetailedLog::path_for("logs/", 1755000000) == "logs/detailed_results_20250812_120000.csv");
    BOOST_TEST(DetailedLog::path_for("on", 1755000000) == "detailed_results_20250812_120000.csv");
}
