// SPDX-License-Identifier: MIT
#include <slo/engine/objective.hpp>
#define BOOST_TEST_MODULE engine_objective
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::engine;

namespace {

std::string complaint(const std::string& text)
{
    try {
        parse_objective(text);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "none";
}

} // namespace

BOOST_AUTO_TEST_CASE(objectives_are_read_and_written)
{
    BOOST_TEST(to_text(parse_objective("e2e:p50<6.5")) == "e2e:p50<6.5");
    BOOST_TEST(to_text(parse_objective(" ttft : p99.9 < 2 ")) == "ttft:p99.9<2");
    BOOST_TEST(to_text(parse_objective("tpot:p90<0.05")) == "tpot:p90<0.05");
}

BOOST_AUTO_TEST_CASE(anything_else_is_refused)
{
    BOOST_TEST(complaint("6.5") == "objective '6.5': is not of the form e2e:p50<6.5");
    BOOST_TEST(complaint("e2e<6:p50") == "objective 'e2e<6:p50': is not of the form e2e:p50<6.5");
    BOOST_TEST(complaint("itl:p50<6") == "objective 'itl:p50<6': the metric must be e2e, ttft or tpot");
    for (const auto rank : {"50", "p", "p0", "p100", "pnan"})
        BOOST_TEST(complaint("e2e:" + std::string(rank) + "<6").ends_with("above p0 and below p100"));
    for (const auto limit : {"", "0", "-1", "inf", "6.5s"})
        BOOST_TEST(complaint("e2e:p50<" + std::string(limit)).ends_with("seconds above 0"));
}

BOOST_AUTO_TEST_CASE(values_start_at_the_due_time_and_the_worst_choice_counts)
{
    Outcome outcome;
    outcome.due_s = 1;
    outcome.sent_s = 2;
    outcome.first_token_s = 4;
    outcome.end_s = 10;
    outcome.choices = {{3, 0, 4, 6, {}}, {4, 0, 4, 10, {}}, {1, 0, 9, 9, {}}};
    BOOST_TEST(*measure(parse_objective("e2e:p50<1"), outcome) == 9.0);
    BOOST_TEST(*measure(parse_objective("ttft:p50<1"), outcome) == 3.0);
    BOOST_TEST(*measure(parse_objective("tpot:p50<1"), outcome) == 2.0);
    outcome.choices = {{1, 0, 4, 4, {}}};
    BOOST_TEST(!measure(parse_objective("tpot:p50<1"), outcome).has_value());
}
