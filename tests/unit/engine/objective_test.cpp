// SPDX-License-Identifier: MIT
#include <slo/engine/objective.hpp>
#define BOOST_TEST_MODULE engine_objective
#include <boost/test/unit_test.hpp>

using namespace slo;
using namespace slo::engine;

BOOST_AUTO_TEST_CASE(values_start_at_the_due_time_and_the_worst_choice_counts)
{
    Outcome outcome;
    outcome.due_s = 1;
    outcome.sent_s = 2;
    outcome.first_token_s = 4;
    outcome.end_s = 10;
    outcome.choices = {{3, 0, 4, 6, {}}, {4, 0, 4, 10, {}}, {1, 0, 9, 9, {}}};
    const auto measured = measured_of(outcome);
    BOOST_TEST(measured.ok);
    BOOST_TEST(measured.e2e_s.value() == 9.0);
    BOOST_TEST(measured.ttft_s.value() == 3.0);
    BOOST_TEST(measured.tpot_s.value() == 2.0);
    outcome.choices = {{1, 0, 4, 4, {}}};
    BOOST_TEST(!measured_of(outcome).tpot_s.has_value());
}

BOOST_AUTO_TEST_CASE(what_was_refused_has_no_figures)
{
    Outcome outcome;
    outcome.due_s = outcome.sent_s = outcome.end_s = 3;
    outcome.refused = true;
    const auto measured = measured_of(outcome);
    BOOST_TEST(!measured.ok);
    BOOST_TEST(!measured.e2e_s.has_value());
    BOOST_TEST(!measured.ttft_s.has_value());
    BOOST_TEST(!measured.tpot_s.has_value());
}
