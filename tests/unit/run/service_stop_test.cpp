// SPDX-License-Identifier: MIT
#include <slo/run/service_stop.hpp>

#define BOOST_TEST_MODULE run_service_stop
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_service.hpp"

#include <slo/run/service_log.hpp>

#include <csignal>
#include <string>

using namespace slo;
using namespace slo::run;
using test::ScratchService;

BOOST_FIXTURE_TEST_SUITE(stopping, ScratchService)

BOOST_AUTO_TEST_CASE(all_that_was_started_is_ended)
{
    start("setsid sleep 60 & sleep 60 & sleep 60 & wait");
    BOOST_TEST(becomes([&] { return service_life(file).members.size() == 4U; }));
    const auto end = stop_service(file, 5);
    BOOST_TEST(end.state == "stopped");
    BOOST_TEST(end.processes == 0);
    BOOST_TEST(file.read().state == "stopped");
    BOOST_TEST(!file.read().stop_requested_at.empty());
    BOOST_TEST(file.read().exit->signal.value() == SIGTERM);
}

BOOST_AUTO_TEST_CASE(what_does_not_want_to_end_is_killed)
{
    start("trap 'echo no' TERM; echo ready; while :; do sleep 0.05; done");
    BOOST_TEST(becomes([&] { return log_tail(file.read(), 1) == "ready\n"; }));
    stop_service(file, 0.2);
    BOOST_TEST(file.read().exit->signal.value() == SIGKILL);
    BOOST_TEST(log_tail(file.read(), 1000).find("no\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_frozen_one_hears_of_it)
{
    const auto state = start("trap 'echo bye; exit 6' TERM; echo ready; while :; do sleep 0.05; done");
    BOOST_TEST(becomes([&] { return log_tail(file.read(), 1) == "ready\n"; }));
    ::kill(state.process->pid, SIGSTOP);
    stop_service(file, 20);
    BOOST_TEST(file.read().exit->status.value() == 6);
}

BOOST_AUTO_TEST_CASE(one_that_had_ended_stays_as_it_is)
{
    start("exit 3");
    BOOST_TEST(becomes([&] { return file.read().exit.has_value(); }));
    const auto end = stop_service({file.path(), false, 1});
    BOOST_TEST(end.state == "exited");
    BOOST_TEST(end.detail == "had ended before: exit status 3");
    BOOST_TEST(file.read().state == "exited");
}

BOOST_AUTO_TEST_CASE(without_yes_it_is_only_said)
{
    const auto state = start("exec sleep 60");
    BOOST_CHECK_EXCEPTION(stop_service({file.path(), false, 1.5}), Error, [&](const auto& e) {
        return std::string(e.what()) == "would end 's' (pid " + std::to_string(state.process->pid) +
                                            "): SIGTERM, after 1.5 s SIGKILL; --yes does it";
    });
    BOOST_TEST(service_life(file).alive);
    BOOST_CHECK_THROW(stop_service({file.path(), true, -1}), UsageError);
}

BOOST_AUTO_TEST_CASE(one_that_is_being_started_is_let_alone)
{
    start("exec sleep 60");
    auto state = file.read();
    const auto kept = state;
    state.state = "starting";
    state.process.reset();
    file.write(state);
    BOOST_CHECK_THROW(stop_service({file.path(), true, 1}), Error);
    file.write(kept);
}

BOOST_AUTO_TEST_SUITE_END()
