// SPDX-License-Identifier: MIT
// Unit test of run/probe_command.hpp: how the end of a command becomes a probe, or an error.

#include <slo/run/probe_command.hpp>

#define BOOST_TEST_MODULE run_probe_command
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::run;

namespace {

std::optional<record::SearchProbe> probe(
    const std::string& script, std::optional<double> timeout_s = {},
    const SearchRun::Tick& tick = [](const record::ProbeOutput&) {})
{
    io::StopSignal stop;
    const ProbeTask task{1, "low", "8.5", {"/bin/sh", "-c", script}, {{"SLO_QPS", "8.5"}}};
    return probe_by_command(task, tick, {6.5, 0.01, timeout_s}, stop);
}

std::string refusal(const std::string& script)
{
    try {
        probe(script);
    } catch (const Error& error) {
        return error.what();
    }
    return "judged";
}

} // namespace

BOOST_AUTO_TEST_CASE(the_status_decides_and_the_verdict_gives_the_figures)
{
    const auto pass = probe(R"(echo '{"status":"PASS","avg_p50_latency_s":4.5}')");
    BOOST_TEST((pass->status == record::ProbeStatus::pass));
    BOOST_TEST(*pass->avg_p50_latency_s == 4.5);
    BOOST_TEST((probe("exit 1")->status == record::ProbeStatus::fail));
}

BOOST_AUTO_TEST_CASE(what_is_no_verdict_names_command_and_rate)
{
    BOOST_TEST(refusal("exit 3") == "/bin/sh at 8.5 qps: ended with status 3");
    BOOST_TEST(refusal("kill -9 $$") == "/bin/sh at 8.5 qps: killed by signal 9 (Killed)");
}

BOOST_AUTO_TEST_CASE(a_timeout_is_a_fail)
{
    BOOST_TEST((probe("sleep 60", 0.05)->status == record::ProbeStatus::fail));
}

BOOST_AUTO_TEST_CASE(a_stop_gives_no_probe)
{
    BOOST_TEST(!probe("kill -TERM $PPID; sleep 60"));
}

BOOST_AUTO_TEST_CASE(the_tick_sees_the_output_so_far)
{
    std::size_t rounds = 0;
    probe(R"(echo '{"Latency":{"p50":1}}'; sleep 0.3)", {},
          [&](const record::ProbeOutput& output) { rounds = output.rounds(); });
    BOOST_TEST(rounds == 1u);
}
