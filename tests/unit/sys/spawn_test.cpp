// SPDX-License-Identifier: MIT
#include <slo/sys/spawn.hpp>

#define BOOST_TEST_MODULE sys_spawn
#include <boost/test/unit_test.hpp>

#include <slo/sys/process_id.hpp>

#include <fcntl.h>
#include <sys/wait.h>

#include <csignal>
#include <string>

using namespace slo;
using namespace slo::sys;

namespace {

int status_of(const std::string& line, const SpawnOptions& options = {})
{
    int status = -1;
    ::waitpid(spawn({{"sh", "-c", line}, {{"WORD", "a b"}}}, options), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

} // namespace

BOOST_AUTO_TEST_CASE(it_leads_a_session_with_empty_input_and_its_environment)
{
    const auto pid = spawn({{"sh", "-c", "read x; exec sleep 60"}, {}}, {});
    const auto found = find_process(pid);
    BOOST_REQUIRE(found.has_value());
    BOOST_TEST(found->session == pid);
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    BOOST_TEST(status_of("read x && exit 1; [ \"$WORD\" = 'a b' ] && exit 7") == 7);
    BOOST_TEST(status_of("exit 3", {.folder = {}, .new_session = false}) == 3);
}

BOOST_AUTO_TEST_CASE(signals_that_we_ignore_reach_it)
{
    ::signal(SIGTERM, SIG_IGN);
    BOOST_TEST(status_of("kill -TERM $$; exit 1") == -SIGTERM);
    ::signal(SIGTERM, SIG_DFL);
}

BOOST_AUTO_TEST_CASE(it_runs_where_it_is_told_and_writes_where_it_is_told)
{
    int ends[2];
    BOOST_REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    BOOST_TEST(status_of("pwd; echo no >&2", {"/", ends[1], ends[1], true}) == 0);
    char text[16] = {};
    BOOST_TEST(::read(ends[0], text, sizeof text) == 5);
    BOOST_TEST(std::string(text) == "/\nno\n");
    ::close(ends[0]);
    ::close(ends[1]);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_executed_is_said_at_once)
{
    const auto says = [](const std::string& text) {
        return [text](const Error& error) { return std::string(error.what()) == text; };
    };
    BOOST_CHECK_EXCEPTION(spawn({{"no-such-program"}, {}}, {}), Error, says("no-such-program: not found"));
    BOOST_CHECK_EXCEPTION(spawn({{"/"}, {}}, {}), Error, says("/: not executable"));
    BOOST_CHECK_EXCEPTION(spawn({{}, {}}, {}), Error, says(": not found"));
}
