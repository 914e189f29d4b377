// SPDX-License-Identifier: MIT
#include <slo/card/plan_file.hpp>

#define BOOST_TEST_MODULE card_plan_file
#include <boost/test/unit_test.hpp>

#include <slo/card/plan_parameters.hpp>

#include <string>
#include <vector>

using namespace slo;

namespace {

const std::string engines = "engines: {e: {url: 'http://h:1/v1'}}\n";
const std::string load = "load: {type: constant, request_rate: 2, num_prompts: 10}";
const std::string data = "dataset: {type: synthetic, input_tokens: 8, output_tokens: 4}";

std::string with_run(const std::string& run)
{
    return "plan: p\n" + engines + "phases: [{id: a, runs: [{" + run + "}]}]\n";
}

card::PlanFile parse(const std::string& text, const std::vector<std::string>& settings = {},
                     const std::string& folder = ".")
{
    return card::parse_plan(text, "p.yaml", folder, settings);
}

// What is wrong with it, without the name of the file.
std::string fault(const std::string& text, const std::vector<std::string>& settings = {})
{
    try {
        parse(text, settings);
    } catch (const Error& error) {
        const std::string what = error.what();
        return what.starts_with("p.yaml: ") ? what.substr(8) : what;
    }
    return "none";
}

} // namespace

BOOST_AUTO_TEST_CASE(a_run_has_a_data_set_and_a_load_of_its_own)
{
    const auto plan = parse(with_run("label: r1, engine: e, " + data + ", " + load));
    BOOST_TEST(plan.repetitions == 3);
    BOOST_TEST(plan.cooldown_s == 60);
    BOOST_TEST(plan.engines.front().url == "http://h:1");
    BOOST_TEST(plan.engines.front().framework == "e");
    const auto& run = plan.phases.front().runs.front();
    BOOST_TEST(run.capture);
    BOOST_TEST(!run.at_once);
    BOOST_TEST(string_at(run.card.root, "catalog_id").value() == "p-a");
    BOOST_TEST(integer_at(*object_at(run.card.root, "load"), "warmup_requests").value() == 30);
}

BOOST_AUTO_TEST_CASE(the_warm_up_of_a_card_stays_its_own)
{
    const auto own = parse(with_run("label: r, engine: e, " + data +
                                    ", load: {type: open-loop, num_prompts: 9, warmup_requests: 0}"));
    const auto& run = own.phases.front().runs.front();
    BOOST_TEST(integer_at(*object_at(run.card.root, "load"), "warmup_requests").value() == 0);
}

BOOST_AUTO_TEST_CASE(a_card_of_a_file_lies_beside_the_plan_and_can_be_changed)
{
    const auto plan =
        parse(with_run("label: r, engine: e, card: chatbot.yaml, override: {load: {request_rate: 7}}"), {},
              "tests/data/plans");
    const auto& root = plan.phases.front().runs.front().card.root;
    BOOST_TEST(string_at(root, "catalog_id").value() == "chatbot");
    const auto* loads = object_at(root, "load");
    BOOST_TEST(number_at(*loads, "request_rate").value() == 7);
    BOOST_TEST(number_at(*loads, "num_prompts").value() == 20);
    BOOST_CHECK_THROW(parse(with_run("label: r, engine: e, card: none.yaml")), IoError);
    BOOST_TEST(fault(with_run("label: r, engine: e, card: c.yaml, " + data)) ==
               "phases[0].runs[0].dataset: stands beside a card: put it under override");
}

BOOST_AUTO_TEST_CASE(parameters_stand_in_one_place_and_keep_their_type)
{
    const auto text =
        "plan: p\nparameters: {n: 100, tp: 1}\nengines: {e: {url: 'http://h', flags: [--tp, '{tp}']}}\n"
        "phases: [{id: a, runs: [{label: 'x_tp{tp}', engine: e, " +
        data + ", load: {type: open-loop, num_prompts: '{n}'}}]}]\n";
    const auto plan = parse(text, {"tp=8"});
    const auto& run = plan.phases.front().runs.front();
    BOOST_TEST(run.label == "x_tp8");
    BOOST_TEST(plan.engines.front().flags == (std::vector<std::string>{"--tp", "8"}));
    BOOST_TEST(integer_at(*object_at(run.card.root, "load"), "num_prompts").value() == 100);
    BOOST_TEST(fault(text, {"tpp=8"}) == "--set: 'tpp=8' is no NAME=VALUE of a parameter; did you mean tp?");
    BOOST_TEST(fault(text, {"tp"}) == "--set: 'tp' is no NAME=VALUE of a parameter; did you mean tp?");
    BOOST_TEST(fault(text, {"tp=[1]"}) == "--set: tp wants a number or a text");
    BOOST_TEST(fault(text, {"n=many"}).find("num_prompts") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(braces_that_hold_no_name_are_what_they_are)
{
    card::PlanParameters parameters({{"n", 2}, {"who", "me"}}, "p");
    const auto filled = [&](const char* text) {
        json::value value(text);
        parameters.fill(value);
        return to_json(value);
    };
    BOOST_TEST(filled("{n}") == "2");
    BOOST_TEST(filled("{n}{n}") == "\"22\"");
    BOOST_TEST(filled("{\"x\":{n}}") == "\"{\\\"x\\\":2}\"");
    BOOST_TEST(filled("{ n } {who} {") == "\"{ n } me {\"");
    BOOST_CHECK_EXCEPTION(filled("{whom}"), InputError, [](const InputError& error) {
        return std::string(error.what()) == "p: {whom} is no parameter; did you mean who?";
    });
    BOOST_CHECK_THROW(card::PlanParameters({{"N", 2}}, "p"), InputError);
    BOOST_CHECK_THROW(card::PlanParameters({{"n", nullptr}}, "p"), InputError);
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_named_with_its_place)
{
    const auto good = "label: r, engine: e, " + data + ", " + load;
    BOOST_TEST(fault(with_run(good)) == "none");
    BOOST_TEST(fault(with_run(good + ", warmups: 3")).starts_with("phases[0].runs[0].warmups: is unknown"));
    BOOST_TEST(fault(with_run("label: r, engine: f, " + data + ", " + load)) ==
               "phases[0].runs[0].engine: 'f' is none of the engines; did you mean e?");
    BOOST_TEST(fault(with_run("label: ../r, engine: e")).starts_with("phases[0].runs[0].label: wants"));
    BOOST_TEST(fault(with_run(good + ", at_once: true")) ==
               "phases[0].runs[0].at_once: no run of this phase is before it");
    BOOST_TEST(fault(with_run(good + "}, {" + good)) == "phases[0].runs[1].label: 'r' stands twice");
    BOOST_TEST(fault(with_run(good + "}, {label: s, engine: e, at_once: true, fresh: true, " + load)) ==
               "phases[0].runs[1].fresh: belongs to the first of the runs that go at once");
    BOOST_TEST(fault(with_run("label: r, engine: e, load: {typ: constant}")).find("typ") !=
               std::string::npos);
    BOOST_TEST(fault("plan: p\n" + engines) == "phases: is missing or empty");
    BOOST_TEST(fault("plan: p\n" + engines + "phases: [{id: a, runs: []}]") ==
               "phases[0].runs: is missing or empty");
    BOOST_TEST(fault("plan: p\nengines: {e: {url: h}}\nphases: []") ==
               "engines.e.url: must begin with http:// or https://");
    BOOST_TEST(fault("plan: p\nrepetitons: 3\n" + engines + "phases: [{id: a, runs: [{" + good + "}]}]") ==
               "repetitons: is unknown; did you mean repetitions?");
}
