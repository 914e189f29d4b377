#include <slo/card/compile_run.hpp>

#define BOOST_TEST_MODULE card_compile_run
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace slo;

namespace {

card::Plan two_steps()
{
    card::Plan plan;
    for (const char* label : {"a", "b"}) {
        card::Step step;
        step.label = label;
        step.prepare = {{"prepare", label}};
        step.argv = {"run", label};
        plan.steps.push_back(step);
    }
    return plan;
}

// A system that runs nothing and writes down what it was asked for.
struct Written {
    std::vector<std::string> events;
    std::string failing; ///< this command goes wrong
    bool stopped = false;

    card::StepRunner runner()
    {
        card::StepRunner runner;
        runner.run = [this](const card::Argv& argv) {
            events.push_back(argv[0] + " " + argv[1]);
            return events.back() == failing ? "ended with status 3" : "";
        };
        runner.wait = [this](double seconds) {
            events.push_back("wait " + format_double(seconds));
            return !stopped;
        };
        runner.interrupted = [] { return false; };
        runner.note = [](const std::string&) {};
        runner.record = [this](const json::object& record) {
            events.push_back(std::string(record.at("label").as_string()) + " " +
                             std::string(record.at("status").as_string()));
        };
        return runner;
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(words_are_quoted_where_a_shell_needs_it_and_secrets_are_hidden)
{
    BOOST_TEST(card::shell_line({"a", "--objective", "ttft:p99<300ms", "", "it's"}) ==
               R"(a --objective 'ttft:p99<300ms' '' 'it'\''s')");
    BOOST_TEST(card::shell_line({"replay", "--api-key", "secret-of-mine"}) == "replay --api-key REDACTED");
}

BOOST_AUTO_TEST_CASE(all_commands_are_shown_in_order)
{
    BOOST_TEST(card::dry_run_text(two_steps()) == "# a\nprepare a\nrun a\n# b\nprepare b\nrun b\n");
}

BOOST_AUTO_TEST_CASE(steps_run_in_order_with_a_pause_in_between)
{
    Written system;
    BOOST_TEST((card::run_steps(two_steps(), 60, system.runner()) == Exit::ok));
    const std::vector<std::string> expected{"prepare a", "run a", "a ok", "wait 60.0",
                                            "prepare b", "run b", "b ok"};
    BOOST_TEST(system.events == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_first_that_fails_ends_the_run)
{
    Written system;
    system.failing = "prepare a";
    BOOST_TEST((card::run_steps(two_steps(), 60, system.runner()) == Exit::negative));
    const std::vector<std::string> expected{"prepare a", "a failed"};
    BOOST_TEST(system.events == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_interrupted_pause_ends_the_run)
{
    Written system;
    system.stopped = true;
    BOOST_TEST((card::run_steps(two_steps(), 60, system.runner()) == Exit::undecided));
    BOOST_TEST(system.events.back() == "wait 60.0");
}

BOOST_AUTO_TEST_CASE(results_of_another_run_are_not_written_over)
{
    auto plan = two_steps();
    plan.steps[0].outputs = {"examples/cards/qps-sweep.yaml"};
    BOOST_CHECK_THROW(card::check_outputs(plan), Error);
    plan.steps[0].outputs = {"examples/cards/none"};
    card::check_outputs(plan);
}

BOOST_AUTO_TEST_CASE(options_that_contradict_are_refused)
{
    card::CompileOptions options;
    BOOST_CHECK_THROW(options.make(), UsageError);
    options.files = {"examples/cards/qps-sweep.yaml"};
    options.target.model = "m";
    options.folder = "out";
    BOOST_TEST(options.make().plan.steps.at(0).outputs.at(0) == "out/rounds-qps0.5.jsonl");
    options.tool = "vlm";
    BOOST_CHECK_THROW(options.make(), UsageError);
    options.tool = "vllm";
    options.run = options.dry_run = true;
    BOOST_CHECK_THROW(options.make(), UsageError);
    options.run = false;
    options.cooldown_s = -1;
    BOOST_CHECK_THROW(options.make(), UsageError);
}

BOOST_AUTO_TEST_CASE(a_card_that_no_command_line_runs_is_shown_with_what_to_change)
{
    card::CompileOptions options;
    options.files = {"examples/cards/video-summary.yaml"};
    options.dry_run = true;
    const auto made = options.make();
    BOOST_TEST(made.record.at("kind").as_string() == "orchestrated");
    BOOST_TEST(
        made.notes.back().starts_with("video-summary: no command line of replay runs it (video_runner): "));
}
