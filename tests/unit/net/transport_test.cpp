// SPDX-License-Identifier: MIT
#include <slo/net/transport.hpp>

#define BOOST_TEST_MODULE net_transport
#include <boost/test/unit_test.hpp>

#include <map>
#include <string>

using namespace slo::net;
using slo::UsageError;

namespace {

struct Fixture {
    EventLoop loop;
    TransportOptions options;
    std::map<std::string, std::string> variables;

    std::string made(TransportKind kind, const std::string& url)
    {
        const auto environment = [this](const char* name) { return variables[name]; };
        return std::string(make_transport(kind, url, options, loop, environment)->name());
    }

    std::string refusal(const std::string& url)
    {
        try {
            made(TransportKind::plain, url);
        } catch (const UsageError& error) {
            return error.what();
        }
        return {};
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(transport, Fixture)

BOOST_AUTO_TEST_CASE(automatic_is_plain_where_plain_will_do)
{
    BOOST_TEST(made(TransportKind::automatic, "http://127.0.0.1:1/v1") == "plain");
    BOOST_TEST(made(TransportKind::automatic, "http://[::1]:1/v1") == "plain");
    BOOST_TEST(made(TransportKind::automatic, "https://127.0.0.1:1/v1") == "curl");
    BOOST_TEST(made(TransportKind::automatic, "http://me:secret@127.0.0.1:1/v1") == "curl");
    BOOST_TEST(made(TransportKind::automatic, "no url at all") == "curl");
    options.http2 = true;
    BOOST_TEST(made(TransportKind::automatic, "http://127.0.0.1:1/v1") == "curl");
}

BOOST_AUTO_TEST_CASE(a_proxy_is_for_curl)
{
    variables["http_proxy"] = "http://user:secret@proxy:3128/";
    BOOST_TEST(made(TransportKind::automatic, "http://127.0.0.1:1/v1") == "curl");
    variables["no_proxy"] = "localhost,127.0.0.1";
    BOOST_TEST(made(TransportKind::automatic, "http://127.0.0.1:1/v1") == "plain");
    variables.clear();
    variables["HTTP_PROXY"] = "http://proxy:3128/";
    BOOST_TEST(made(TransportKind::automatic, "http://127.0.0.1:1/v1") == "plain");
}

BOOST_AUTO_TEST_CASE(what_is_asked_for_is_what_runs)
{
    BOOST_TEST(made(TransportKind::curl, "http://127.0.0.1:1/v1") == "curl");
    BOOST_TEST(made(TransportKind::plain, "http://127.0.0.1:1/v1") == "plain");
}

BOOST_AUTO_TEST_CASE(plain_says_what_it_cannot_do)
{
    BOOST_TEST(refusal("https://127.0.0.1:1/v1") == "--transport: plain does not speak TLS");
    BOOST_TEST(refusal("http://me@127.0.0.1:1/v1") == "--transport: plain takes no user name in a URL");
    BOOST_TEST(refusal("gopher://127.0.0.1/") == "--transport: what answers does not speak HTTP");
    BOOST_TEST(refusal("http://127.0.0.1:99999/") != "");
    variables["all_proxy"] = "http://user:secret@proxy:3128/";
    BOOST_TEST(refusal("http://127.0.0.1:1/v1") ==
               "--transport: plain does not use proxies, and the environment "
               "names http://proxy:3128 for 127.0.0.1");
    variables.clear();
    options.http2 = true;
    BOOST_TEST(refusal("http://127.0.0.1:1/v1") == "--transport: plain does not speak HTTP/2");
}

BOOST_AUTO_TEST_CASE(a_host_that_is_not_known_is_told_by_the_first_exchange)
{
    BOOST_TEST(made(TransportKind::plain, "http://host.invalid/v1") == "plain");
}

BOOST_AUTO_TEST_SUITE_END()
