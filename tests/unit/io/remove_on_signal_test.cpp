// SPDX-License-Identifier: MIT
#include <slo/io/remove_on_signal.hpp>

#define BOOST_TEST_MODULE io_remove_on_signal
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_file.hpp"

#include <sys/wait.h>

#include <csignal>
#include <filesystem>
#include <string>

namespace {

// What becomes of a process that watches `path` and gets `signal`.
int status_after(int signal, const std::string& path)
{
    const auto child = ::fork();
    if (child == 0) {
        slo::io::RemoveOnSignal guard;
        guard.watch([&] { return std::string_view(path); });
        ::raise(signal);
        ::_exit(0);
    }
    int status = 0;
    BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
    return status;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_signal_removes_the_file_and_ends_the_process)
{
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        const slo::test::ScratchFile file;
        const int status = status_after(signal, file.path());
        BOOST_TEST(WIFEXITED(status));
        BOOST_TEST(WEXITSTATUS(status) == 2);
        BOOST_TEST(!std::filesystem::exists(file.path()));
    }
}

BOOST_AUTO_TEST_CASE(without_a_file_the_process_ends)
{
    BOOST_TEST(WEXITSTATUS(status_after(SIGTERM, "")) == 2);
}

BOOST_AUTO_TEST_CASE(what_the_caller_ignored_stays_ignored)
{
    const slo::test::ScratchFile file;
    const auto before = std::signal(SIGINT, SIG_IGN);
    BOOST_TEST(status_after(SIGINT, file.path()) == 0);
    std::signal(SIGINT, before);
    BOOST_TEST(std::filesystem::exists(file.path()));
}

BOOST_AUTO_TEST_CASE(a_signal_during_the_making_waits_for_its_end)
{
    const slo::test::ScratchFile file;
    const auto child = ::fork();
    if (child == 0) {
        slo::io::RemoveOnSignal guard;
        guard.watch([&] {
            ::raise(SIGTERM);
            return std::string_view(file.path());
        });
        ::_exit(0);
    }
    int status = 0;
    BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
    BOOST_TEST(WEXITSTATUS(status) == 2);
    BOOST_TEST(!std::filesystem::exists(file.path()));
}

BOOST_AUTO_TEST_CASE(a_path_beyond_all_bounds_is_an_error)
{
    slo::io::RemoveOnSignal guard;
    const std::string path(PATH_MAX, 'x');
    BOOST_CHECK_THROW(guard.watch([&] { return std::string_view(path); }), slo::IoError);
}
