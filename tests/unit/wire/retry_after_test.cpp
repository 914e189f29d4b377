// SPDX-License-Identifier: MIT
#include <slo/wire/retry_after.hpp>

#define BOOST_TEST_MODULE wire_retry_after
#include <boost/test/unit_test.hpp>

#include <slo/io/jsonl.hpp>

#include <string>

using namespace slo;
using wire::parse_http_date;
using wire::retry_after_s;

BOOST_AUTO_TEST_CASE(a_date_in_any_of_its_three_forms)
{
    for (const char* text : {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
                             "Sun Nov  6 08:49:37 1994", "  Sun, 06 Nov 1994 08:49:37 GMT\t"})
        BOOST_TEST(parse_http_date(text).value_or(-1) == 784111777, text);
    BOOST_TEST(parse_http_date("Thu, 01 Jan 1970 00:00:00 GMT").value() == 0);
    BOOST_TEST(parse_http_date("Wed Dec 31 23:59:59 1969").value() == -1);
    BOOST_TEST(parse_http_date("Thu, 29 Feb 2024 23:59:60 GMT").value() == 1709251200); // a leap second
    BOOST_TEST(parse_http_date("Fri, 31 Dec 9999 23:59:59 GMT").value() == 253402300799);
}

BOOST_AUTO_TEST_CASE(a_year_of_two_digits_lies_within_fifty_years)
{
    const auto year_2026 = std::int64_t{1'780'000'000};
    const auto year = [](std::optional<std::int64_t> moment) {
        return 1970 + static_cast<int>(static_cast<double>(moment.value()) / (365.2425 * 86400));
    };
    BOOST_TEST(year(parse_http_date("Monday, 15-Jun-26 00:00:00 GMT", year_2026)) == 2026);
    BOOST_TEST(year(parse_http_date("Monday, 15-Jun-76 00:00:00 GMT", year_2026)) == 2076);
    BOOST_TEST(year(parse_http_date("Monday, 15-Jun-77 00:00:00 GMT", year_2026)) == 1977);
    BOOST_TEST(year(parse_http_date("Monday, 15-Jun-05 00:00:00 GMT", 4'070'908'800)) ==
               2105); // seen from 2099
}

BOOST_AUTO_TEST_CASE(what_is_no_date)
{
    for (const char* text : {"",
                             "soon",
                             "Sun",
                             "Sun, ",
                             "Sun, 06 Nov 1994 08:49:37",
                             "Sun, 06 Nov 1994 08:49:37 UTC",
                             "Sun, 06 Nov 1994 08:49:37 GMT x",
                             "Sun, 6 Nov 1994 08:49:37 GMT",
                             "Sun, 06 nov 1994 08:49:37 GMT",
                             "Sun, 06 Nov 94 08:49:37 GMT",
                             "Sunday, 06 Nov 1994 08:49:37 GMT",
                             "Sun, 31 Feb 1994 08:49:37 GMT",
                             "Sun, 00 Nov 1994 08:49:37 GMT",
                             "Sun, 06 Nov 1994 24:49:37 GMT",
                             "Sun, 06 Nov 1994 08:60:37 GMT",
                             "Sun, 06 Nov 1994 08:49:61 GMT",
                             "Sun, 06 Nov 1994 08-49-37 GMT",
                             "Sun, -6 Nov 1994 08:49:37 GMT",
                             "Xyz, 06 Nov 1994 08:49:37 GMT",
                             "Sun Nov    08:49:37 1994",
                             "Sun Nov 6 08:49:37 1994",
                             "Sun Nov  6 08:49:37 94",
                             "1994-11-06T08:49:37Z"})
        BOOST_TEST(!parse_http_date(text), text);
    // Cut at every byte it is none either.
    const std::string whole = "Sunday, 06-Nov-94 08:49:37 GMT";
    for (std::size_t size = 0; size < whole.size(); ++size)
        BOOST_TEST(!parse_http_date(whole.substr(0, size)));
}

BOOST_AUTO_TEST_CASE(R01_the_wait_is_in_seconds_or_until_a_date)
{
    io::LineReader lines("tests/data/cases/R01-429-retry-after/attempts.jsonl");
    int found = 0;
    while (const auto attempt = io::next_object(lines)) {
        const auto asked = string_at(*attempt, "retry_after");
        if (!asked)
            continue;
        const auto wait = retry_after_s(*asked, string_at(*attempt, "date").value_or(""));
        BOOST_TEST(wait.value() * 1000 == (string_at(*attempt, "req") == "b" ? 2000 : 30000));
        ++found;
    }
    BOOST_TEST(found == 2);
}

BOOST_AUTO_TEST_CASE(the_wait_is_bounded)
{
    BOOST_TEST(retry_after_s("0", "").value() == 0);
    BOOST_TEST(retry_after_s(" 120 ", "").value() == 120);
    BOOST_TEST(retry_after_s("86401", "").value() == 86400);
    BOOST_TEST(retry_after_s(std::string(1000, '9'), "").value() == 86400);
    const std::string date = "Wed, 21 Oct 2026 07:28:00 GMT";
    BOOST_TEST(retry_after_s("Wed, 21 Oct 2026 07:27:00 GMT", date).value() == 0); // has passed
    BOOST_TEST(retry_after_s("Fri, 31 Dec 9999 23:59:59 GMT", date).value() == 86400);
    BOOST_TEST(retry_after_s("Wednesday, 21-Oct-26 07:28:09 GMT", date).value() == 9);
}

BOOST_AUTO_TEST_CASE(the_servers_clock_counts_before_ours)
{
    const std::string until = "Wed, 21 Oct 2026 07:28:00 GMT";
    const double at = static_cast<double>(parse_http_date(until).value());
    BOOST_TEST(retry_after_s(until, "Wed, 21 Oct 2026 07:27:50 GMT", at - 3600).value() == 10);
    BOOST_TEST(retry_after_s(until, "", at - 2.5).value() == 2.5);
    BOOST_TEST(retry_after_s(until, "yesterday", at - 2.5).value() == 2.5);
    BOOST_TEST(!retry_after_s(until, ""));
}

BOOST_AUTO_TEST_CASE(what_asks_for_no_wait)
{
    for (const char* text : {"", " ", "-1", "1.5", "+2", "2 s", "2, 3", "soon", "0x10"})
        BOOST_TEST(!retry_after_s(text, "Wed, 21 Oct 2026 07:27:50 GMT"), text);
}
