// SPDX-License-Identifier: MIT
// Unit test of run/served_prober.hpp: what stands around a probe, without a service and with one.

#include <slo/run/served_prober.hpp>

#define BOOST_TEST_MODULE run_served_prober
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_folder.hpp"
#include "../../support/sleeping_service.hpp"

#include <string>
#include <vector>

using namespace slo;
using namespace slo::run;

namespace {

struct Bench {
    test::ScratchFolder folder;
    test::SleepingService service{folder.path() + "/s.json"};
    io::StopSignal stop;
    std::vector<std::string> events;
    KeeperOptions options;
    ServedProber::Settings settings;
    ProbeTask task{1, "low", "8.5", {"/bin/sh", "-c", ""}, {}, true};

    Bench()
    {
        options.state_file = service.file().path();
        settings.limits = {6.5, 0.01, {}};
    }

    ProbeAnswer probe(const std::string& script, bool kept = true)
    {
        task.argv[2] = script;
        ServiceKeeper keeper(options, stop,
                             {[](const std::string&) {}, [](const std::string&) {},
                              [&](const std::string& what, const std::string&) { events.push_back(what); }});
        ServedProber prober(
            settings, stop, kept ? &keeper : nullptr,
            [&](const std::string& what, const std::string& qps, const std::string&) {
                events.push_back(what + " " + qps);
            },
            [](const std::string&) {});
        return prober(task, [](const record::ProbeOutput&) {});
    }

    std::string kill() const { return "kill -KILL " + std::to_string(service.pid()) + "; "; }
};

} // namespace

BOOST_AUTO_TEST_CASE(without_a_service_it_is_the_probe_alone)
{
    Bench bench;
    BOOST_TEST((bench.probe("exit 1", false).probe->status == record::ProbeStatus::fail));
    BOOST_CHECK_THROW(bench.probe("exit 3", false), Error);
}

BOOST_AUTO_TEST_CASE(a_service_that_lives_changes_nothing)
{
    Bench bench;
    BOOST_TEST((bench.probe("exit 0").probe->status == record::ProbeStatus::pass));
    BOOST_CHECK_THROW(bench.probe("exit 3"), Error);
    BOOST_TEST(bench.events.empty());
}

BOOST_AUTO_TEST_CASE(a_death_under_load_fails_the_rate_whatever_the_probe_says)
{
    for (const std::string end :
         {"exit 3", "exit 1", "echo '{\"status\":\"PASS\",\"avg_p50_latency_s\":1}'"}) {
        Bench bench;
        const auto answer = bench.probe(bench.kill() + end);
        BOOST_REQUIRE(answer.probe);
        BOOST_TEST((answer.probe->status == record::ProbeStatus::fail));
        BOOST_TEST(answer.probe->service_died);
        BOOST_TEST(answer.probe->measured);
        BOOST_TEST(!answer.probe->avg_p50_latency_s);
        BOOST_TEST(answer.probe->notes.at(0).starts_with("the service died under this load: "));
        BOOST_TEST(answer.probe->attachments.size() == 1u);
        BOOST_TEST(bench.events == std::vector<std::string>{"died 8.5"}, boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(before_any_pass_a_death_is_the_end)
{
    Bench bench;
    bench.task.any_pass = false;
    const auto answer = bench.probe(bench.kill() + "exit 1");
    BOOST_TEST(!answer.probe);
    BOOST_TEST(answer.stop.reason == "service_died_before_any_pass");
}

BOOST_AUTO_TEST_CASE(deaths_of_an_earlier_session_count_towards_the_retries)
{
    Bench bench;
    bench.settings.retries = 1;
    bench.settings.deaths = 1;
    BOOST_TEST(bench.probe(bench.kill() + "exit 1").probe->service_died);
    Bench fresh;
    fresh.settings.retries = 1; // dead, and nobody may start it again
    BOOST_TEST(fresh.probe(fresh.kill() + "exit 1").stop.reason == "service_died");
}

BOOST_AUTO_TEST_CASE(a_frozen_service_is_probed_again_then_not_believed)
{
    Bench bench;
    const auto pid = std::to_string(bench.service.pid());
    const auto answer = bench.probe("kill -STOP " + pid + "; sleep 0.05; kill -CONT " + pid + "; exit 1");
    BOOST_TEST((answer.probe->status == record::ProbeStatus::fail));
    BOOST_TEST(!answer.probe->measured);
    BOOST_TEST(bench.events.size() == static_cast<std::size_t>(ServedProber::most_frozen_probes));
}

BOOST_AUTO_TEST_CASE(one_that_somebody_stopped_is_probed_again_then_not_believed)
{
    Bench bench;
    const std::string start = "exec 2>/dev/null; kill -TERM ";
    const auto alone = bench.probe(start + std::to_string(bench.service.pid()) + "; exit 1");
    BOOST_TEST(!alone.probe);
    BOOST_TEST(alone.stop.reason == "service_stopped");
    BOOST_TEST(alone.stop.note == "the service was stopped at 8.5 qps: killed by signal 15 (Terminated)");
    BOOST_TEST(bench.events == std::vector<std::string>{"stopped 8.5"}, boost::test_tools::per_element());

    Bench kept;
    const auto state = kept.service.file().path();
    // The command of a user, who starts it anew, is this test itself here: it cannot be run from a shell.
    kept.options.relaunch = "exit 1";
    const auto answer = kept.probe(start + std::to_string(kept.service.pid()) + "; exit 1");
    BOOST_TEST(answer.stop.reason == "relaunch_failed");
    BOOST_TEST(kept.events.front() == "stopped 8.5");
}

BOOST_AUTO_TEST_CASE(no_probe_is_repeated_when_the_time_is_over)
{
    Bench bench;
    bench.task.time_left_s = 0.0;
    bench.settings.retries = 5;
    const auto died = bench.probe(bench.kill() + "exit 1");
    BOOST_TEST(!died.probe);
    BOOST_TEST(died.stop.reason == "max_time");
    BOOST_TEST(died.stop.note == "8.5 qps was to be probed again: killed by signal 9 (Killed)");
    Bench whole;
    whole.task.time_left_s = 0.0; // which does not cut short the first
    BOOST_TEST((whole.probe("exit 0").probe->status == record::ProbeStatus::pass));
}

BOOST_AUTO_TEST_CASE(a_cache_that_cannot_be_emptied_is_a_note)
{
    Bench bench;
    bench.settings.reset.emplace("exit 4", ServiceClientOptions{});
    const auto failed = bench.probe("exit 0").probe;
    BOOST_TEST(!*failed->cache_reset);
    BOOST_TEST(failed->notes.back() == "cache not reset: ended with status 4");
    bench.settings.reset.emplace("exit 0", ServiceClientOptions{});
    BOOST_TEST(*bench.probe("exit 0").probe->cache_reset);
}

BOOST_AUTO_TEST_CASE(a_stop_is_an_interruption)
{
    Bench bench;
    BOOST_TEST(bench.probe("kill -TERM $PPID; sleep 60").stop.reason == "interrupted");
    BOOST_TEST(bench.probe("exit 0").stop.reason == "interrupted");
}
