// SPDX-License-Identifier: MIT
#include <slo/run/service_life.hpp>

#define BOOST_TEST_MODULE run_service_life
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_service.hpp"

#include <csignal>
#include <string>

using namespace slo;
using namespace slo::run;
using test::ScratchService;

BOOST_FIXTURE_TEST_SUITE(life, ScratchService)

BOOST_AUTO_TEST_CASE(one_that_runs)
{
    const auto state = start("sleep 60; true");
    BOOST_TEST(becomes([&] { return service_life(state).members.size() == 2U; }));
    const auto now = service_life(file);
    BOOST_TEST(now.alive);
    BOOST_TEST(now.state == "running");
    BOOST_TEST(!now.frozen);
    // Not the whole group: a child stopped before its exec keeps a shell that used vfork from stopping.
    ::kill(state.process->pid, SIGSTOP);
    BOOST_TEST(becomes([&] { return service_life(state).frozen; }));
    BOOST_TEST(service_life(state).alive);
}

BOOST_AUTO_TEST_CASE(the_end_is_told_as_it_was)
{
    start("exit 5");
    BOOST_TEST(becomes([&] { return service_life(file).state == "exited"; }));
    BOOST_TEST(service_life(file).exit->status.value() == 5);
    start("kill -9 $$");
    BOOST_TEST(becomes([&] { return service_life(file).state == "exited"; }));
    BOOST_TEST(service_life(file).exit->signal.value() == 9);
}

BOOST_AUTO_TEST_CASE(an_end_on_request_is_told_from_a_death)
{
    const record::ServiceState state;
    const auto by = [&](std::optional<int> status, std::optional<int> signal, bool out_of_memory = false) {
        return ended_by_request(state, record::ServiceExit{status, signal, out_of_memory, {}, {}});
    };
    BOOST_TEST(by({}, SIGTERM));
    BOOST_TEST(by({}, SIGINT));
    BOOST_TEST(by(128 + SIGTERM, {}));
    BOOST_TEST(by(128 + SIGINT, {}));
    BOOST_TEST(!by({}, SIGKILL));
    BOOST_TEST(!by({}, SIGSEGV));
    BOOST_TEST(!by(0, {})); // an engine whose worker has died ends so, too
    BOOST_TEST(!by(1, {}));
    BOOST_TEST(!by({}, SIGTERM, true));
    BOOST_TEST(!ended_by_request(state, {}));
    auto asked = state;
    asked.stop_requested_at = "2026-11-30T10:00:00Z";
    BOOST_TEST(ended_by_request(asked, record::ServiceExit{{}, SIGKILL, false, {}, {}}));
}

BOOST_AUTO_TEST_CASE(numbers_of_another_time_are_another_process)
{
    auto state = start("sleep 60");
    ++state.process->start_ticks;
    ++state.supervisor->start_ticks;
    state.id = "another";
    const auto now = service_life(state);
    BOOST_TEST(!now.alive);
    BOOST_TEST(now.state == "dead");
    BOOST_TEST(now.members.empty());
    BOOST_TEST(now.why == "nobody saw how it ended");
}

BOOST_AUTO_TEST_CASE(another_boot_and_another_namespace)
{
    auto state = start("sleep 60");
    auto elsewhere = state;
    elsewhere.pid_namespace = "pid:[1]";
    BOOST_CHECK_THROW(service_life(elsewhere), Error);
    state.boot_id = "another";
    BOOST_TEST(service_life(state).state == "dead");
    BOOST_TEST(service_life(state).members.empty());
}

BOOST_AUTO_TEST_CASE(what_outlives_its_leader_is_found_while_the_supervisor_stays)
{
    const auto state = start("setsid sleep 60 & sleep 60 & exit 0");
    BOOST_TEST(becomes([&] { return service_life(file).state == "exited"; }));
    BOOST_TEST(service_life(file).members.size() == 2U);
    ::kill(state.supervisor->pid, SIGKILL);
    BOOST_TEST(becomes([&] { return !sys::find_process(process_id(*state.supervisor)); }));
    // Then only what is in its session and says itself whose it is.
    const auto alone = service_life(file.read());
    BOOST_TEST(alone.members.size() == 1U);
    auto unknown = file.read();
    unknown.id = "another";
    BOOST_TEST(service_life(unknown).members.empty());
    BOOST_TEST(service_life(unknown).unsure.size() == 1U);
    for (const auto& each : sys::list_processes())
        if (sys::started_with(each.id.pid, service_variable, state.id))
            sys::send_signal(each.id, SIGKILL);
}

BOOST_AUTO_TEST_CASE(one_that_was_never_started)
{
    ServiceStartOptions options;
    options.state_file = file.path();
    options.command = {"no-such-program"};
    BOOST_CHECK_THROW(start_service(options, [](const std::string&) {}), Error);
    BOOST_TEST(service_life(file).state == "failed");
    auto state = file.read();
    state.state = "starting";
    state.exit.reset();
    BOOST_TEST(becomes([&] { return service_life(state).state == "dead"; }));
    state.supervisor =
        record::ServiceProcess{::getpid(), sys::find_process(::getpid())->id.start_ticks, ::getpid()};
    BOOST_TEST(service_life(state).state == "starting");
    BOOST_TEST(service_life(state).alive);
}

BOOST_AUTO_TEST_SUITE_END()
