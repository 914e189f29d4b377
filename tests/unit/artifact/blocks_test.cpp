// SPDX-License-Identifier: MIT
#include <slo/artifact/blocks.hpp>

#define BOOST_TEST_MODULE artifact_blocks
#include <boost/test/unit_test.hpp>

using namespace slo;

BOOST_AUTO_TEST_CASE(a_latency_block_has_every_figure)
{
    BOOST_CHECK_EQUAL(to_json(artifact::latency_block({})),
                      R"({"mean":null,"p50":null,"p90":null,"p95":null,"p99":null})");
    BOOST_CHECK_EQUAL(to_json(artifact::latency_block({30, 10, 20})),
                      R"({"mean":20.0,"p50":20.0,"p90":28.0,"p95":29.0,"p99":29.8})");
    BOOST_CHECK(!artifact::is_known(artifact::unknown_latency()));
    BOOST_CHECK(artifact::is_known(artifact::latency_block({0})));
}

BOOST_AUTO_TEST_CASE(rounding_is_that_of_the_exact_value)
{
    BOOST_CHECK_EQUAL(artifact::rounded(14.285714, 4), 14.2857);
    BOOST_CHECK_EQUAL(artifact::rounded(2.675, 2), 2.67); // 2.675 is a little less than that
    BOOST_CHECK_EQUAL(artifact::rounded(0.125, 2), 0.12); // a tie goes to the even digit
}
