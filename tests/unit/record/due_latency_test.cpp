// SPDX-License-Identifier: MIT
#include <slo/record/due_latency.hpp>

#define BOOST_TEST_MODULE record_due_latency
#include <boost/test/unit_test.hpp>

#include <vector>

using namespace slo::record;

BOOST_AUTO_TEST_CASE(it_is_small_and_knows_failures)
{
    BOOST_TEST(sizeof(DueLatency) == 24U);
    BOOST_TEST((DueLatency(1, 0.5, 1).e2e_s() == 0.5));
    BOOST_TEST(!DueLatency(1, {}, 1).e2e_s().has_value());
}

BOOST_AUTO_TEST_CASE(orders)
{
    const DueLatency early(1, 3, 2);
    const DueLatency failed(1, {}, 1);
    const DueLatency late(2, 0.5, 1);
    BOOST_TEST(is_due_before(early, late));
    BOOST_TEST(!is_due_before(late, early));
    BOOST_TEST(is_due_before(early, failed));
    BOOST_TEST(!is_due_before(failed, failed));
    BOOST_TEST(is_in_earlier_round(late, failed));
    BOOST_TEST(is_in_earlier_round(failed, early));
    BOOST_TEST(!is_in_earlier_round(failed, failed));
}

BOOST_AUTO_TEST_CASE(a_median_is_of_the_successes)
{
    std::vector<DueLatency> round{{0, {}, 1}};
    BOOST_TEST(!median_s(round).has_value());
    BOOST_TEST(!median_s({}).has_value());
    round.insert(round.begin(), {0, 3, 1});
    BOOST_TEST(median_s(round).value() == 3);
    round.insert(round.begin(), {0, 1, 1});
    BOOST_TEST(median_s(round).value() == 2);
    round.insert(round.begin(), {0, 0.5, 1});
    BOOST_TEST(median_s(round).value() == 1);
}
