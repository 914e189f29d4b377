// SPDX-License-Identifier: MIT
#include <slo/net/plain_request.hpp>
#include <slo/net/plain_servers.hpp>

#define BOOST_TEST_MODULE net_plain_request
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace slo::net;

namespace {

std::string head_of(std::vector<std::string_view> headers, bool post = true)
{
    const PlainRequestHead writer(parse_url("http://host:8000/v1?q"));
    std::string head = "what was there before";
    writer.write({"", std::move(headers), "12345", post}, head);
    return head;
}

const std::string agent = std::string("User-Agent: sloutils/") + slo::version + "\r\n";

} // namespace

BOOST_AUTO_TEST_CASE(a_post)
{
    BOOST_TEST(
        head_of({"Content-Type: application/json", "X-Request-Id: 7"}) ==
        "POST /v1?q HTTP/1.1\r\nHost: host:8000\r\n" + agent +
            "Accept: */*\r\nContent-Type: application/json\r\nX-Request-Id: 7\r\nContent-Length: 5\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(a_get_says_nothing_of_a_body)
{
    BOOST_TEST(head_of({}, false) ==
               "GET /v1?q HTTP/1.1\r\nHost: host:8000\r\n" + agent + "Accept: */*\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(the_callers_headers_replace_ours)
{
    BOOST_TEST(head_of({"host: other", "USER-AGENT: me", "accept: text/html", "content-type: text/plain"}) ==
               "POST /v1?q HTTP/1.1\r\nHost: other\r\nUSER-AGENT: me\r\naccept: text/html\r\ncontent-type: "
               "text/plain\r\nContent-Length: 5\r\n\r\n");
    BOOST_TEST(head_of({"Host:", "User-Agent: ", "Accept:", "Content-Type:"}) ==
               "POST /v1?q HTTP/1.1\r\nContent-Length: 5\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(servers_are_known_by_host_and_port)
{
    PlainServers servers;
    const auto& a = servers.find("http://host:8000/a");
    const auto& b = servers.find("http://host:8000/b");
    const auto& other = servers.find("http://host:8001/a");
    BOOST_TEST(&servers.find("http://host:8000/a") == &a);
    BOOST_TEST(&a != &b);
    BOOST_TEST(&a.endpoint == &b.endpoint);
    BOOST_TEST(&a.endpoint != &other.endpoint);
    BOOST_CHECK_THROW(servers.find("https://host/"), slo::Error);
    BOOST_CHECK_THROW(servers.find("http://me@host/"), slo::Error);
    BOOST_TEST(&servers.find("http://host:8000/b") == &b); // still, after what was refused
}
