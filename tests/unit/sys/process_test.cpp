// SPDX-License-Identifier: MIT
// Unit test of sys/process.hpp and sys/child.hpp: how commands end, and that nothing outlives them.

#include <slo/sys/process.hpp>

#define BOOST_TEST_MODULE sys_process
#include <boost/test/unit_test.hpp>

#include <slo/sys/child.hpp>

#include <sys/prctl.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

using namespace slo;
using namespace slo::sys;
using Cause = CommandEnd::Cause;

namespace {

struct Seen {
    CommandEnd end;
    std::string output;
};

Seen run(const std::string& script, CommandWatch watch = {})
{
    std::string output;
    watch.on_output = [&](std::string_view bytes) { output += bytes; };
    const auto end = run_command({{"/bin/sh", "-c", script}, {{"SLO_QPS", "8.5"}}}, watch);
    return {end, output};
}

std::string refusal(const std::string& program)
{
    try {
        run_command({{program}, {}}, {});
    } catch (const Error& error) {
        return error.what();
    }
    return "started";
}

/// Waits up to ten seconds for the process to be gone.
bool gone(pid_t pid)
{
    for (int i = 0; i < 1000 && ::kill(pid, 0) == 0; ++i) {
        ::waitpid(pid, nullptr, WNOHANG);
        ::poll(nullptr, 0, 10);
    }
    return ::kill(pid, 0) != 0;
}

} // namespace

BOOST_AUTO_TEST_CASE(status_output_and_environment)
{
    const auto seen = run("echo one; printf two; echo \"$SLO_QPS\"; exit 7");
    BOOST_TEST((seen.end.cause == Cause::exited));
    BOOST_TEST(seen.end.code == 7);
    BOOST_TEST(seen.output == "one\ntwo8.5\n");
}

BOOST_AUTO_TEST_CASE(an_added_variable_replaces_the_inherited_one)
{
    ::setenv("SLO_QPS", "1", 1);
    BOOST_TEST(run("echo $SLO_QPS; env | grep -c ^SLO_QPS=").output == "8.5\n1\n");
    ::unsetenv("SLO_QPS");
}

BOOST_AUTO_TEST_CASE(stdin_is_empty)
{
    BOOST_TEST(run("wc -c").output == "0\n");
}

BOOST_AUTO_TEST_CASE(output_larger_than_the_pipe_arrives_whole)
{
    BOOST_TEST(run("head -c 3000000 /dev/zero").output.size() == 3000000u);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_started_is_named)
{
    BOOST_TEST(refusal("./no-such-command") == "./no-such-command: not found");
    BOOST_TEST(refusal("no-such-command-on-the-path") == "no-such-command-on-the-path: not found");
    BOOST_TEST(refusal("/etc/passwd") == "/etc/passwd: not executable");
    BOOST_TEST(refusal("/") == "/: not executable");
    BOOST_TEST(refusal("") == ": not found");
}

BOOST_AUTO_TEST_CASE(death_by_signal_is_no_status)
{
    const auto seen = run("kill -9 $$");
    BOOST_TEST((seen.end.cause == Cause::signalled));
    BOOST_TEST(seen.end.code == SIGKILL);
}

BOOST_AUTO_TEST_CASE(a_child_that_closes_its_output_is_waited_for)
{
    const auto seen = run("echo last; exec >&-; sleep 0.1; exit 3");
    BOOST_TEST(seen.end.code == 3);
    BOOST_TEST(seen.output == "last\n");
}

BOOST_AUTO_TEST_CASE(a_background_process_is_not_waited_for)
{
    const auto before_ns = monotonic_ns();
    const auto seen = run("sleep 30 & echo $!; exit 0");
    BOOST_TEST(monotonic_ns() - before_ns < 20'000'000'000);
    const auto pid = std::stoi(seen.output);
    BOOST_TEST(::kill(pid, 0) == 0);
    ::kill(pid, SIGKILL);
}

BOOST_AUTO_TEST_CASE(a_timeout_ends_the_whole_group)
{
    CommandWatch watch;
    watch.timeout_s = 0.1;
    const auto seen = run("sleep 60 & echo $!; wait", watch);
    BOOST_TEST((seen.end.cause == Cause::timed_out));
    BOOST_TEST(gone(std::stoi(seen.output)));
}

BOOST_AUTO_TEST_CASE(who_ignores_sigterm_is_killed)
{
    CommandWatch watch;
    watch.timeout_s = 0.1;
    watch.grace_s = 0.1;
    const auto seen = run("trap '' TERM; echo on; while :; do sleep 60; done", watch);
    BOOST_TEST((seen.end.cause == Cause::timed_out));
    BOOST_TEST(seen.output == "on\n");
}

BOOST_AUTO_TEST_CASE(a_stop_lets_the_command_say_its_last)
{
    io::StopSignal stop;
    CommandWatch watch;
    watch.stop = &stop;
    const auto seen =
        run("trap 'echo ending; exit 2' TERM; kill -INT $PPID; while :; do sleep 0.02; done", watch);
    BOOST_TEST((seen.end.cause == Cause::stopped));
    BOOST_TEST(seen.output == "ending\n");
}

BOOST_AUTO_TEST_CASE(the_child_gets_the_signal_mask_from_before)
{
    io::StopSignal stop;
    CommandWatch watch;
    watch.stop = &stop;
    const auto seen = run("kill -TERM $$; echo survived", watch);
    BOOST_TEST((seen.end.cause == Cause::signalled));
    BOOST_TEST(seen.end.code == SIGTERM);
}

BOOST_AUTO_TEST_CASE(ticks_come_while_it_is_silent)
{
    int ticks = 0;
    CommandWatch watch;
    watch.tick_s = 0.01;
    watch.on_tick = [&] { ++ticks; };
    run("sleep 0.3", watch);
    BOOST_TEST(ticks >= 2);
}

BOOST_AUTO_TEST_CASE(one_that_is_of_no_use_any_more_is_ended)
{
    CommandWatch watch;
    watch.tick_s = 0.01;
    int ticks = 0;
    watch.on_tick = [&] { ++ticks; };
    watch.no_use = [&] { return ticks == 3; };
    const auto seen = run("echo so far; sleep 60", watch);
    BOOST_TEST((seen.end.cause == Cause::no_use));
    BOOST_TEST(seen.output == "so far\n");
    BOOST_TEST(ticks >= 3);
}

BOOST_AUTO_TEST_CASE(an_exception_in_a_callback_leaves_nothing_running)
{
    pid_t pid = 0;
    CommandWatch watch;
    watch.on_output = [&](std::string_view bytes) {
        pid = std::stoi(std::string(bytes));
        throw Error("enough");
    };
    BOOST_CHECK_THROW(run_command({{"/bin/sh", "-c", "echo $$; sleep 60"}, {}}, watch), Error);
    BOOST_TEST(gone(pid));
}

BOOST_AUTO_TEST_CASE(death_of_the_parent_ends_the_group)
{
    // A process between us and the command is killed; the command's own child must follow.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    int ends[2];
    BOOST_REQUIRE(::pipe(ends) == 0);
    const auto middle = ::fork();
    if (middle == 0) {
        CommandWatch watch;
        watch.on_output = [&](std::string_view bytes) { io::write_all(io::Fd(ends[1]), bytes, "pipe"); };
        run_command({{"/bin/sh", "-c", "sleep 60 & echo $!; wait"}, {}}, watch);
        ::_exit(0);
    }
    char text[32]{};
    BOOST_REQUIRE(::read(ends[0], text, sizeof text - 1) > 0);
    const auto grandchild = std::stoi(text);
    BOOST_TEST(::kill(grandchild, 0) == 0);
    ::kill(middle, SIGKILL);
    ::waitpid(middle, nullptr, 0);
    BOOST_TEST(gone(grandchild));
}
