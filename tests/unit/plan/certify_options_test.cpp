// SPDX-License-Identifier: MIT
// Unit test of plan/certify_options.hpp: the looks that rounds allow for, and how an end steps out.

#include <slo/plan/certify_options.hpp>

#define BOOST_TEST_MODULE plan_certify_options
#include <boost/test/unit_test.hpp>

#include <vector>

using namespace slo::plan;

BOOST_AUTO_TEST_CASE(looks_that_rounds_allow_for)
{
    using Looks = std::vector<std::size_t>;
    BOOST_TEST(looks_within({12, 20, 32}, 32) == (Looks{12, 20, 32}));
    BOOST_TEST(looks_within({12, 20, 32}, 31.5) == (Looks{12, 20}));
    BOOST_TEST(looks_within({12, 20, 32}, 11).empty());
    BOOST_TEST(looks_within({12, 20, 32}, -1e300).empty());
}

BOOST_AUTO_TEST_CASE(an_end_steps_out_until_it_is_answered)
{
    IntervalEnd end;
    BOOST_TEST(end.widening() == 1);
    end.tried(7, false);
    end.tried(6, false);
    BOOST_TEST(end.widening() == 2);
    BOOST_TEST(end.tries == 2U);
    BOOST_TEST((end.last == Rate{6}));
    end.tried(5, true);
    BOOST_TEST(end.widening() == 1);
    BOOST_TEST(end.tries == 2U);
    end.tried(8, false);
    BOOST_TEST(end.widening() == 1.5);
    BOOST_TEST(end.tries == 3U);
}
