// SPDX-License-Identifier: MIT
#include <slo/net/plain_endpoint.hpp>

#define BOOST_TEST_MODULE net_plain_endpoint
#include <boost/test/unit_test.hpp>

#include <netinet/in.h>

using slo::net::PlainEndpoint;

BOOST_AUTO_TEST_CASE(addresses_of_both_families_are_taken_as_they_are_written)
{
    PlainEndpoint four("127.0.0.1", "8000");
    BOOST_REQUIRE_EQUAL(four.addresses().size(), 1U);
    BOOST_TEST(four.addresses()[0].storage.ss_family == AF_INET);
    const auto* address = reinterpret_cast<const sockaddr_in*>(&four.addresses()[0].storage);
    BOOST_TEST(ntohs(address->sin_port) == 8000);
    PlainEndpoint six("::1", "80");
    BOOST_REQUIRE_EQUAL(six.addresses().size(), 1U);
    BOOST_TEST(six.addresses()[0].storage.ss_family == AF_INET6);
    BOOST_TEST(&six.addresses() == &six.addresses());
}

BOOST_AUTO_TEST_CASE(a_name_that_nobody_knows_has_no_address)
{
    PlainEndpoint nowhere("name.invalid", "80");
    BOOST_TEST(nowhere.addresses().empty());
    BOOST_TEST(nowhere.host() == "name.invalid");
    BOOST_TEST(nowhere.port() == "80");
}
