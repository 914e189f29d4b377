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
