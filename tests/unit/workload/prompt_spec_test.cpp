// SPDX-License-Identifier: MIT
#include <slo/workload/prompt_spec.hpp>

#define BOOST_TEST_MODULE workload_prompt_spec
#include <boost/test/unit_test.hpp>

#include <slo/config/document.hpp>

#include <string>

using namespace slo;

namespace {

workload::PromptSpec read(const std::string& text)
{
    const auto document = config::parse_document(text, "spec.yaml");
    return workload::read_prompt_spec(config::Section(document, "spec.yaml"));
}

std::string refused(const std::string& text)
{
    try {
        read(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "taken";
}

} // namespace

BOOST_AUTO_TEST_CASE(the_least_that_a_prompt_needs)
{
    const auto spec = read("instructions: [Go.]\ntrigger: t\npadding: {words: [x]}");
    BOOST_TEST(spec.budget_tokens == 3743);
    BOOST_TEST(spec.history_last == 50);
    BOOST_TEST(spec.entries.size() == 1);
    BOOST_TEST(spec.entries[0].name == "direct");
    BOOST_TEST(!spec.spread);
}

BOOST_AUTO_TEST_CASE(all_that_it_may_have)
{
    const auto spec = read("system: [{label: L, field: f, optional: true}]\ntrigger: t\n"
                           "history: {last: 3, budget_tokens: 9}\npadding: {words: [x, y], spread: true}\n"
                           "entries: [{name: a, every: 2, append_first: s}, {name: b}]");
    BOOST_TEST(spec.blocks[0].optional);
    BOOST_TEST(spec.history_last == 3);
    BOOST_TEST(spec.budget_tokens == 9);
    BOOST_TEST(spec.spread);
    BOOST_TEST(spec.entries[0].append_first == "s");
    BOOST_TEST(spec.entries[0].append_otherwise == "...");
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_named)
{
    BOOST_TEST(refused("trigger: t\npadding: {words: [x]}") ==
               "spec.yaml: system: is missing, and so are instructions");
    BOOST_TEST(refused("instructions: [Go.]\ntrigger: ''\npadding: {words: [x]}") ==
               "spec.yaml: trigger: is empty");
    BOOST_TEST(refused("instructions: [Go.]\ntrigger: t\npadding: {words: []}") ==
               "spec.yaml: padding.words: is no list of words of 1 to 1000 bytes");
    BOOST_TEST(refused("instructions: [Go.]\ntrigger: t\npadding: {words: ['']}") ==
               "spec.yaml: padding.words: is no list of words of 1 to 1000 bytes");
    BOOST_TEST(refused("system: [{label: L, field: history}]\ntrigger: t\npadding: {words: [x]}") ==
               "spec.yaml: system[0].field: is no name of a text field, or stands twice");
    BOOST_TEST(
        refused("instructions: [Go.]\ntrigger: t\npadding: {words: [x]}\nentries: [{name: a, every: 2}]") ==
        "spec.yaml: entries: has no kind without `every`, for the other conversations");
    BOOST_TEST(refused("instructions: [Go.]\ntriger: t\ntrigger: t\npadding: {words: [x]}") ==
               "spec.yaml: triger: is unknown; did you mean trigger?");
}
