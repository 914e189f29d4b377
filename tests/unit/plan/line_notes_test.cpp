// SPDX-License-Identifier: MIT
#include <slo/plan/line_notes.hpp>

#define BOOST_TEST_MODULE plan_line_notes
#include <boost/test/unit_test.hpp>

using namespace slo;

BOOST_AUTO_TEST_CASE(malformed_lines_are_counted_and_the_first_are_named)
{
    record::RoundFile a;
    a.name = "a.jsonl";
    a.malformed_lines = 4;
    a.malformed_at = {2, 3, 5, 7};
    record::RoundFile b;
    b.name = "b.jsonl";
    b.malformed_lines = 3;
    b.malformed_at = {1, 9, 11};
    record::Verdict verdict;
    plan::note_lines(verdict, {a, b});
    BOOST_TEST(verdict.malformed_lines == 7);
    BOOST_TEST(verdict.notes.size() == 1U);
    BOOST_TEST(verdict.notes.front() ==
               "7 malformed lines skipped (a.jsonl:2, a.jsonl:3, a.jsonl:5, a.jsonl:7, b.jsonl:1, …)");
}

BOOST_AUTO_TEST_CASE(records_of_another_kind_are_named_where_there_is_no_round)
{
    record::RoundFile file;
    file.name = "x";
    file.other_records = 1;
    record::Verdict verdict;
    plan::note_lines(verdict, {file});
    BOOST_TEST(verdict.malformed_lines == 0);
    BOOST_TEST(verdict.notes.front() == "no round record, but 1 record of another kind");
    verdict = {};
    verdict.rounds_seen = 3;
    plan::note_lines(verdict, {file});
    BOOST_TEST(verdict.notes.empty());
}
