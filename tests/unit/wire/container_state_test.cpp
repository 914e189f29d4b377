// SPDX-License-Identifier: MIT
#include <slo/wire/container_state.hpp>

#define BOOST_TEST_MODULE wire_container_state
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo::wire;

BOOST_AUTO_TEST_CASE(a_running_container)
{
    const auto state = parse_container_state(
        R"({"Status":"running","Running":true,"Paused":false,"Restarting":false,"OOMKilled":false,"Dead":false,"Pid":9,"ExitCode":0,"Error":""})"
        "\n");
    BOOST_REQUIRE(state.has_value());
    BOOST_TEST(state->running);
    BOOST_TEST(!state->paused);
    BOOST_TEST(!state->exit_code.has_value());
}

BOOST_AUTO_TEST_CASE(one_that_was_killed_for_want_of_memory_behind_a_warning)
{
    const auto state =
        parse_container_state("WARNING: old daemon\n{\"level\":\"warn\"}\n{broken\n"
                              R"({"Running":false,"OOMKilled":true,"ExitCode":137,"Error":"a\nb"})");
    BOOST_REQUIRE(state.has_value());
    BOOST_TEST(!state->running);
    BOOST_TEST(state->out_of_memory);
    BOOST_TEST(state->exit_code.value() == 137);
    BOOST_TEST(state->error == "a?b");
}

BOOST_AUTO_TEST_CASE(paused_and_restarting_count_as_running)
{
    BOOST_TEST(parse_container_state(R"({"Running":false,"Paused":true})")->running);
    BOOST_TEST(parse_container_state(R"({"Running":false,"Restarting":true,"ExitCode":1})")->running);
    BOOST_TEST(!parse_container_state(R"({"Running":false,"Restarting":true,"ExitCode":1})")->exit_code);
}

BOOST_AUTO_TEST_CASE(nothing_of_the_kind)
{
    for (const char* text : {"", "\n\n", "[]", "{}", R"({"Running":"yes"})", "Error: No such container: x"})
        BOOST_TEST(!parse_container_state(text).has_value());
    BOOST_TEST(!parse_container_state(R"({"Running":false,"ExitCode":-1})")->exit_code);
    BOOST_TEST(!parse_container_state(R"({"Running":false,"ExitCode":1e300})")->exit_code);
}
