// SPDX-License-Identifier: MIT
#include <slo/plan/trace_context.hpp>

#define BOOST_TEST_MODULE plan_trace_context
#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_CASE(the_id_of_the_request_is_that_of_the_trace)
{
    BOOST_TEST(slo::plan::traceparent("0af76519-16cd-43dd-8448-eb211c80319c") ==
               "00-0af7651916cd43dd8448eb211c80319c-8448eb211c80319c-01");
}
