// SPDX-License-Identifier: MIT
// Strings and counts of JSON found by their bytes agree with a parser's.

#include <slo/wire/json_scan.hpp>

#define BOOST_TEST_MODULE wire_json_scan
#include <boost/test/unit_test.hpp>

#include <slo/base/json.hpp>
#include <slo/base/random.hpp>

#include <string>
#include <string_view>

namespace {

// Code points up to the closing quote, which must be the last byte; -1 where a parser has to look.
std::int64_t scanned(std::string_view body)
{
    std::int64_t chars = 0;
    const char* const end = body.data() + body.size();
    const char* const stop = slo::wire::scan_json_string(body.data(), end, chars);
    return stop && stop + 1 == end ? chars : -1;
}

std::int64_t count(std::string_view text)
{
    std::int64_t value = 0;
    const char* const end = slo::wire::scan_json_count(text.data(), text.data() + text.size(), value);
    return end ? value * 100 + (end - text.data()) : -1;
}

std::string mended(std::string_view text)
{
    return slo::wire::mend_lone_surrogates(text).value_or("-");
}

} // namespace

BOOST_AUTO_TEST_CASE(strings_end_at_the_first_free_quote)
{
    BOOST_TEST(scanned("\"") == 0);
    BOOST_TEST(scanned("abc\"") == 3);
    BOOST_TEST(scanned("a\\\"b\\\\\"") == 4);
    BOOST_TEST(scanned("\\n\\t\\/\\b\\f\\r\"") == 6);
    BOOST_TEST(scanned("\\u00e9\\u0000\\uFFFF\"") == 3);
    BOOST_TEST(scanned("\xC3\xA9\xE5\x9B\x9B\xF0\x9F\x99\x82\x7F\"") == 4);
}

BOOST_AUTO_TEST_CASE(what_is_not_plain_is_left_to_a_parser)
{
    for (const std::string_view bad :
         {"", "abc", "a\nb\"", "\x01\"", "\\x\"", "\\\"", "\\", "\\u12\"", "\\u12g4\"", "\\ud83d\\ude42\"",
          "\\udc00\"", "\xC3\"", "\xC0\x80\"", "\xED\xA0\x80\"", "\xF4\x90\x80\x80\"", "\xFF\""})
        BOOST_TEST(scanned(bad) == -1, bad);
    BOOST_TEST(scanned(std::string_view("a\0b\"", 4)) == -1);
}

BOOST_AUTO_TEST_CASE(strings_agree_with_the_parser)
{
    slo::Random random(7);
    const std::string alphabet = "ab\"\\u0dn\xC3\xA9\xE5\x9B\xF0\x9F\x99\x82\x01\xED\xA0\xFF";
    int plain = 0;
    for (int i = 0; i < 200'000; ++i) {
        std::string body;
        for (auto size = random.bits() % 9; size > 0; --size)
            body += alphabet[random.bits() % alphabet.size()];
        const auto chars = scanned(body + '"');
        if (chars < 0)
            continue;
        ++plain;
        const auto value = slo::parse_json('"' + body + '"'); // throws where it is none
        const std::string_view text(value.as_string().data(), value.as_string().size());
        BOOST_REQUIRE(static_cast<std::int64_t>(slo::count_code_points(text)) == chars);
    }
    BOOST_TEST(plain > 10'000);
}

BOOST_AUTO_TEST_CASE(counts_are_plain_integers)
{
    BOOST_TEST(count("0,") == 1);
    BOOST_TEST(count("17}") == 1702);
    BOOST_TEST(count("17.5") == 1702); // what follows is the caller's business
    BOOST_TEST(count("999999999999999") == 99999999999999915);
    BOOST_TEST(count("9999999999999999") == -1);
    for (const std::string_view bad : {"", "-1", "+1", "00", "01", "x", ".5", " 1"})
        BOOST_TEST(count(bad) == -1, bad);
}

BOOST_AUTO_TEST_CASE(halves_of_pairs_become_replacement_characters)
{
    BOOST_TEST(mended(R"("\ud83d")") == R"("\ufffd")");
    BOOST_TEST(mended(R"("a\uDE42b")") == R"("a\ufffdb")");
    BOOST_TEST(mended(R"("\ud83d\ud83d\ude42")") == R"("\ufffd\ud83d\ude42")");
    BOOST_TEST(mended(R"("\ude42\ud83d")") == R"("\ufffd\ufffd")");
    BOOST_TEST(mended(R"("\ud83dx\ude42")") == R"("\ufffdx\ufffd")");
    BOOST_TEST(mended(R"("\ud83d\u0041")") == R"("\ufffd\u0041")");
    BOOST_TEST(mended(R"("\ud83d\ude42")") == "-");
    BOOST_TEST(mended(R"("\\ud83d")") == "-"); // a backslash, then text
    BOOST_TEST(mended(R"("\u00e9\n")") == "-");
    BOOST_TEST(mended("\\") == "-");
    BOOST_TEST(mended("\\u") == "-");
    BOOST_TEST(mended("") == "-");
    BOOST_TEST(mended("\\ud83d") == "\\ufffd");
}
