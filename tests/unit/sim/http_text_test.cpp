// SPDX-License-Identifier: MIT
#include <slo/sim/http_text.hpp>
#define BOOST_TEST_MODULE sim_http_text
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo::sim;

BOOST_AUTO_TEST_CASE(heads_and_chunks)
{
    std::string out;
    append_head(out, 200, true);
    BOOST_TEST(out == "HTTP/1.1 200 OK\r\nServer: engine-sim\r\n");
    out.clear();
    append_head(out, 429, false);
    BOOST_TEST(out == "HTTP/1.1 429 Too Many Requests\r\nServer: engine-sim\r\nConnection: close\r\n");
    out.clear();
    append_chunk(out, std::string(300, 'x'));
    BOOST_TEST(out == "12c\r\n" + std::string(300, 'x') + "\r\n");
}

BOOST_AUTO_TEST_CASE(a_target_may_be_a_whole_url)
{
    BOOST_TEST(path_of_target("/v1/models?a=b") == "/v1/models");
    BOOST_TEST(path_of_target("http://nowhere.invalid/v1/models?a=b") == "/v1/models");
    BOOST_TEST(path_of_target("HTTP://[::1]:80/health") == "/health");
    BOOST_TEST(path_of_target("http://nowhere.invalid") == "/");
    BOOST_TEST(path_of_target("http://nowhere.invalid?x=/y") == "/");
    BOOST_TEST(path_of_target("/redirect?to=http://a/b") == "/redirect");
    BOOST_TEST(path_of_target("/a://b") == "/a://b");
    BOOST_TEST(path_of_target("*") == "*");
    BOOST_TEST(path_of_target("") == "");
}
