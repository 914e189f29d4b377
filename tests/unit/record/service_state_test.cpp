// SPDX-License-Identifier: MIT
#include <slo/record/service_state.hpp>

#define BOOST_TEST_MODULE record_service_state
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::record;

namespace {

ServiceState whole()
{
    ServiceState s;
    s.name = "web";
    s.state = "exited";
    s.kind = "docker";
    s.argv = {"docker", "run", "image"};
    s.environment = {{"A", "1"}, {"HF_TOKEN", "REDACTED"}};
    s.folder = "/srv";
    s.shell = true;
    s.api_base = "http://127.0.0.1:1/v1";
    s.log = "/srv/web.log";
    s.log_offset = 77;
    s.id = "1-2-3";
    s.boot_id = "b";
    s.pid_namespace = "pid:[1]";
    s.started_at = "2026-01-01T00:00:00Z";
    s.process = ServiceProcess{12, 1ULL << 40, 12};
    s.supervisor = ServiceProcess{11, 34, 11};
    s.container = ServiceContainer{{"docker", "--context", "x"}, "web-1", "abc", true};
    s.exit = ServiceExit{{}, 9, true, "2026-01-01T01:00:00Z", "note"};
    s.stop_requested_at = "2026-01-01T00:59:00Z";
    s.before = ServiceBefore{"0-1-2", "2026-01-01T00:00:00Z", ServiceExit{143, {}, false, {}, {}}};
    return s;
}

std::string refusal(const std::string& text)
{
    try {
        service_state(parse_json(text).as_object());
    } catch (const Error& error) {
        return error.what();
    }
    return "taken";
}

const std::string head = R"({"schema":"sloutils.service/1","kind":"process",)";

} // namespace

BOOST_AUTO_TEST_CASE(a_state_comes_back_as_it_was)
{
    const auto text = to_json(to_record(whole()));
    BOOST_TEST(to_json(to_record(service_state(parse_json(text).as_object()))) == text);
    const auto back = service_state(parse_json(text).as_object());
    BOOST_TEST(back.process->start_ticks == 1ULL << 40);
    BOOST_TEST(back.environment.size() == 2U);
    BOOST_TEST(back.environment[1].second == "REDACTED");
    BOOST_TEST(back.container->engine.size() == 3U);
    BOOST_TEST((back.before->id == "0-1-2" && back.before->exit->status == 143));
    BOOST_TEST((back.exit->signal == 9 && !back.exit->status && back.exit->out_of_memory));
}

BOOST_AUTO_TEST_CASE(what_is_not_known_is_null_and_may_be_missing)
{
    ServiceState empty;
    empty.kind = "process";
    const auto text = to_json(to_record(empty));
    BOOST_TEST(text.find(R"("process":null,"supervisor":null,"container":null,"exit":null)") !=
               std::string::npos);
    const auto back = service_state(parse_json(head + R"("future":[1]})").as_object());
    BOOST_TEST((!back.process && !back.exit && back.log.empty()));
}

BOOST_AUTO_TEST_CASE(a_member_of_the_wrong_kind_is_named)
{
    BOOST_TEST(refusal(R"({"schema":"x"})") == "no service state: 'schema' is not sloutils.service/1");
    BOOST_TEST(refusal(head + R"("name":1})") == "'name' is not text");
    BOOST_TEST(refusal(head + R"("log_offset":-1})") == "'log_offset' is not a whole number");
    BOOST_TEST(refusal(head + R"("shell":"yes"})") == "'shell' is not true or false");
    BOOST_TEST(refusal(head + R"("argv":"x"})") == "'argv' is not a list");
    BOOST_TEST(refusal(head + R"("environment":{"A":1}})") == "'A' is not text");
    BOOST_TEST(refusal(head + R"("exit":3})") == "'exit' is not an object");
    BOOST_TEST(refusal(head + R"("exit":{"status":99999999999}})") == "'status' is not a smaller number");
}

BOOST_AUTO_TEST_CASE(numbers_that_mean_many_processes_are_no_process)
{
    for (const std::string pid : {"0", "1"})
        BOOST_TEST(refusal(head + R"("process":{"pid":)" + pid + R"(,"start_ticks":1,"session":9}})") ==
                   "'process' is not pid, start_ticks and session of a process");
    BOOST_TEST(refusal(head + R"("process":{"pid":9,"start_ticks":1,"session":1}})") ==
               "'process' is not pid, start_ticks and session of a process");
    BOOST_TEST(refusal(head + R"("supervisor":{"pid":-9,"start_ticks":1,"session":9}})") ==
               "'pid' is not a whole number");
}
