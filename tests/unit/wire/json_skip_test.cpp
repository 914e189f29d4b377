// SPDX-License-Identifier: MIT
#include <slo/wire/json_skip.hpp>

#define BOOST_TEST_MODULE wire_json_skip
#include <boost/test/unit_test.hpp>

#include <slo/base/json_parse.hpp>

#include <string>
#include <string_view>

namespace wire = slo::wire;

namespace {

// Bytes of the value at the start of `text`; -1 when there is none.
long skipped(std::string_view text, int depth = wire::max_json_depth)
{
    const char* const end = wire::skip_json_value(text.data(), text.data() + text.size(), depth);
    return end ? end - text.data() : -1;
}

std::string decoded(std::string_view raw)
{
    std::string scratch;
    return std::string(wire::json_string_text(raw, scratch));
}

} // namespace

BOOST_AUTO_TEST_CASE(values_end_where_they_end)
{
    BOOST_TEST(skipped("12,") == 2);
    BOOST_TEST(skipped("-0.5e+10]") == 8);
    BOOST_TEST(skipped("true}") == 4);
    BOOST_TEST(skipped("null") == 4);
    BOOST_TEST(skipped("false ") == 5);
    BOOST_TEST(skipped("\"a\\\"b\" ") == 6);
    BOOST_TEST(skipped("[ 1 , [ ] , { } ] x") == 17);
    BOOST_TEST(skipped("{ \"a\" : 1 ,\t\"b\":[2]\r\n}") == 22);
}

BOOST_AUTO_TEST_CASE(what_is_no_value_is_refused)
{
    for (const auto* text : {"",
                             "01",
                             "-",
                             "1.",
                             ".5",
                             "1e",
                             "1e+",
                             "+1",
                             "tru",
                             "nul",
                             "\"",
                             "\"\\\"",
                             "\"\\x\"",
                             "\"\\u12g4\"",
                             "\"\\ud800\"",
                             "\"\\ud800\\u0041\"",
                             "\"\\udc00\"",
                             "\"\x01\"",
                             "\"\n\"",
                             "\"\xC0\x80\"",
                             "\"\xED\xA0\x80\"",
                             "\"\xF4\x90\x80\x80\"",
                             "\"\xE4\xB8\"",
                             "[",
                             "[1",
                             "[1,",
                             "[1,]",
                             "[,1]",
                             "{",
                             "{\"a\"",
                             "{\"a\":",
                             "{\"a\":1,}",
                             "{a:1}",
                             "{\"a\" 1}",
                             "NaN",
                             "1e999999999"})
        BOOST_TEST(skipped(text) == -1, text);
}

BOOST_AUTO_TEST_CASE(a_fault_is_found_at_every_place_of_a_block)
{
    for (std::size_t length = 0; length < 70; ++length) {
        for (std::size_t at = 0; at <= length; ++at) {
            auto text = "\"" + std::string(length, 'x') + "\"";
            BOOST_TEST(skipped(text) == static_cast<long>(text.size()));
            text.insert(1 + at, 1, '\x1F');
            BOOST_TEST(skipped(text) == -1);
            text.replace(1 + at, 1, "\xFF");
            BOOST_TEST(skipped(text) == -1);
            text.replace(1 + at, 1, "\xD0\xB6");
            BOOST_TEST(skipped(text) == static_cast<long>(text.size()));
            text.replace(1 + at, 2, "\\\"");
            BOOST_TEST(skipped(text) == static_cast<long>(text.size()));
            text.replace(1 + at, 2, "\"");
            BOOST_TEST(skipped(text) == static_cast<long>(at + 2));
        }
    }
}

BOOST_AUTO_TEST_CASE(depth_is_bounded)
{
    const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    BOOST_TEST(skipped(nested(64)) == 128);
    BOOST_TEST(skipped(nested(65)) == -1);
    BOOST_TEST(skipped("{\"a\":{}}", 1) == -1);
    BOOST_TEST(skipped("7", 0) == 1);
}

BOOST_AUTO_TEST_CASE(members_and_elements_come_in_order)
{
    const std::string_view text = R"("a":1,"b":[2,3],"a":{}} rest)";
    const char* const end = text.data() + text.size();
    std::string seen;
    const char* const after =
        wire::skip_json_members(text.data(), end, [&](std::string_view key, const char* value) {
            const char* const value_end = wire::skip_json_value(value, end, 8);
            seen += std::string(key) + "=" + std::string(value, value_end) + ";";
            return value_end;
        });
    BOOST_TEST(seen == "a=1;b=[2,3];a={};");
    BOOST_TEST(std::string(after, end) == " rest");
}

BOOST_AUTO_TEST_CASE(strings_decode_as_the_parser_decodes_them)
{
    for (const auto* raw :
         {"\"\"", "\"plain\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"a\\u0041\\u00e9\\u20ac\\ud83d\\ude00z\"",
          "\"\\u0000\"", "\"\xD0\xB6\\n\xE4\xB8\x96\""}) {
        const auto value = slo::parse_json(raw);
        BOOST_TEST(decoded(raw) == std::string(value.get_string().data(), value.get_string().size()));
    }
    const std::string_view plain = "\"as it stands\"";
    std::string scratch;
    BOOST_TEST(wire::json_string_text(plain, scratch).data() == plain.data() + 1);
}
