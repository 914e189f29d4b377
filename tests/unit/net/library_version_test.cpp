// SPDX-License-Identifier: MIT
#include <slo/net/library_version.hpp>

#define BOOST_TEST_MODULE net_library_version
#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_CASE(it_names_libcurl)
{
    BOOST_TEST(slo::net::library_version().starts_with("libcurl/"));
}
