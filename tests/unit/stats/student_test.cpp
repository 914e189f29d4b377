// SPDX-License-Identifier: MIT
#include <slo/stats/student.hpp>

#define BOOST_TEST_MODULE stats_student
#include <boost/test/unit_test.hpp>

namespace tt = boost::test_tools;

BOOST_AUTO_TEST_CASE(tabulated_quantiles)
{
    BOOST_TEST(slo::stats::normal_quantile(0.975) == 1.959964, tt::tolerance(1e-6));
    BOOST_TEST(slo::stats::normal_below(1.644854) == 0.95, tt::tolerance(1e-6));
    BOOST_TEST(slo::stats::student_quantile(0.975, 7) == 2.364624, tt::tolerance(1e-6));
    BOOST_TEST(slo::stats::student_quantile(0.95, 30) == 1.697261, tt::tolerance(1e-6));
}
