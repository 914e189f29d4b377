// SPDX-License-Identifier: MIT
#include <slo/net/url_parts.hpp>

#define BOOST_TEST_MODULE net_url_parts
#include <boost/test/unit_test.hpp>

using namespace slo::net;

BOOST_AUTO_TEST_CASE(the_parts_of_a_url)
{
    const auto parts = parse_url("http://Example.org:8000/v1/chat?a=b#c");
    BOOST_TEST(parts.scheme == "http");
    BOOST_TEST(parts.host == "Example.org");
    BOOST_TEST(parts.port == "8000");
    BOOST_TEST(parts.host_field == "Example.org:8000");
    BOOST_TEST(parts.target == "/v1/chat?a=b");
    BOOST_TEST(!parts.has_user);
}

BOOST_AUTO_TEST_CASE(what_is_left_out_has_its_default)
{
    const auto http = parse_url("HTTP://host");
    BOOST_TEST(http.scheme == "http");
    BOOST_TEST(http.port == "80");
    BOOST_TEST(http.host_field == "host");
    BOOST_TEST(http.target == "/");
    BOOST_TEST(parse_url("https://host?q").port == "443");
    BOOST_TEST(parse_url("https://host?q").target == "/?q");
    BOOST_TEST(parse_url("http://host:80/").host_field == "host");
}

BOOST_AUTO_TEST_CASE(an_ipv6_address_loses_its_brackets_but_in_the_host_header)
{
    const auto parts = parse_url("http://[::1]:8000/");
    BOOST_TEST(parts.host == "::1");
    BOOST_TEST(parts.host_field == "[::1]:8000");
    BOOST_TEST(parse_url("http://[fe80::1%25eth0]/").host == "fe80::1%eth0");
}

BOOST_AUTO_TEST_CASE(a_user_is_noticed)
{
    BOOST_TEST(parse_url("http://me@host/").has_user);
    BOOST_TEST(parse_url("http://me:secret@host/").has_user);
    BOOST_TEST(!parse_url("http://host/me@home").has_user);
}

BOOST_AUTO_TEST_CASE(what_is_no_url_is_refused)
{
    for (const char* url : {"", "http://", "http://host:99999/", "http://ho st/", "http://[::1/",
                            "gopher://host/", "file:///etc/passwd"})
        BOOST_CHECK_THROW(parse_url(url), slo::Error);
}
