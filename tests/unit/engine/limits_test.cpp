// SPDX-License-Identifier: MIT
#include <slo/engine/limits.hpp>
#define BOOST_TEST_MODULE engine_limits
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::engine;

namespace {

std::string complaint(const SchedulerLimits& limits)
{
    try {
        checked(limits);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "none";
}

} // namespace

BOOST_AUTO_TEST_CASE(limits_are_checked_one_by_one_and_against_each_other)
{
    BOOST_TEST(complaint({}) == "none");
    BOOST_TEST(complaint({1, 1, 1, 16, true}) == "none");
    BOOST_TEST(complaint({0, 1, 1, 16, true}) == "max_num_seqs: must be from 1 to 65536, is 0");
    BOOST_TEST(complaint({1, -5, 1, 16, true}) ==
               "max_num_batched_tokens: must be from 1 to 16777216, is -5");
    BOOST_TEST(complaint({1, 1, 1 << 25, 16, true}) == "kv_blocks: must be from 1 to 16777216, is 33554432");
    BOOST_TEST(complaint({1, 1, 1, 0, true}) == "max_model_len: must be from 1 to 16777216, is 0");
    BOOST_TEST(complaint({1, 1, 1, 17, true}) ==
               "max_model_len: 17 tokens need 2 KV blocks, and there are 1");
    BOOST_TEST(
        complaint({2, 1, 1, 16, true}).starts_with("max_num_batched_tokens: must be at least max_num_seqs"));
}
