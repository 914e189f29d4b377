// SPDX-License-Identifier: MIT
#include <slo/run/service_plan.hpp>

#define BOOST_TEST_MODULE run_service_plan
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace slo;
using namespace slo::run;

namespace {

struct Planned {
    ServicePlan plan;
    std::vector<std::string> notes;
};

Planned planned(ServiceStartOptions options)
{
    options.state_file = options.state_file.empty() ? "/srv/qwen.state.json" : options.state_file;
    std::vector<std::string> notes;
    auto plan = plan_service(options, [&](const std::string& note) { notes.push_back(note); });
    return {std::move(plan), std::move(notes)};
}

ServiceStartOptions command(std::vector<std::string> words)
{
    ServiceStartOptions options;
    options.command = std::move(words);
    return options;
}

} // namespace

BOOST_AUTO_TEST_CASE(names_come_from_the_state_file)
{
    const auto state = planned(command({"vllm", "--port", "8001"})).plan.state;
    BOOST_TEST(state.name == "qwen.state");
    BOOST_TEST(state.log == "/srv/qwen.state.log");
    BOOST_TEST(state.api_base == "http://127.0.0.1:8001/v1");
    BOOST_TEST(state.kind == "process");
    BOOST_TEST(state.state == "starting");
    BOOST_TEST(!state.boot_id.empty());
    auto options = command({"vllm", "--port", "8001"});
    options.name = "n";
    options.log = "/var/l";
    options.api_base = "http://h/v1";
    const auto given = planned(options).plan.state;
    BOOST_TEST((given.name == "n" && given.log == "/var/l" && given.api_base == "http://h/v1"));
}

BOOST_AUTO_TEST_CASE(the_command_keeps_what_the_state_does_not_show)
{
    auto options = command({"vllm", "--api-key", "k"});
    options.environment = {"HF_TOKEN=t", "A=b=c", "EMPTY="};
    const auto [plan, notes] = planned(options);
    BOOST_TEST(plan.service.command.argv[2] == "k");
    BOOST_TEST(plan.state.argv[2] == "REDACTED");
    BOOST_TEST(plan.service.command.environment[0].second == "t");
    BOOST_TEST(plan.state.environment[0].second == "REDACTED");
    BOOST_TEST(plan.state.environment[1].second == "b=c");
    BOOST_TEST(plan.state.environment[2].second == "");
}

BOOST_AUTO_TEST_CASE(a_container)
{
    auto options = command({"docker", "run", "--rm", "-p", "80:8000", "image"});
    options.environment = {"A=1"};
    const auto [plan, notes] = planned(options);
    BOOST_TEST(plan.state.kind == "docker");
    BOOST_TEST(plan.service.container);
    BOOST_TEST(plan.state.container->name.starts_with("qwen.state-"));
    BOOST_TEST(plan.state.container->remove);
    BOOST_TEST(plan.state.api_base == "http://127.0.0.1:80/v1");
    BOOST_TEST(notes.size() == 1U);
    BOOST_TEST(planned(command({"sudo", "docker", "run", "image"})).notes.size() == 1U);
    BOOST_TEST(planned(command({"/bin/podman", "pod", "start"})).notes.size() == 1U);
    BOOST_TEST(planned(command({"sudo", "vllm"})).notes.empty());
}

BOOST_AUTO_TEST_CASE(a_shell_gets_one_line)
{
    auto options = command({"PASSWORD=x vllm $ARGS"});
    options.shell = true;
    const auto plan = planned(options).plan;
    BOOST_TEST(plan.service.command.argv[2] == "PASSWORD=x vllm $ARGS");
    BOOST_TEST(plan.state.argv[2] == "PASSWORD=REDACTED vllm $ARGS");
    options.command.emplace_back("more");
    BOOST_CHECK_THROW(planned(options), UsageError);
}

BOOST_AUTO_TEST_CASE(what_makes_no_sense_is_refused)
{
    BOOST_CHECK_THROW(planned(command({})), UsageError);
    BOOST_CHECK_THROW(planned(command({""})), UsageError);
    auto options = command({"x"});
    options.environment = {"=1"};
    BOOST_CHECK_THROW(planned(options), UsageError);
    options = command({"x"});
    options.folder = "/no/such/folder";
    BOOST_CHECK_THROW(planned(options), IoError);
    options.folder = "/dev/null";
    BOOST_CHECK_THROW(planned(options), IoError);
    options = command({"x"});
    options.api_base = "http://u:p@h/v1";
    BOOST_CHECK_THROW(planned(options), UsageError);
    options = command({"x"});
    options.log = "/srv/qwen.state.json";
    BOOST_CHECK_THROW(planned(options), UsageError);
}
