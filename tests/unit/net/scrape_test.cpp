// SPDX-License-Identifier: MIT
#include <slo/net/scrape.hpp>

#define BOOST_TEST_MODULE net_scrape
#include <boost/test/unit_test.hpp>

#include "../../support/canned_server.hpp"

#include <unistd.h>

namespace {
using namespace slo;

struct Fixture {
    test::CannedServer server;
    net::Scraper scraper{net::ScrapeOptions{}};
};

BOOST_FIXTURE_TEST_SUITE(scraping, Fixture)

BOOST_AUTO_TEST_CASE(pages_come_in_the_order_of_the_urls)
{
    const auto pages = scraper.scrape({server.url("drop"), server.url("ok"), server.url("garbage")}, -1);
    BOOST_TEST(pages.size() == 3U);
    BOOST_TEST(pages[0].error == "the connection was closed before any answer");
    BOOST_TEST(pages[0].may_pass);
    BOOST_TEST(pages[1].error == "");
    BOOST_TEST(pages[1].body == R"({"data":[]})");
    BOOST_TEST(pages[1].content_type == "application/json");
    BOOST_TEST(pages[1].time_s > 1.7e9);
    BOOST_TEST(pages[1].duration_s > 0);
    BOOST_TEST(pages[2].error == "what answers does not speak HTTP");
    BOOST_TEST(!pages[2].may_pass);
}

BOOST_AUTO_TEST_CASE(a_connection_is_kept_from_one_scrape_to_the_next)
{
    for (int i = 0; i < 3; ++i)
        BOOST_TEST(scraper.scrape({server.url("ok")}, -1)[0].error == "");
    BOOST_TEST(server.accepted() == 1);
}

BOOST_AUTO_TEST_CASE(a_refused_connection_may_pass_and_a_bad_name_too)
{
    const auto refused = scraper.scrape({"http://127.0.0.1:1/metrics"}, -1)[0];
    BOOST_TEST(refused.error.ends_with("Connection refused"));
    BOOST_TEST(refused.may_pass);
    BOOST_TEST(!refused.cancelled);
}

BOOST_AUTO_TEST_CASE(the_bound_is_on_the_bytes_of_one_page)
{
    net::ScrapeOptions options;
    options.max_bytes = 11;
    net::Scraper exact(options);
    BOOST_TEST(exact.scrape({server.url("ok")}, -1)[0].error == "");
    options.max_bytes = 10;
    net::Scraper bounded(options);
    BOOST_TEST(bounded.scrape({server.url("ok")}, -1)[0].error == "answer larger than 10 bytes");
}

BOOST_AUTO_TEST_CASE(the_key_goes_to_urls_without_a_user_name)
{
    net::ScrapeOptions options;
    options.bearer_key = "sk-1";
    net::Scraper with_key(options);
    auto url = server.url("ok");
    with_key.scrape({url + "?at=a@b"}, -1);
    url.insert(7, "me:pw@");
    with_key.scrape({url}, -1);
    const auto requests = server.received();
    BOOST_TEST(requests.size() == 2U);
    BOOST_TEST(requests[0].head.find("Authorization: Bearer sk-1") != std::string::npos);
    BOOST_TEST(requests[1].head.find("Bearer") == std::string::npos);
    BOOST_TEST(requests[1].head.find("Authorization: Basic") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_stop_cancels_what_is_open)
{
    int ends[2];
    BOOST_REQUIRE(::pipe(ends) == 0);
    BOOST_REQUIRE(::write(ends[1], "x", 1) == 1);
    const auto pages = scraper.scrape({server.url("ok"), server.url("ok")}, ends[0]);
    BOOST_TEST(pages[0].cancelled);
    BOOST_TEST(pages[0].error == "interrupted");
    ::close(ends[0]);
    ::close(ends[1]);
}

BOOST_AUTO_TEST_SUITE_END()
} // namespace
