// SPDX-License-Identifier: MIT
#include <slo/base/json_parse.hpp>

#define BOOST_TEST_MODULE base_json_parse
#include <boost/test/unit_test.hpp>

#include <string>

namespace {

std::string reason(const std::string& text)
{
    try {
        slo::parse_json(text);
    } catch (const slo::JsonError& error) {
        return error.what();
    }
    return "";
}

} // namespace

BOOST_AUTO_TEST_CASE(rounds_doubles_correctly)
{
    for (const char* text :
         {"1.1", "3.3", "4.1334494307436165", "9007199254740993.5", "2.2250738585072014e-308",
          "123456789.12345678901234567890", "0.1e-6", "-1.7976931348623157e308"}) {
        BOOST_TEST_CONTEXT(text)
        BOOST_TEST(slo::parse_json(text).get_double() == std::stod(text));
    }
}

BOOST_AUTO_TEST_CASE(keeps_the_digits_of_a_wanted_number)
{
    std::string digits;
    slo::parse_json(R"({"a":{"ts":1},"ts":1760000000000000007.250,"b":[2]})", "ts", &digits);
    BOOST_TEST(digits == "1760000000000000007.250");
    slo::parse_json(R"({"a":{"ts":1},"ts":"5"})", "ts", &digits);
    BOOST_TEST(digits == "");
    slo::parse_json(R"({"t\u0073":17})", "ts", &digits);
    BOOST_TEST(digits == "17");
}

BOOST_AUTO_TEST_CASE(takes_strict_json_only)
{
    for (const char* text :
         {"", "{", "NaN", "[1,]", "{'a':1}", "{\"a\":Infinity}", "01", "\"\\ud800\"", "// c\n1"}) {
        BOOST_TEST_CONTEXT(text)
        BOOST_TEST(reason(text).starts_with("not JSON ("));
    }
    BOOST_TEST(reason("\"\xff\"") != "");
    BOOST_TEST(reason("1 2").starts_with("not JSON (extra data at byte"));
    BOOST_TEST(reason(" {} \r\n") == "");
}

BOOST_AUTO_TEST_CASE(bounds_the_nesting)
{
    BOOST_TEST(reason(std::string(60, '[') + std::string(60, ']')) == "");
    BOOST_TEST(reason(std::string(100000, '[')).find("not JSON") == 0U);
}

BOOST_AUTO_TEST_CASE(lets_the_last_of_duplicate_keys_win)
{
    BOOST_TEST(slo::parse_json(R"({"a":1,"a":2})").at("a").get_int64() == 2);
}
