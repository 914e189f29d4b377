// SPDX-License-Identifier: MIT
#include <slo/run/service_wait.hpp>

#define BOOST_TEST_MODULE run_service_wait
#include <boost/test/unit_test.hpp>

#include "../../support/canned_server.hpp"
#include "../../support/scratch_service.hpp"
#include "../../support/scripted_server.hpp"

#include <slo/run/service_probe.hpp>

#include <string>

using namespace slo;
using namespace slo::run;
using test::ScratchService;

namespace {

const auto never = [] { return false; };

struct Fixture : ScratchService {
    ServiceWaitOptions options;

    Fixture()
    {
        options.state_file = file.path();
        options.timeout_s = 60;
    }
    ServiceWaitEnd wait()
    {
        return wait_for_service(options, never, [](const std::string&) {});
    }
    record::ServiceStatus probe(double timeout_s, int probes = 2)
    {
        ServiceProbeOptions how;
        how.probes = probes;
        how.probe_timeout_s = timeout_s;
        how.client = options.client;
        return probe_service(file, how, never);
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(waiting, Fixture)

BOOST_AUTO_TEST_CASE(ready_after_a_real_answer)
{
    start("sleep 60");
    test::CannedServer server;
    options.client.api_base = server.url("json");
    const auto end = wait();
    BOOST_TEST(end.status.ready);
    BOOST_TEST(end.status.state == "ready");
    BOOST_TEST(end.status.probes.value() == 2);
    BOOST_TEST(end.log_tail.empty());
    BOOST_TEST(probe(10).state == "ready");
}

BOOST_AUTO_TEST_CASE(who_lives_at_no_known_address_is_only_looked_at)
{
    const auto state = start("sleep 60");
    const auto now = probe(10);
    BOOST_TEST((now.alive && !now.ready && !now.asked));
    BOOST_TEST(now.state == "running");
    BOOST_TEST(!now.probes);
    BOOST_CHECK_THROW(wait(), UsageError);
    ServiceProbeOptions how;
    how.state_file = file.path();
    std::string said;
    probe_service(how, never, [&](const std::string& text) { said += text; });
    BOOST_TEST(said.starts_with("it runs; "));
    ::kill(state.process->pid, SIGSTOP);
    BOOST_TEST(becomes([&] { return probe(10).asked; }));
    BOOST_TEST(probe(10).state == "slow");
}

BOOST_AUTO_TEST_CASE(its_death_ends_the_waiting_and_shows_its_last_words)
{
    start("echo one; echo two; echo three; sleep 0.3; exit 7", "http://127.0.0.1:1/v1");
    options.tail = 2;
    const auto end = wait();
    BOOST_TEST(end.status.state == "exited");
    BOOST_TEST(end.status.exit->status.value() == 7);
    BOOST_REQUIRE(end.log_tail.size() == 2U);
    BOOST_TEST(end.log_tail[0] == "two");
    std::string shown;
    end.show_log_tail([&](const std::string& line) { shown += line; });
    BOOST_TEST(shown == "| two| three");
    options.quiet = true;
    BOOST_TEST(wait().log_tail.empty());
}

BOOST_AUTO_TEST_CASE(an_answer_of_something_else_does_not_make_a_dead_one_ready)
{
    start("exit 1");
    test::CannedServer server;
    options.client.api_base = server.url("json");
    BOOST_TEST(becomes([&] { return file.read().exit.has_value(); }));
    BOOST_TEST(wait().status.state == "exited");
    BOOST_TEST(probe(10).state == "exited");
    BOOST_TEST(server.accepted() == 0);
}

BOOST_AUTO_TEST_CASE(time_and_signals_end_it_and_the_service_is_only_slow)
{
    start("sleep 60");
    test::CannedServer server;
    options.client.api_base = server.url("hang");
    options.timeout_s = 0.3;
    BOOST_TEST(wait().status.state == "slow");
    BOOST_TEST(wait().status.detail.starts_with("last answer: "));
    options.timeout_s = 60;
    int looks = 0;
    const auto stopped = wait_for_service(
        file, options, [&] { return ++looks > 3; }, [](const std::string&) {});
    BOOST_TEST((stopped.alive && !stopped.ready));
    test::ScriptedServer silent([](test::ScriptedPeer& peer) { peer.wait_for_hangup(); });
    options.client.api_base = silent.url();
    const auto now = probe(0.1, 3);
    BOOST_TEST(now.state == "slow");
    BOOST_TEST(now.probes.value() == 3);
}

BOOST_AUTO_TEST_CASE(one_answer_of_several_is_enough)
{
    start("sleep 60");
    test::ScriptedServer server([](test::ScriptedPeer& peer) {
        if (!peer.take_request())
            return;
        peer.send("HTTP/1.1 " + std::string(peer.number() < 3 ? "503" : "200") +
                  " X\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}");
        peer.wait_for_close();
    });
    options.client.api_base = server.url();
    const auto busy = probe(0.2, 2);
    BOOST_TEST(busy.state == "slow");
    BOOST_TEST(busy.detail.starts_with("HTTP 503"));
    BOOST_TEST(probe(5, 3).state == "ready");
}

BOOST_AUTO_TEST_CASE(offload_takes_longer_and_times_are_checked)
{
    start("sleep 60", "http://127.0.0.1:1/v1");
    std::string said;
    const auto once = [&](bool offload) {
        options.offload = offload;
        options.timeout_s.reset();
        wait_for_service(
            file, options, [&] { return !said.empty(); }, [&](const std::string& text) { said = text; });
        return std::exchange(said, {});
    };
    BOOST_TEST(once(false).starts_with("0 of 600 s: "));
    BOOST_TEST(once(true).starts_with("0 of 900 s: "));
    options.timeout_s = 0;
    BOOST_CHECK_THROW(wait(), UsageError);
    BOOST_CHECK_THROW(probe(0), UsageError);
    BOOST_CHECK_THROW(probe(1, 0), UsageError);
}

BOOST_AUTO_TEST_SUITE_END()
