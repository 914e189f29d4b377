// SPDX-License-Identifier: MIT
// Unit test of run/service_keeper.hpp: dead, frozen, restarted and slow are told apart; what died is started
// again.

#include <slo/run/service_keeper.hpp>

#define BOOST_TEST_MODULE run_service_keeper
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_folder.hpp"
#include "../../support/sleeping_service.hpp"

#include <csignal>
#include <string>
#include <vector>

using namespace slo;
using namespace slo::run;

namespace {

using State = Aftermath::State;

struct Bench {
    test::ScratchFolder folder;
    test::SleepingService service{folder.path() + "/s.json"};
    io::StopSignal stop;
    std::vector<std::string> events;
    KeeperOptions options;

    Bench() { options.state_file = service.file().path(); }

    ServiceKeeper keeper()
    {
        return {options,
                stop,
                {[](const std::string&) {}, [](const std::string&) {},
                 [&](const std::string& what, const std::string& text) {
                     events.push_back(what + ": " + text);
                 }}};
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(one_that_lives_is_ready_and_unharmed)
{
    Bench bench;
    auto keeper = bench.keeper();
    BOOST_TEST(!keeper.make_ready());
    BOOST_TEST(!keeper.gone());
    BOOST_TEST((keeper.look_after(true).state == State::unharmed));
    BOOST_TEST(keeper.relaunches() == 0u);
}

BOOST_AUTO_TEST_CASE(a_death_is_seen_and_says_how)
{
    Bench bench;
    auto keeper = bench.keeper();
    BOOST_TEST(!keeper.make_ready());
    ::kill(bench.service.pid(), SIGKILL);
    // Also where it takes a moment to be gone, as nothing else says why there is no verdict.
    const auto after = keeper.look_after(false);
    BOOST_TEST((after.state == State::died));
    BOOST_TEST(after.text == "killed by signal 9 (Killed)");
    BOOST_TEST(keeper.gone());
    const auto stop = keeper.make_ready();
    BOOST_TEST(stop.value().reason == "service_died");
    BOOST_TEST(stop->note == "the service does not run: killed by signal 9 (Killed)");
}

BOOST_AUTO_TEST_CASE(who_was_asked_to_end_has_not_died)
{
    for (const int signal : {SIGTERM, SIGINT}) {
        Bench bench;
        auto keeper = bench.keeper();
        BOOST_TEST(!keeper.make_ready());
        ::kill(bench.service.pid(), signal);
        BOOST_TEST((keeper.look_after(false).state == State::stopped));
        BOOST_TEST(keeper.make_ready().value().reason == "service_stopped");
    }
    Bench bench;
    auto keeper = bench.keeper();
    BOOST_TEST(!keeper.make_ready());
    bench.service.file().update(
        [](record::ServiceState& state) { state.stop_requested_at = "2026-11-30T10:00:00Z"; });
    BOOST_TEST(!keeper.gone());
    ::kill(bench.service.pid(), SIGKILL); // its grace is over
    while (service_life(bench.service.file()).alive) {
    }
    BOOST_TEST((keeper.look_after(true).state == State::stopped));
}

BOOST_AUTO_TEST_CASE(who_was_asked_to_end_and_is_there_again_has_not_died)
{
    Bench bench;
    auto keeper = bench.keeper();
    BOOST_TEST(!keeper.make_ready());
    bench.service.stop();
    bench.service.start();
    const auto after = keeper.look_after(true); // nobody looked in between
    BOOST_TEST((after.state == State::stopped));
    BOOST_TEST(after.text == "it was started anew by another meanwhile");
    BOOST_TEST(!keeper.make_ready());
    bench.service.stop();
    bench.service.start();
    bench.service.stop();
    bench.service.start(); // what came between is not known
    BOOST_TEST((keeper.look_after(true).state == State::died));
}

BOOST_AUTO_TEST_CASE(a_restart_by_another_is_a_death)
{
    Bench bench;
    auto keeper = bench.keeper();
    BOOST_TEST(!keeper.make_ready());
    ::kill(bench.service.pid(), SIGKILL);
    while (service_life(bench.service.file()).state != "exited") {
    }
    bench.service.start();
    BOOST_TEST(keeper.gone());
    BOOST_TEST((keeper.look_after(true).state == State::died));
    BOOST_TEST(!keeper.make_ready()); // the new one is as good
    BOOST_TEST((keeper.look_after(true).state == State::unharmed));
}

BOOST_AUTO_TEST_CASE(a_freeze_is_remembered_until_the_probe_is_over)
{
    Bench bench;
    auto keeper = bench.keeper();
    BOOST_TEST(!keeper.make_ready());
    ::kill(bench.service.pid(), SIGSTOP);
    while (!service_life(bench.service.file()).frozen) {
    }
    BOOST_TEST(!keeper.gone());
    ::kill(bench.service.pid(), SIGCONT);
    while (service_life(bench.service.file()).frozen) {
    }
    BOOST_TEST((keeper.look_after(true).state == State::frozen));
    BOOST_TEST((keeper.look_after(true).state == State::unharmed));
}

BOOST_AUTO_TEST_CASE(what_does_not_answer_is_not_dead)
{
    Bench bench;
    bench.options.client.api_base = "http://127.0.0.1:1/v1";
    bench.options.relaunch_timeout_s = 0.05;
    bench.options.relaunch = "exit 1";
    auto keeper = bench.keeper();
    BOOST_TEST(keeper.make_ready().value().reason == "service_not_answering");
    BOOST_TEST(keeper.relaunches() == 0u);
}

BOOST_AUTO_TEST_CASE(a_dead_one_is_started_by_the_users_own_command)
{
    Bench bench;
    ::kill(bench.service.pid(), SIGKILL);
    while (service_life(bench.service.file()).alive) {
    }
    // The command hands over to us what it was told: where the state file is.
    bench.options.relaunch = "printf %s \"$SLO_SERVICE\" >" + bench.folder.path() + "/told";
    auto keeper = bench.keeper();
    const auto stop = keeper.make_ready();
    BOOST_TEST(stop.value().reason == "relaunch_failed"); // it started nothing
    BOOST_TEST(keeper.relaunches() == static_cast<std::size_t>(ServiceKeeper::most_relaunches_in_a_row));
    BOOST_TEST(bench.events.size() == keeper.relaunches());
    BOOST_TEST(bench.events.at(0) == "relaunched: killed by signal 9 (Killed)");
    BOOST_TEST(io::read_all(bench.folder.path() + "/told", 4096) == bench.service.file().path());
}

BOOST_AUTO_TEST_CASE(options_are_checked_at_once)
{
    Bench bench;
    bench.options.client.api_base = "http://";
    BOOST_CHECK_THROW(bench.keeper(), UsageError);
    bench.options.client.api_base.clear();
    bench.options.state_file = bench.folder.path() + "/none";
    BOOST_CHECK_THROW(bench.keeper(), IoError);
    bench.options.relaunch = "true"; // which may make it
    BOOST_CHECK_NO_THROW(bench.keeper());
}
