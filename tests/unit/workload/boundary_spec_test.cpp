// SPDX-License-Identifier: MIT
#include <slo/workload/boundary_spec.hpp>

#define BOOST_TEST_MODULE workload_boundary_spec
#include <boost/test/unit_test.hpp>

#include <slo/config/document.hpp>

#include <string>

using namespace slo;

namespace {

workload::Category read(const std::string& text)
{
    const auto document = config::parse_document(text, "spec.yaml");
    config::Section section(document, "spec.yaml");
    return workload::read_category(section);
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

BOOST_AUTO_TEST_CASE(a_category_that_asks_for_nothing)
{
    const auto category = read("{name: a, rows: 2, target: 9}");
    BOOST_TEST(category.rows == 2);
    BOOST_TEST(category.history_last == -1);
    BOOST_TEST(category.made.turns == 0);
    BOOST_TEST(workload::broken_part(category.promise, {}) == "");
}

BOOST_AUTO_TEST_CASE(a_category_that_asks_for_all)
{
    const auto category =
        read("{name: a, rows: 2, target: 9, entry: e, history_last: 0, made_history: {turns: 5, word: w, "
             "words: [2, 7]}, where: {min_turns: 3, same_role_neighbours: true, language_not: en}, "
             "expect: {trimmed: true}}");
    BOOST_TEST(category.history_last == 0);
    BOOST_TEST(category.made.turns == 5);
    BOOST_TEST(category.made.words.high == 7);
    BOOST_TEST(category.where.min_turns == 3);
    BOOST_TEST(category.where.same_role_neighbours);
    BOOST_TEST(category.where.language_not == "en");
    BOOST_TEST(category.promise.trimmed.value());
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_named)
{
    BOOST_TEST(refused("{name: '', rows: 2, target: 9}") == "spec.yaml: name: is empty");
    BOOST_TEST(refused("{name: a, rows: 0, target: 9}") ==
               "spec.yaml: rows: is no whole number from 1 to 10000000");
    BOOST_TEST(refused("{name: a, rows: 1, target: 9, made_history: {turns: 1, word: w, words: 0}}") ==
               "spec.yaml: made_history.words: is not from 1 to 100000");
    BOOST_TEST(refused("{name: a, rows: 1, target: 9, made_history: {turns: 10000, word: w, words: 1000}}") ==
               "spec.yaml: made_history.words: make a history of more than 8 MiB");
    BOOST_TEST(refused("{name: a, rows: 1, target: 9, where: {min_turn: 1}}") ==
               "spec.yaml: where.min_turn: is unknown; did you mean min_turns?");
}
