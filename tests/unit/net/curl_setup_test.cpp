// SPDX-License-Identifier: MIT
#include <slo/net/curl_setup.hpp>

#define BOOST_TEST_MODULE net_curl_setup
#include <boost/test/unit_test.hpp>

#include <thread>

using namespace slo::net;

BOOST_AUTO_TEST_CASE(the_library_may_be_started_again)
{
    BOOST_CHECK_NO_THROW(start_curl());
    BOOST_CHECK_NO_THROW(start_curl());
}

BOOST_AUTO_TEST_CASE(each_thread_has_its_own_share)
{
    start_curl();
    CURLSH* other = nullptr;
    std::thread([&] { other = curl_share(); }).join();
    BOOST_TEST(curl_share() == curl_share());
    BOOST_TEST(curl_share() != other);
}

BOOST_AUTO_TEST_CASE(http2_is_negotiated_with_tls_and_assumed_without)
{
    TransportOptions options;
    BOOST_TEST(http_version(options, "https://h/") == long{CURL_HTTP_VERSION_1_1});
    options.http2 = true;
    BOOST_TEST(http_version(options, "https://h/") == long{CURL_HTTP_VERSION_2TLS});
    BOOST_TEST(http_version(options, "HTTPS://h/") == long{CURL_HTTP_VERSION_2TLS});
    BOOST_TEST(http_version(options, "http://h/") == long{CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE});
    BOOST_TEST(http_version(options, "http") == long{CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE});
}
