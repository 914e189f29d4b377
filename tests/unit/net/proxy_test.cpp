// SPDX-License-Identifier: MIT
#include <slo/net/proxy.hpp>

#define BOOST_TEST_MODULE net_proxy
#include <boost/test/unit_test.hpp>

#include <map>
#include <string>

using namespace slo::net;

namespace {

std::string proxy(const std::map<std::string, std::string>& variables, const char* scheme, const char* host)
{
    return proxy_for(scheme, host, [&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? std::string() : found->second;
    });
}

} // namespace

BOOST_AUTO_TEST_CASE(each_scheme_has_its_variable)
{
    BOOST_TEST(proxy({{"http_proxy", "http://a:1"}}, "http", "h") == "http://a:1");
    BOOST_TEST(proxy({{"http_proxy", "http://a:1"}}, "https", "h") == "");
    BOOST_TEST(proxy({{"https_proxy", "b"}, {"HTTPS_PROXY", "c"}}, "https", "h") == "b");
    BOOST_TEST(proxy({{"https_proxy", ""}, {"HTTPS_PROXY", "c"}}, "https", "h") == "c");
    BOOST_TEST(proxy({{"all_proxy", "d"}}, "http", "h") == "d");
    BOOST_TEST(proxy({{"ALL_PROXY", "e"}}, "https", "h") == "e");
    BOOST_TEST(proxy({{"http_proxy", "a"}, {"all_proxy", "d"}}, "http", "h") == "a");
}

BOOST_AUTO_TEST_CASE(what_a_client_of_a_web_server_may_set_does_not_count)
{
    BOOST_TEST(proxy({{"HTTP_PROXY", "http://evil:1"}}, "http", "h") == "");
}

BOOST_AUTO_TEST_CASE(hosts_are_exempt_by_domain)
{
    BOOST_TEST(is_exempt_from_proxy("anything", "*"));
    BOOST_TEST(is_exempt_from_proxy("example.com", "example.com"));
    BOOST_TEST(is_exempt_from_proxy("WWW.Example.com.", "other, .example.COM"));
    BOOST_TEST(is_exempt_from_proxy("www.example.com", "a b example.com."));
    BOOST_TEST(!is_exempt_from_proxy("nonexample.com", "example.com"));
    BOOST_TEST(!is_exempt_from_proxy("example.com", "www.example.com"));
    BOOST_TEST(!is_exempt_from_proxy("example.com", ""));
    BOOST_TEST(!is_exempt_from_proxy("example.com", " ,,\t,"));
    BOOST_TEST(proxy({{"http_proxy", "a"}, {"NO_PROXY", "localhost"}}, "http", "localhost") == "");
    BOOST_TEST(proxy({{"http_proxy", "a"}, {"no_proxy", "x"}, {"NO_PROXY", "h"}}, "http", "h") == "a");
}

BOOST_AUTO_TEST_CASE(addresses_are_exempt_by_network)
{
    BOOST_TEST(is_exempt_from_proxy("127.0.0.1", "127.0.0.1"));
    BOOST_TEST(is_exempt_from_proxy("10.1.2.3", "10.0.0.0/8"));
    BOOST_TEST(is_exempt_from_proxy("10.129.0.1", "10.128.0.0/9"));
    BOOST_TEST(!is_exempt_from_proxy("10.127.0.1", "10.128.0.0/9"));
    BOOST_TEST(!is_exempt_from_proxy("10.1.2.3", "10.0.0.0/33"));
    BOOST_TEST(!is_exempt_from_proxy("10.1.2.3", "0.0.0.0/x"));
    BOOST_TEST(!is_exempt_from_proxy("11.1.2.3", "10.0.0.0/8,2.3"));
    BOOST_TEST(is_exempt_from_proxy("::1", "::1"));
    BOOST_TEST(is_exempt_from_proxy("fd00::17", "fd00::/8"));
    BOOST_TEST(!is_exempt_from_proxy("::1", "127.0.0.1"));
}

BOOST_AUTO_TEST_CASE(a_password_is_not_shown)
{
    BOOST_TEST(shown_proxy("http://me:secret@proxy:3128/") == "http://proxy:3128");
    BOOST_TEST(shown_proxy("me:p@ss@proxy:3128") == "proxy:3128");
    BOOST_TEST(shown_proxy("proxy:3128") == "proxy:3128");
    BOOST_TEST(shown_proxy("socks5h://[::1]:1080") == "socks5h://[::1]:1080");
}
