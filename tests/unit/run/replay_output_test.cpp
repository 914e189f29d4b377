// SPDX-License-Identifier: MIT
#include <slo/run/replay_output.hpp>

#define BOOST_TEST_MODULE run_replay_output
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <string>

using namespace slo::run;

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
