// SPDX-License-Identifier: MIT
// Error bodies of all usual forms become one line.

#include <slo/wire/api_error.hpp>

#define BOOST_TEST_MODULE wire_api_error
#include <boost/test/unit_test.hpp>

#include <string>

BOOST_AUTO_TEST_CASE(the_message_is_found_in_every_usual_form)
{
    using slo::wire::error_message;
    BOOST_TEST(error_message(R"({"error":{"message":"m","type":"t"}})") == "m");
    BOOST_TEST(error_message(R"({"error":"m"})") == "m");
    BOOST_TEST(error_message(R"({"message":"m","code":7})") == "m");
    BOOST_TEST(error_message(R"({"detail":"m"})") == "m");
    BOOST_TEST(error_message(R"({"detail":[{"loc":["body"],"msg":"m"}]})") == "m");
    BOOST_TEST(error_message(R"({"error":{"code":7}})") == R"({"code":7})");
    BOOST_TEST(error_message("plain words\r\n  and more\n") == "plain words and more");
    BOOST_TEST(error_message("<html><body><h1>502 Bad Gateway</h1>\r\n<hr>a &amp; b</body></html>") ==
               "502 Bad Gateway a &amp; b");
    BOOST_TEST(error_message("2 < 3 > 1") == "2 < 3 > 1");
    BOOST_TEST(error_message("") == "");
}

BOOST_AUTO_TEST_CASE(a_message_is_one_printable_line_of_bounded_length)
{
    const auto text = slo::wire::http_error_text(500, "{\"error\":\"a\\nb\\u0007\\u001b[31m" +
                                                          std::string(5000, 'x') + "\"}");
    BOOST_TEST(text.starts_with("HTTP 500: a b?"));
    BOOST_TEST(text.size() < 330u);
    for (const char c : text)
        BOOST_TEST((static_cast<unsigned char>(c) >= 0x20));
    BOOST_TEST(slo::wire::error_message(std::string(1000000, '<')).size() < 310u);
    BOOST_TEST(slo::wire::error_message("\xFF\xFE").size() == 2u);
    std::string deep;
    for (int i = 0; i < 30; ++i)
        deep += "{\"error\":";
    deep += "1" + std::string(30, '}');
    BOOST_TEST(!slo::wire::error_message(deep).empty());
}

BOOST_AUTO_TEST_CASE(only_truthy_errors_are_errors)
{
    const auto error_in = [](std::string_view text) {
        const auto value = slo::parse_json(text);
        return slo::wire::error_in(value.as_object()).value_or("-");
    };
    BOOST_TEST(error_in(R"({"error":null})") == "-");
    BOOST_TEST(error_in(R"({"error":false})") == "-");
    BOOST_TEST(error_in(R"({"error":""})") == "-");
    BOOST_TEST(error_in(R"({"error":[]})") == "-");
    BOOST_TEST(error_in(R"({"error":0.0})") == "-");
    BOOST_TEST(error_in(R"({"choices":[]})") == "-");
    BOOST_TEST(error_in(R"({"error":"x"})") == "x");
    BOOST_TEST(error_in(R"({"error":true})") == "true");
    BOOST_TEST(error_in(R"({"error":{"message":"m"}})") == "m");
    BOOST_TEST(error_in(R"({"object":"error","message":"m","code":400})") == "m");
    BOOST_TEST(error_in(R"({"type":"error","message":"m","code":"server_error"})") == "m");
    BOOST_TEST(error_in(R"({"type":"response.created","error":null})") == "-");
}
