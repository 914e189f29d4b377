// SPDX-License-Identifier: MIT
#include <slo/wire/http_fields.hpp>

#define BOOST_TEST_MODULE wire_http_fields
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace slo::wire;

BOOST_AUTO_TEST_CASE(case_counts_for_nothing_in_names)
{
    BOOST_TEST(equal_ignoring_case("Content-Type", "content-TYPE"));
    BOOST_TEST(!equal_ignoring_case("Content-Type", "Content-Typ"));
    BOOST_TEST(!equal_ignoring_case("@", "`")); // differ by the same bit, but are no letters
}

BOOST_AUTO_TEST_CASE(a_list_without_its_blanks_and_empty_items)
{
    std::vector<std::string> items;
    for_each_item(" a ,, b\t,c,", [&](std::string_view item) { items.emplace_back(item); });
    BOOST_TEST(items == (std::vector<std::string>{"a", "b", "c"}));
}

BOOST_AUTO_TEST_CASE(the_first_of_its_kind_is_kept)
{
    HttpFields fields;
    BOOST_TEST(fields.read_status_line("HTTP/1.1 503 Busy"));
    for (const auto* line : {"Content-Type: text/event-stream", "content-type: text/html", "RETRY-AFTER:\t7 ",
                             "Date: Mon, 30 Nov 2026 12:00:00 GMT", "Dates: x"})
        BOOST_TEST((fields.read(line) == HttpFieldFault::none));
    BOOST_TEST(fields.status() == 503);
    BOOST_TEST(fields.content_type() == "text/event-stream");
    BOOST_TEST(fields.retry_after() == "7");
    BOOST_TEST(fields.date() == "Mon, 30 Nov 2026 12:00:00 GMT");
    fields.clear();
    BOOST_TEST(fields.content_type() == "");
    BOOST_TEST(fields.retry_after() == "");
    BOOST_TEST(fields.date() == "");
}

BOOST_AUTO_TEST_CASE(status_lines_by_the_letter)
{
    HttpFields fields;
    BOOST_TEST(fields.read_status_line("HTTP/1.0 200"));
    BOOST_TEST(!fields.keep_alive());
    BOOST_TEST(fields.read_status_line("HTTP/1.1 404 "));
    BOOST_TEST(fields.keep_alive());
    for (const auto* line : {"", "HTTP/1.", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20", "HTTP/1.1 20x",
                             "HTTP/1.1  200", "HTTP/3.1 200", "HTTP/1.1 200OK"})
        BOOST_TEST(!fields.read_status_line(line), line);
}
