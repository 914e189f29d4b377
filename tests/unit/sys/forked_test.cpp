// SPDX-License-Identifier: MIT
#include <slo/sys/forked.hpp>

#define BOOST_TEST_MODULE sys_forked
#include <boost/test/unit_test.hpp>

namespace {
using namespace slo;
using sys::Forked;
using Cause = sys::CommandAnswer::Cause;

sys::CommandAnswer shell(const std::string& script, double timeout_s = 20)
{
    return sys::run_bounded({"/bin/sh", "-c", script}, timeout_s, -1, nullptr);
}

BOOST_AUTO_TEST_CASE(a_command_gives_its_output_and_status)
{
    const auto answer = shell("echo out; echo err >&2; exit 7");
    BOOST_TEST((answer.cause == Cause::exited));
    BOOST_TEST(answer.code == 7);
    BOOST_TEST(answer.output == "out\nerr\n");
    BOOST_TEST((shell("kill -9 $$").cause == Cause::signalled));
    BOOST_TEST((sys::run_bounded({"no-such-program"}, 1, -1, nullptr).cause == Cause::not_found));
    BOOST_TEST((sys::run_bounded({"/etc/passwd"}, 1, -1, nullptr).cause == Cause::not_found));
    BOOST_TEST(sys::find_program("sh").ends_with("/sh"));
}

BOOST_AUTO_TEST_CASE(a_command_that_hangs_is_ended_with_all_it_started)
{
    const auto answer = shell("sleep 1000 & echo $!; wait", 0.2);
    BOOST_TEST((answer.cause == Cause::timed_out));
    const auto pid = std::atoi(answer.output.c_str());
    BOOST_REQUIRE(pid > 0);
    for (int i = 0; i < 200 && ::kill(pid, 0) == 0; ++i)
        ::poll(nullptr, 0, 10); // its new parent has to see to it
    const auto stat = std::string("/proc/") + std::to_string(pid) + "/stat";
    BOOST_TEST((::kill(pid, 0) != 0 || ::access(stat.c_str(), R_OK) == 0));
}

BOOST_AUTO_TEST_CASE(work_of_our_own_is_bounded_as_a_command_is)
{
    const auto says = [](int, int out) { return ::write(out, "so", 2) == 2 ? 7 : 0; };
    const auto answer = sys::run_forked(says, 20, -1, nullptr);
    BOOST_TEST((answer.cause == Cause::exited));
    BOOST_TEST(answer.code == 7);
    BOOST_TEST(answer.output == "so");
    const auto hangs = [](int, int) { return ::pause(); };
    BOOST_TEST((sys::run_forked(hangs, 0.1, -1, nullptr).cause == Cause::timed_out));
}

BOOST_AUTO_TEST_CASE(output_is_bounded)
{
    BOOST_TEST(shell("head -c 9000000 /dev/zero").output.size() == Forked::most_output);
}

BOOST_AUTO_TEST_CASE(parent_and_child_talk)
{
    Forked child([](int in, int out) {
        char word[2];
        const auto got = ::read(in, word, 2);
        return ::write(out, word, static_cast<std::size_t>(got)) == 2 ? 5 : 6;
    });
    const auto soon_ns = monotonic_ns() + to_ns(20);
    BOOST_TEST((child.wait(monotonic_ns(), -1) == Forked::Event::timed_out));
    child.send("go");
    BOOST_TEST((child.wait(soon_ns, -1) == Forked::Event::output));
    BOOST_TEST(child.text() == "go");
    BOOST_TEST((child.wait(soon_ns, -1) == Forked::Event::ended));
    const auto end = child.finish(10);
    BOOST_TEST((end.cause == Forked::End::Cause::exited));
    BOOST_TEST(end.code == 5);
}

BOOST_AUTO_TEST_CASE(a_crash_is_not_ours)
{
    Forked child([](int, int) { return ::kill(::getpid(), SIGKILL); });
    BOOST_TEST((child.wait(monotonic_ns() + to_ns(20), -1) == Forked::Event::ended));
    BOOST_TEST((child.finish(10).cause == Forked::End::Cause::signalled));
    Forked thrower([](int, int) -> int { throw Error("x"); });
    BOOST_TEST(thrower.finish(10).code == 1);
}

BOOST_AUTO_TEST_CASE(a_stop_is_seen)
{
    int ends[2];
    BOOST_REQUIRE(::pipe(ends) == 0);
    BOOST_REQUIRE(::write(ends[1], "x", 1) == 1);
    BOOST_TEST((sys::run_bounded({"/bin/sleep", "1000"}, 30, ends[0], nullptr).cause == Cause::stopped));
}

} // namespace
