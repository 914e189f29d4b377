// SPDX-License-Identifier: MIT
#include <slo/plan/retry_policy.hpp>

#define BOOST_TEST_MODULE plan_retry_policy
#include <boost/test/unit_test.hpp>

using slo::plan::RetryPolicy;

namespace {

constexpr double long_s = 600;

} // namespace

BOOST_AUTO_TEST_CASE(only_a_refusal_is_sent_again)
{
    const RetryPolicy policy;
    for (const int status : {0, 200, 400, 401, 404, 408, 500, 502, 504})
        BOOST_TEST(!policy.wait_s(status, 1.0, 1, long_s), status);
    BOOST_TEST(policy.wait_s(429, 1.0, 1, long_s).value() == 1);
    BOOST_TEST(policy.wait_s(429, std::nullopt, 1, long_s).value() == 0.5);
    BOOST_TEST(policy.wait_s(503, 1.0, 1, long_s).value() == 1);
    BOOST_TEST(!policy.wait_s(503, std::nullopt, 1, long_s)); // may be anything
}

BOOST_AUTO_TEST_CASE(without_a_word_of_the_server_the_wait_doubles)
{
    RetryPolicy policy;
    policy.max_attempts = 100;
    double expected_s = 0.5;
    for (int attempts = 1; attempts < 100; ++attempts, expected_s = std::min(2 * expected_s, 8.0))
        BOOST_TEST(policy.wait_s(429, std::nullopt, attempts, long_s).value() == expected_s);
    BOOST_TEST(policy.wait_s(429, 30.0, 99, long_s).value() == 30); // what the server asks for is not cut
}

BOOST_AUTO_TEST_CASE(attempts_and_time_end_it)
{
    const RetryPolicy policy;
    BOOST_TEST(policy.wait_s(429, 0.0, 4, long_s).value() == 0);
    BOOST_TEST(!policy.wait_s(429, 0.0, 5, long_s));
    BOOST_TEST(policy.wait_s(429, 2.0, 1, 2.001).value() == 2);
    BOOST_TEST(!policy.wait_s(429, 2.0, 1, 2.0));
    BOOST_TEST(!policy.wait_s(429, std::nullopt, 1, 0.4));
    BOOST_TEST(!policy.wait_s(429, 0.0, 1, -1.0));
    BOOST_TEST(policy.wait_s(429, -5.0, 1, 1.0).value() == 0);
}

// With ten seconds for a request, b is sent again after the two it was told, c never: its thirty are too
// long.
BOOST_AUTO_TEST_CASE(R01_latency_of_a_retried_request_counts_from_its_due_time)
{
    const RetryPolicy policy;
    const double due_s = 0.1;
    const double refused_s = 0.105;
    const auto wait_s = policy.wait_s(429, 2.0, 1, 10 - (refused_s - due_s));
    const double sent_again_s = refused_s + wait_s.value();
    BOOST_CHECK_CLOSE(sent_again_s, 2.105, 1e-9);
    BOOST_CHECK_CLOSE(sent_again_s + 0.5 - due_s, 2.505, 1e-9);
    BOOST_TEST(!policy.wait_s(503, 30.0, 1, 10 - 0.01));
}
