// SPDX-License-Identifier: MIT
// Unit test of run/shell_command.hpp: how a line of the shell ended.

#include <slo/run/shell_command.hpp>

#define BOOST_TEST_MODULE run_shell_command
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::run;

BOOST_AUTO_TEST_CASE(only_a_status_of_0_is_well)
{
    io::StopSignal stop;
    BOOST_TEST(run_shell_command("test \"$A\" = b", {{"A", "b"}}, 10, stop) == "");
    BOOST_TEST(run_shell_command("exit 7", {}, 10, stop) == "ended with status 7");
    BOOST_TEST(run_shell_command("kill -9 $$", {}, 10, stop) == "killed by signal 9 (Killed)");
    BOOST_TEST(run_shell_command("sleep 60", {}, 0.05, stop) == "took longer than 0.05 s");
}

BOOST_AUTO_TEST_CASE(what_it_leaves_in_the_background_is_not_waited_for)
{
    io::StopSignal stop;
    BOOST_TEST(run_shell_command("sleep 1 &", {}, 0.5, stop) == "");
}

BOOST_AUTO_TEST_CASE(a_stop_ends_it)
{
    io::StopSignal stop;
    BOOST_TEST(run_shell_command("kill -TERM $PPID; sleep 60", {}, 10, stop) == "interrupted");
}
