// SPDX-License-Identifier: MIT
#include <slo/run/service_start.hpp>

#define BOOST_TEST_MODULE run_service_start
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_service.hpp"

#include <slo/run/service_fork.hpp>
#include <slo/run/service_logs.hpp>
#include <slo/run/service_supervisor.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

using namespace slo;
using namespace slo::run;
using test::ScratchService;

BOOST_FIXTURE_TEST_SUITE(starting, ScratchService)

BOOST_AUTO_TEST_CASE(supervisor_and_service_are_out_of_reach_of_each_other_and_of_us)
{
    const auto state = start("sleep 60");
    const auto service = sys::find_process(state.process->pid);
    const auto supervisor = sys::find_process(state.supervisor->pid);
    BOOST_REQUIRE((service && supervisor));
    BOOST_TEST(service->parent == state.supervisor->pid);
    BOOST_TEST(service->session == state.process->pid);
    BOOST_TEST(supervisor->session == state.supervisor->pid);
    BOOST_TEST(sys::started_with(state.process->pid, service_variable, state.id));
    // What ends a group or a terminal does not end the supervisor.
    for (const int signal : {SIGHUP, SIGINT, SIGTERM})
        ::kill(state.supervisor->pid, signal);
    ::kill(state.process->pid, SIGKILL);
    BOOST_TEST(becomes([&] { return file.read().exit.has_value(); }));
    BOOST_TEST(file.read().exit->signal.value() == SIGKILL);
}

BOOST_AUTO_TEST_CASE(only_standard_streams_are_passed_on)
{
    start("ls -l /proc/$$/fd > fds; readlink /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2");
    BOOST_TEST(becomes([&] { return file.read().exit.has_value(); }));
    const auto text = log_tail(file.read(), 9);
    BOOST_TEST(text == "/dev/null\n" + folder() + "/s.log\n" + folder() + "/s.log\n");
    std::ifstream fds(folder() + "/fds");
    std::string line;
    int count = 0;
    while (std::getline(fds, line))
        count += line.find(" -> ") != std::string::npos && line.find("/fds") == std::string::npos;
    BOOST_TEST(count <= 3 + 1); // the shell keeps stdout aside while it is redirected
}

BOOST_AUTO_TEST_CASE(a_second_start_waits_for_the_end_of_the_first)
{
    const auto first = start("sleep 60");
    BOOST_CHECK_EXCEPTION(start("true"), Error, [&](const auto& e) {
        return std::string(e.what()) ==
               file.path() + ": 's' still runs (pid " + std::to_string(first.process->pid) + ")";
    });
    BOOST_TEST(file.read().id == first.id);
    stop_service(file, 5);
    BOOST_CHECK_NO_THROW(start("true"));
    BOOST_TEST(file.read().id != first.id);
}

BOOST_AUTO_TEST_CASE(the_supervisor_ends_with_the_last_of_the_service)
{
    const auto state = start("sleep 0.3 & exit 4");
    BOOST_TEST(becomes([&] { return file.read().exit.has_value(); }));
    BOOST_TEST(becomes([&] { return !sys::find_process(process_id(*state.supervisor)); }));
    BOOST_TEST(file.read().exit->status.value() == 4);
    BOOST_TEST(file.read().state == "exited");
}

BOOST_AUTO_TEST_CASE(a_folder_that_cannot_be_written_is_an_error_before_the_start)
{
    std::filesystem::create_directory(folder() + "/s.log");
    BOOST_CHECK_THROW(start("touch started"), IoError);
    BOOST_TEST(!std::filesystem::exists(folder() + "/started"));
}

BOOST_AUTO_TEST_CASE(a_log_is_followed_to_the_end_of_the_service)
{
    start("for i in 1 2 3; do echo $i; sleep 0.1; done");
    std::string seen;
    show_log({file.path(), true, 100}, -1, [&](std::string_view text) { seen += text; });
    BOOST_TEST(seen.ends_with("===\n1\n2\n3\n"));
    seen.clear();
    show_log({file.path(), false, 1}, -1, [&](std::string_view text) { seen += text; });
    BOOST_TEST(seen == "3\n");
}

BOOST_AUTO_TEST_SUITE_END()
