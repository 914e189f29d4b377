// SPDX-License-Identifier: MIT
// Duplicates, later turns, and turns that come too late.

#include <slo/verify/conversation_rules.hpp>

#define BOOST_TEST_MODULE verify_conversation_rules
#include <boost/test/unit_test.hpp>

#include "../../support/verified_rows.hpp"

using namespace slo::verify;

namespace {

RuleReport ids(const std::vector<std::string>& rows, bool single_turn = false)
{
    IdsRule rule(std::make_shared<Conversations>(), single_turn);
    return judge(rule, rows);
}

RuleReport turns(const std::vector<std::string>& rows)
{
    TurnsRule rule(std::make_shared<Conversations>());
    return judge(rule, rows);
}

std::string row(const std::string& id, int ts, const std::string& roles)
{
    return row_text(body_of(roles), id, ts);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_duplicate_is_a_conversation_at_a_time)
{
    const auto report = ids({row("a", 0, "u"), row("b", 1, "u"), row("a", 2, "uau"), row("a", 0, "u"),
                             row("c", 3, "u"), row("a", 2, "uau"), row("b", 1, "u")});
    BOOST_TEST(lines_of(report) == "4 6 7");
    BOOST_TEST(report.findings.kept()[0].reason ==
               "conv_id a: the same conversation at the same time as in line 1");
    BOOST_TEST(report.findings.kept()[1].reason ==
               "conv_id a: the same conversation at the same time as in line 3");
    BOOST_TEST(report.figures.at("conversations").as_uint64() == 3U);
}

BOOST_AUTO_TEST_CASE(two_turns_may_have_one_time)
{
    BOOST_TEST(ids({row("a", 0, "u"), row("a", 0, "uau"), row("a", 0, "uauau")}).findings.empty());
    BOOST_TEST(lines_of(ids({row("a", 0, "u"), row("a", 0, "uau"), row("a", 0, "uau")})) == "3");
}

BOOST_AUTO_TEST_CASE(equal_times_are_equal_however_written)
{
    const auto at = [](const std::string& ts) {
        return "{\"ts\":" + ts + R"(,"conv_id":"a","body":{"prompt":"x"}})";
    };
    BOOST_TEST(lines_of(ids({at("1760000000"), at("1760000000.0"), at("1.76e9"),
                             at("1760000000.000000001")})) == "2 3");
    BOOST_TEST(lines_of(ids({at("1760000000000.5"), at("1760000000000.25"), at("1760000000000.50")})) == "3");
    BOOST_TEST(lines_of(ids({at("9223372036854775807"), at("9223372036854775806"),
                             at("9223372036854775807")})) == "3");
}

BOOST_AUTO_TEST_CASE(rows_without_a_conversation_are_not_compared)
{
    const auto report = ids({row("", 0, "u"), row("", 0, "u")}, true);
    BOOST_TEST(report.findings.empty());
    BOOST_TEST(report.figures.at("rows_without_conversation").as_uint64() == 2U);
}

BOOST_AUTO_TEST_CASE(single_turns)
{
    BOOST_TEST(lines_of(ids({row("a", 0, "u"), row("b", 1, "u"), row("a", 2, "uau")}, true)) == "3");
}

BOOST_AUTO_TEST_CASE(a_shorter_prompt_with_the_same_beginning_is_out_of_turn)
{
    BOOST_TEST(turns({row("a", 0, "su"), row("a", 1, "suau"), row("b", 1, "su")}).findings.empty());
    const auto report =
        turns({row("a", 0, "suau"), row("b", 1, "su"), row("a", 2, "su"), row("a", 3, "suau")});
    BOOST_TEST(lines_of(report) == "3");
    BOOST_TEST(report.findings.kept()[0].reason == "conv_id a: a turn of 2 messages after one of 4");
    BOOST_TEST(turns({row("", 0, "suau"), row("", 0, "su")}).findings.empty());
}

BOOST_AUTO_TEST_CASE(a_history_cut_at_its_front_begins_anew)
{
    BOOST_TEST(turns({row("a", 0, "suau"), row_text(body_of("su", "y"), "a", 1)}).findings.empty());
}

BOOST_AUTO_TEST_CASE(both_rules_share_one_table)
{
    const auto conversations = std::make_shared<Conversations>();
    IdsRule first(conversations, true);
    TurnsRule second(conversations);
    std::size_t line = 0;
    for (const auto* id : {"a", "b", "a"}) {
        const ScannedRow scanned(row(id, 5 + static_cast<int>(line), line == 2 ? "u" : "uau"), line + 1);
        ++line;
        first.look(scanned.row);
        second.look(scanned.row);
    }
    BOOST_TEST(lines_of(first.report()) == "3");
    BOOST_TEST(lines_of(second.report()) == "3");
    BOOST_TEST(conversations->size() == 2U);
}

BOOST_AUTO_TEST_CASE(rows_without_a_conversation_are_nothing_to_check)
{
    BOOST_TEST(ids({row("", 0, "u")}).nothing_to_check == "no row has a conv_id");
    BOOST_TEST(turns({row("", 0, "u")}).nothing_to_check == "no row has a conv_id");
    BOOST_TEST(ids({row("", 0, "u"), row("a", 0, "u")}).nothing_to_check == "");
}

BOOST_AUTO_TEST_CASE(forms_of_ids)
{
    slo::workload::QuotaSpec spec;
    spec.id_prefix = "g-";
    spec.id_digits = 2;
    IdFormRule rule(spec);
    const auto report = judge(rule, {row("g-01", 0, "u"), row("g-10", 0, "u"), row("g-123", 0, "u"), //
                                     row("g-1", 0, "u"), row("g-001", 0, "u"), row("g-00", 0, "u"),
                                     row("g-01-cycle01", 0, "u"), row("", 0, "u")});
    BOOST_TEST(report.findings.count() == 5U);
    BOOST_TEST(lines_of(report) == "4 5 6 7 8");
    BOOST_TEST(report.findings.kept()[3].reason == "conv_id g-01-cycle01");
    BOOST_TEST(report.findings.kept()[4].reason == "no conv_id");
    IdFormRule other(spec);
    BOOST_TEST(lines_of(judge(other, {row("h-01", 0, "u"), row("g-", 0, "u"), row("g--1", 0, "u"),
                                      row("g-+1", 0, "u"), row("01", 0, "u")})) == "1 2 3 4 5");
}
