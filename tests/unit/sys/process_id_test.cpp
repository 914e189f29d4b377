// SPDX-License-Identifier: MIT
#include <slo/sys/process_id.hpp>

#define BOOST_TEST_MODULE sys_process_id
#include <boost/test/unit_test.hpp>

#include <slo/sys/spawn.hpp>

#include <sys/wait.h>

#include <algorithm>
#include <string>

using namespace slo::sys;

namespace {

const std::string fields = " S 7 42 43 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 1 2\n";

} // namespace

BOOST_AUTO_TEST_CASE(a_line_of_proc_is_read)
{
    const auto stat = parse_process_stat("42 (sh)" + fields);
    BOOST_REQUIRE(stat.has_value());
    BOOST_TEST(stat->id.pid == 42);
    BOOST_TEST(stat->id.start_ticks == 987654U);
    BOOST_TEST(stat->parent == 7);
    BOOST_TEST(stat->session == 43);
    BOOST_TEST(stat->state == 'S');
}

BOOST_AUTO_TEST_CASE(a_name_may_look_like_fields)
{
    const auto stat = parse_process_stat("42 (a) R 1 (b)" + fields);
    BOOST_REQUIRE(stat.has_value());
    BOOST_TEST(stat->parent == 7);
}

BOOST_AUTO_TEST_CASE(what_is_no_such_line_is_refused)
{
    for (const std::string text : {"", "42", "42 (sh", "42 sh) S", "x (sh)", "42 (sh) S 7 42", "42 (sh) "})
        BOOST_TEST(!parse_process_stat(text).has_value());
    BOOST_TEST(!parse_process_stat("x (sh)" + fields).has_value());
    BOOST_TEST(!parse_process_stat("42 (sh) SS 7 42 43 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 9 1\n").has_value());
}

BOOST_AUTO_TEST_CASE(states)
{
    ProcessStat stat;
    stat.state = 'Z';
    BOOST_TEST(!stat.alive());
    stat.state = 'T';
    BOOST_TEST((stat.alive() && stat.frozen()));
    stat.state = 'D';
    BOOST_TEST((stat.alive() && !stat.frozen()));
}

BOOST_AUTO_TEST_CASE(a_process_is_found_by_number_and_start_alone)
{
    const auto self = find_process(::getpid());
    BOOST_REQUIRE(self.has_value());
    BOOST_TEST(find_process(self->id).has_value());
    BOOST_TEST(!find_process(ProcessId{self->id.pid, self->id.start_ticks + 1}).has_value());
    BOOST_TEST(!find_process(0).has_value());
    BOOST_TEST(!find_process(-1).has_value());
    const auto all = list_processes();
    BOOST_TEST(std::any_of(all.begin(), all.end(), [&](const auto& each) { return each.id == self->id; }));
}

BOOST_AUTO_TEST_CASE(another_with_the_same_number_gets_no_signal)
{
    const auto pid = spawn({{"sleep", "60"}, {{"SLO_TEST_MARK", "it"}}}, {});
    const auto id = find_process(pid)->id;
    BOOST_TEST(!send_signal({pid, id.start_ticks + 1}, SIGKILL));
    BOOST_TEST(find_process(id).has_value());
    BOOST_TEST(started_with(pid, "SLO_TEST_MARK", "it"));
    BOOST_TEST(!started_with(pid, "SLO_TEST_MARK", "i"));
    BOOST_TEST(!started_with(pid, "TEST_MARK", "it"));
    BOOST_TEST(send_signal(id, SIGKILL));
    int status = 0;
    ::waitpid(pid, &status, 0);
    BOOST_TEST(WTERMSIG(status) == SIGKILL);
    BOOST_TEST(!find_process(id).has_value());
    BOOST_TEST(!send_signal(id, SIGKILL));
}

BOOST_AUTO_TEST_CASE(an_ended_process_that_nobody_waited_for_is_not_alive)
{
    const auto pid = spawn({{"true"}, {}}, {});
    siginfo_t info;
    BOOST_REQUIRE(::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) == 0);
    const auto stat = find_process(pid);
    BOOST_REQUIRE(stat.has_value());
    BOOST_TEST(!stat->alive());
    BOOST_TEST(!find_process(stat->id).has_value());
    ::waitpid(pid, nullptr, 0);
}

BOOST_AUTO_TEST_CASE(the_machine_has_names)
{
    BOOST_TEST(boot_id().size() == 36U);
    BOOST_TEST(pid_namespace().starts_with("pid:["));
}
