// SPDX-License-Identifier: MIT
#include <slo/engine/step_model.hpp>
#define BOOST_TEST_MODULE engine_step_model
#include <boost/test/unit_test.hpp>

using namespace slo::engine;

BOOST_AUTO_TEST_CASE(a_step_is_the_sum_of_its_four_parts)
{
    const StepModel model{1, 0.1, 0.01, 0.001};
    const auto tolerance = boost::test_tools::tolerance(1e-12);
    BOOST_TEST(model.step_s({}) == 1.0, tolerance);
    BOOST_TEST(model.step_s({3, 0, 0}) == 1.3, tolerance);
    BOOST_TEST(model.step_s({0, 5, 0}) == 1.05, tolerance);
    BOOST_TEST(model.step_s({0, 0, 7}) == 1.007, tolerance);
    BOOST_TEST(model.step_s({3, 5, 7}) == 1.357, tolerance);
}

BOOST_AUTO_TEST_CASE(a_captured_batch_takes_a_share_of_its_time)
{
    StepModel model{1, 0.1, 0, 0};
    BOOST_TEST(model.is_monotone());
    model.graph_from = 4;
    model.graph_to = 6;
    model.graph_factor = 0.5;
    BOOST_TEST(!model.is_monotone());
    const auto tolerance = boost::test_tools::tolerance(1e-12);
    BOOST_TEST(model.step_s({3, 0, 0}) == 1.3, tolerance);
    BOOST_TEST(model.step_s({4, 0, 0}) == 0.7, tolerance);
    BOOST_TEST(model.step_s({6, 0, 0}) == 0.8, tolerance);
    BOOST_TEST(model.step_s({7, 0, 0}) == 1.7, tolerance);
    model.graph_factor = 2;
    BOOST_TEST(model.is_monotone());
}

BOOST_AUTO_TEST_CASE(steps_of_a_drifting_engine_get_longer_in_time)
{
    StepModel model{1, 0.1, 0, 0};
    BOOST_TEST(model.step_s({5, 0, 0}, 7200) == 1.5);
    model.drift_per_hour = 0.25;
    BOOST_TEST(model.step_s({5, 0, 0}) == 1.5);
    BOOST_TEST(model.step_s({5, 0, 0}, 7200) == 2.25);
}
