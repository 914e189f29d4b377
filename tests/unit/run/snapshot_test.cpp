// SPDX-License-Identifier: MIT
#include <slo/run/snapshot.hpp>

#define BOOST_TEST_MODULE run_snapshot
#include <boost/test/unit_test.hpp>

#include "../../support/canned_server.hpp"

#include <slo/record/snapshot_file.hpp>

namespace {
using namespace slo;

net::Scrape page(std::string body, std::string type = "text/plain")
{
    net::Scrape scrape;
    scrape.body = std::move(body);
    scrape.content_type = std::move(type);
    scrape.time_s = 1777629600.2504;
    scrape.duration_s = 0.0123;
    return scrape;
}

std::string written(const std::vector<run::SnapshotTarget>& targets, const std::vector<net::Scrape>& pages)
{
    std::string text;
    run::write_snapshot(targets, pages, [&](std::string_view part) { text += part; });
    return text;
}

BOOST_AUTO_TEST_CASE(each_page_stands_behind_its_header)
{
    const std::string header =
        "# sloutils.snapshot/1 time=2026-05-01T10:00:00.250Z url=http://h/m duration_s=0.012 bytes=";
    BOOST_TEST(written({{"http://u:p@h/m", ""}}, {page("a 1\n")}) == header + "4\na 1\n");
    BOOST_TEST(written({{"http://h/m", ""}, {"http://h/m", "x"}}, {page("a 1"), page("b 1\n")}) ==
               header + "3\na 1\n" + header + "4 label=x\nb 1\n");
}

BOOST_AUTO_TEST_CASE(nothing_is_written_when_one_page_is_missing)
{
    auto bad = page("");
    bad.error = "HTTP status 503";
    std::string text;
    BOOST_CHECK_EXCEPTION(run::write_snapshot({{"http://a", ""}, {"http://b", "x"}}, {page("a 1\n"), bad},
                                              [&](std::string_view part) { text += part; }),
                          Error,
                          [](const Error& e) { return std::string(e.what()) == "x: HTTP status 503"; });
    BOOST_TEST(text == "");
}

BOOST_AUTO_TEST_CASE(what_is_no_metrics_page_says_why)
{
    BOOST_TEST(run::no_metrics_reason(page("a 1\n")) == "");
    BOOST_TEST(run::no_metrics_reason(page("{\"a.b\"} 1\n")) == "");
    BOOST_TEST(run::no_metrics_reason(page(" \r\n")) == "an empty answer");
    BOOST_TEST(run::no_metrics_reason(page("\n<html>")) == "an HTML page, not metrics");
    BOOST_TEST(run::no_metrics_reason(page("{\"error\":\"no\"}")) == "JSON, not metrics in the text format");
    BOOST_TEST(run::no_metrics_reason(page("# nothing\n")) == "no metrics in the answer");
    BOOST_TEST(run::no_metrics_reason(page("a 1\nb{c=\"")) == "the page is cut short");
    const std::string openmetrics = "application/openmetrics-text; version=1.0.0";
    BOOST_TEST(run::no_metrics_reason(page("a 1\n", openmetrics)) == "the page is cut short");
    BOOST_TEST(run::no_metrics_reason(page("a 1\n# EOF\n", openmetrics)) == "");
}

BOOST_AUTO_TEST_CASE(only_what_may_pass_is_asked_for_again)
{
    test::CannedServer server;
    test::CannedServer other; // or a connection kept from it would be tried first
    net::Scraper scraper{net::ScrapeOptions{}};
    const std::vector<run::SnapshotTarget> targets{{server.url("drop"), ""}, {other.url("ok"), ""}};
    const auto pages = run::scrape_all(scraper, targets, {2, 0.001}, -1);
    BOOST_TEST(pages[0].error == "the connection was closed before any answer (tried 3 times)");
    BOOST_TEST(pages[1].error == "JSON, not metrics in the text format");
    BOOST_TEST(server.received().size() == 3U);
    BOOST_TEST(other.received().size() == 1U);
}

BOOST_AUTO_TEST_CASE(the_reader_of_snapshots_reads_them_back)
{
    const auto text = written({{"http://h/m", ""}, {"http://g/m", "x"}}, {page("a 1"), page("a 2\n# EOF\n")});
    const auto read = record::parse_snapshots(text, "f");
    BOOST_TEST(read.size() == 2U);
    BOOST_TEST(*read[0].url == "http://h/m");
    BOOST_TEST(read[0].series[0].value == 1);
    BOOST_TEST(!read[0].truncated());
    BOOST_TEST(*read[1].label == "x");
    BOOST_TEST(read[1].series[0].value == 2);
    BOOST_TEST(*read[1].taken_s == 1777629600.25);
}
} // namespace
