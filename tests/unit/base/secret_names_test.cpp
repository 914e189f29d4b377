// SPDX-License-Identifier: MIT
// Names before secrets, and before what may be shown.

#include <slo/base/secret_names.hpp>

#define BOOST_TEST_MODULE base_secret_names
#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_CASE(names_of_headers_and_parameters_that_hold_a_secret)
{
    for (const auto* name : {"Authorization", "x-api-key", "?api_key", "&X-Amz-Signature", "access_token",
                             "CLIENT_SECRET", "passwd", "Cookie", "&session", "X-Session-Id"})
        BOOST_TEST(slo::names_a_secret(name), name);
    for (const auto* name : {"", "Host", "X-Tenant", "?api-version", "&deployment", "traceparent"})
        BOOST_TEST(!slo::names_a_secret(name), name);
}
