// SPDX-License-Identifier: MIT
#include <slo/base/text.hpp>

#define BOOST_TEST_MODULE base_text
#include <boost/test/unit_test.hpp>

#include <clocale>
#include <cstdint>
#include <string>

BOOST_AUTO_TEST_CASE(parses_whole_finite_numbers_only)
{
    BOOST_TEST(slo::parse_double("1.5").value() == 1.5);
    BOOST_TEST(slo::parse_double("+1e3").value() == 1000.0);
    BOOST_TEST(slo::parse_double("-0.5").value() == -0.5);
    for (const char* text : {"", " 1", "1 ", "1,5", "1.5x", "nan", "inf", "+-1", "+", "0x10", "1e999"}) {
        BOOST_TEST_CONTEXT(text)
        BOOST_TEST(!slo::parse_double(text));
    }
    BOOST_TEST(slo::parse_integer<int>("+42").value() == 42);
    BOOST_TEST(!slo::parse_integer<int>("42.0"));
    BOOST_TEST(!slo::parse_integer<int>("3000000000"));
    BOOST_TEST(!slo::parse_integer<unsigned>("-1"));
}

BOOST_AUTO_TEST_CASE(l01_ignores_the_locale)
{
    const char* before = std::setlocale(LC_ALL, nullptr);
    const std::string saved = before ? before : "C";
    for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8"})
        std::setlocale(LC_ALL, name);
    BOOST_TEST(slo::parse_double("1.5").value() == 1.5);
    BOOST_TEST(slo::format_double(1.75) == "1.75");
    BOOST_TEST(slo::format_fixed(71.25, 2) == "71.25");
    std::setlocale(LC_ALL, saved.c_str());
}

BOOST_AUTO_TEST_CASE(formats_the_shortest_text_that_reads_back)
{
    BOOST_TEST(slo::format_double(5) == "5.0");
    BOOST_TEST(slo::format_double(0.1) == "0.1");
    BOOST_TEST(slo::format_double(1e22) == "1e+22");
    BOOST_TEST(slo::format_double(-0.0) == "-0.0");
    BOOST_TEST(slo::format_fixed(2.345678, 3) == "2.346");
}

BOOST_AUTO_TEST_CASE(knows_valid_utf8)
{
    BOOST_TEST(slo::is_utf8("plain, é, 你好, 🙂"));
    for (const char* text : {"\x80", "\xC3", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                             "\xF0\x9F\x99", "\xFF"}) {
        BOOST_TEST(!slo::is_utf8(text));
    }
    BOOST_TEST(slo::count_code_points("a你🙂") == 3U);
}

BOOST_AUTO_TEST_CASE(makes_hostile_text_printable)
{
    BOOST_TEST(slo::printable("a\x1b[31m\n\xff b") == "a?[31m?? b");
    BOOST_TEST(slo::printable("你好你好", 7) == "你好…");
}

BOOST_AUTO_TEST_CASE(lower_case_changes_ascii_letters_only)
{
    BOOST_TEST(slo::lower_case("aZ@[`{É\xC9 A") == "az@[`{É\xC9 a");
    BOOST_TEST(slo::lower_case("") == "");
}

BOOST_AUTO_TEST_CASE(trims_ascii_white_space)
{
    BOOST_TEST(slo::trim(" \t a b\r\n") == "a b");
    BOOST_TEST(slo::trim(" \n") == "");
}
