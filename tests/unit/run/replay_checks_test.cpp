// SPDX-License-Identifier: MIT
#include <slo/run/replay_checks.hpp>

#define BOOST_TEST_MODULE run_replay_checks
#include <boost/test/unit_test.hpp>

#include <slo/io/fd.hpp>

#include <sys/socket.h>
#include <unistd.h>

using namespace slo::run;

// What each check refuses is tested where they come together, in replay_plan_test.
BOOST_AUTO_TEST_CASE(bounds_take_their_ends_in)
{
    using detail::is_between;
    BOOST_TEST(is_between(1, 1.0, 2));
    BOOST_TEST(is_between(1, 2.0, 2));
    BOOST_TEST(!is_between(1, 2.5, 2));
    BOOST_TEST(is_between(1, {}, 2));
}

BOOST_AUTO_TEST_CASE(only_a_pipe_or_a_socket_has_a_reader)
{
    int pipe_ends[2];
    int socket_ends[2];
    BOOST_REQUIRE(::pipe(pipe_ends) == 0);
    BOOST_REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, socket_ends) == 0);
    detail::check_has_reader(pipe_ends[1]);
    detail::check_has_reader(socket_ends[0]);
    for (const auto* path : {"/dev/null", "tests/unit/run/replay_checks_test.cpp"}) {
        const slo::io::Fd file = slo::io::open_input(path);
        BOOST_CHECK_THROW(detail::check_has_reader(file.get()), slo::UsageError);
    }
    BOOST_CHECK_THROW(detail::check_has_reader(-1), slo::UsageError);
}

BOOST_AUTO_TEST_CASE(a_decider_has_standard_output_for_itself)
{
    ReplayOptions options;
    options.json_output = options.requests_out = "file";
    detail::check_until_decided(options);
    for (auto* path : {&options.json_output, &options.requests_out, &options.schedule_out}) {
        *path = "-";
        BOOST_CHECK_THROW(detail::check_until_decided(options), slo::UsageError);
        path->clear();
    }
    options.summary_format = "vllm";
    BOOST_CHECK_THROW(detail::check_until_decided(options), slo::UsageError);
}

BOOST_AUTO_TEST_CASE(the_defaults_pass)
{
    const ReplayOptions options;
    detail::check_numbers(options);
    detail::check_files(options, "route.jsonl");
    detail::check_whole_answers(options);
}
