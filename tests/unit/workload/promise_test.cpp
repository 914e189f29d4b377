// SPDX-License-Identifier: MIT
#include <slo/workload/promise.hpp>

#define BOOST_TEST_MODULE workload_promise
#include <boost/test/unit_test.hpp>

#include <slo/config/document.hpp>

#include <string>

using namespace slo;
using workload::broken_part;

namespace {

workload::Promise promise(const std::string& text)
{
    const auto document = config::parse_document(text, "spec.yaml");
    return workload::read_promise(config::Section(document, "spec.yaml"));
}

std::string refused(const std::string& text)
{
    try {
        promise(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "taken";
}

workload::RowFacts facts()
{
    workload::RowFacts facts;
    facts.prompt_tokens = 3743;
    facts.local_tokens = 3730;
    facts.turns_in = 51;
    facts.turns_out = 12;
    facts.turns_merged = 2;
    facts.longest_message_chars = 900;
    facts.trimmed = true;
    facts.entry = "direct";
    facts.language = "de-AT";
    return facts;
}

} // namespace

BOOST_AUTO_TEST_CASE(each_part_is_kept_or_named)
{
    const auto broken = [](const std::string& text) { return broken_part(promise(text), facts()); };
    BOOST_TEST(broken("trimmed: true") == "");
    BOOST_TEST(broken("trimmed: false") == "trimmed");
    BOOST_TEST(broken("prompt_tokens: 3743\nlocal_tokens: [3720, 3743]\nturns_in: 51\nturns_out: [0, 12]") ==
               "");
    BOOST_TEST(broken("prompt_tokens: 3742") == "prompt_tokens 3743 outside 3742–3742");
    BOOST_TEST(broken("local_tokens: [3731, 3743]") == "local_tokens 3730 outside 3731–3743");
    BOOST_TEST(broken("turns_in: 50") == "turns_in 51 outside 50–50");
    BOOST_TEST(broken("turns_out: [0, 11]") == "turns_out 12 outside 0–11");
    BOOST_TEST(broken("turns_merged: [3, 4]") == "turns_merged 2 outside 3–4");
    BOOST_TEST(broken("longest_message_chars: [901, 902]") == "longest_message_chars 900 outside 901–902");
    BOOST_TEST(broken("entry: late") == "entry direct is not late");
    BOOST_TEST(broken("entry: direct\nlanguage_not: en") == "");
    BOOST_TEST(broken("language_not: DE") == "language de-AT");
}

BOOST_AUTO_TEST_CASE(a_promise_not_to_be_trimmed)
{
    auto row = facts();
    row.trimmed = false;
    BOOST_TEST(broken_part(promise("trimmed: true"), row) == "not trimmed");
    BOOST_TEST(broken_part(promise("trimmed: false"), row) == "");
}

BOOST_AUTO_TEST_CASE(what_is_no_promise)
{
    BOOST_TEST(refused("turns_in: [5, 4]") == "spec.yaml: turns_in: is no pair [LOW, HIGH] of whole numbers");
    BOOST_TEST(refused("turns_in: [1, 2, 3]") ==
               "spec.yaml: turns_in: is no pair [LOW, HIGH] of whole numbers");
    BOOST_TEST(refused("turns_in: [-1, 3]") ==
               "spec.yaml: turns_in: is no pair [LOW, HIGH] of whole numbers");
    BOOST_TEST(refused("turns_in: many").find("is no whole number from 0") != std::string::npos);
    BOOST_TEST(refused("turn_in: 3") == "spec.yaml: turn_in: is unknown; did you mean turns_in?");
}

BOOST_AUTO_TEST_CASE(facts_come_from_a_record)
{
    const auto record = parse_json(
        R"({"assembly":{"local_tokens_after_trim":7,"turns_in":3,"turns_out":2,"turns_merged":1,"trimmed":true,"entry":"late",)"
        R"("language":"ja","history_after_merge":[{"role":"user","content":"äöü"},{"role":"assistant","content":"a"}]},)"
        R"("model":{"prompt_tokens_chat_template":9}})");
    const auto& object = record.as_object();
    const auto read = workload::read_row_facts(*object_at(object, "assembly"), *object_at(object, "model"));
    BOOST_TEST(read.prompt_tokens == 9);
    BOOST_TEST(read.local_tokens == 7);
    BOOST_TEST(read.turns_in == 3);
    BOOST_TEST(read.turns_out == 2);
    BOOST_TEST(read.turns_merged == 1);
    BOOST_TEST(read.longest_message_chars == 3);
    BOOST_TEST(read.trimmed);
    BOOST_TEST(read.entry == "late");
    BOOST_TEST(read.language == "ja");
    const auto nothing = workload::read_row_facts({}, {});
    BOOST_TEST(nothing.prompt_tokens == 0);
    BOOST_TEST(!nothing.trimmed);
}

BOOST_AUTO_TEST_CASE(languages_by_their_beginning)
{
    BOOST_TEST(workload::is_language("English", "en"));
    BOOST_TEST(workload::is_language("en-US", "en"));
    BOOST_TEST(!workload::is_language("", "en"));
    BOOST_TEST(!workload::is_language("fr", "en"));
}
