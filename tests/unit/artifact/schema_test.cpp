// SPDX-License-Identifier: MIT
#include <slo/artifact/schema.hpp>

#define BOOST_TEST_MODULE artifact_schema
#include <boost/test/unit_test.hpp>

using namespace slo;

namespace {

json::object object_of(std::string_view text)
{
    return parse_json(text).get_object();
}

// "path keyword" of each error, "; " between.
std::string errors_of(std::string_view schema, std::string_view instance)
{
    const artifact::Schema read(object_of(schema), "s.json");
    std::string text;
    for (const auto& error : read.check(parse_json(instance)))
        text += (text.empty() ? "" : "; ") + error.path + " " + error.keyword;
    return text;
}

std::string refusal(std::string_view schema)
{
    try {
        const artifact::Schema read(object_of(schema), "s.json");
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

} // namespace

BOOST_AUTO_TEST_CASE(types_are_those_of_the_draft)
{
    BOOST_TEST(errors_of(R"({"type":"integer"})", "100.0").empty());
    BOOST_TEST(errors_of(R"({"type":"integer"})", "1.5") == "(root) type");
    BOOST_TEST(errors_of(R"({"type":"number"})", "18446744073709551615").empty());
    BOOST_TEST(errors_of(R"({"type":"number"})", "true") == "(root) type");
    BOOST_TEST(errors_of(R"({"type":["object","null"]})", "null").empty());
    BOOST_TEST(errors_of(R"({"type":["object","null"]})", "[]") == "(root) type");
    BOOST_TEST(errors_of(R"({"enum":["a",1,null]})", "1.0").empty());
    BOOST_TEST(errors_of(R"({"enum":["a",1,null]})", "\"1\"") == "(root) enum");
    BOOST_TEST(errors_of(R"({"const":"x"})", "\"y\"") == "(root) const");
}

BOOST_AUTO_TEST_CASE(members_elements_and_references_are_followed_and_named)
{
    constexpr auto schema =
        R"({"required":["a"],"properties":{"a":{"$ref":"#/$defs/list"},"b":{"type":"string"}},
        "additionalProperties":{"type":"boolean"},
        "$defs":{"list":{"type":"array","minItems":1,"items":{"minimum":0,"maximum":9}}}})";
    BOOST_TEST(errors_of(schema, R"({"a":[0,9.0],"b":"x","c":true})").empty());
    BOOST_TEST(errors_of(schema, R"({"b":1})") == "(root) required; b type");
    BOOST_TEST(errors_of(schema, R"({"a":[1,-1,10]})") == "a[1] minimum; a[2] maximum");
    BOOST_TEST(errors_of(schema, R"({"a":[]})") == "a minItems");
    BOOST_TEST(errors_of(schema, R"({"a":[1],"c":0})") == "c type");
    BOOST_TEST(errors_of(R"({"properties":{"a":{}},"additionalProperties":false})", R"({"a":1,"z":1})") ==
               "(root) additionalProperties");
}

BOOST_AUTO_TEST_CASE(texts_have_lengths_and_patterns)
{
    constexpr auto schema = R"({"minLength":1,"pattern":"^[0-9]+\\.[0-9]+$"})";
    BOOST_TEST(errors_of(schema, "\"10.2\"").empty());
    BOOST_TEST(errors_of(schema, "\"\"") == "(root) minLength; (root) pattern");
    BOOST_TEST(errors_of(schema, "\"1.2x\"") == "(root) pattern");
    BOOST_TEST(errors_of(schema, "12").empty());
    BOOST_TEST(errors_of(schema, "\"" + std::string(100000, '1') + ".1\"") == "(root) pattern");
}

BOOST_AUTO_TEST_CASE(a_schema_that_says_more_than_is_read_is_refused)
{
    BOOST_TEST(refusal(R"({"properties":{"a":{"oneOf":[]}}})") ==
               "s.json: #/properties/a/oneOf: this keyword is not read here");
    BOOST_TEST(refusal(R"({"type":"text"})") == "s.json: #/type: is not what this keyword takes");
    BOOST_TEST(refusal(R"({"type":[]})") == "s.json: #/type: is not what this keyword takes");
    BOOST_TEST(refusal(R"({"required":"a"})") == "s.json: #/required: is not what this keyword takes");
    BOOST_TEST(refusal(R"({"required":[1]})") == "s.json: #/required: is not what this keyword takes");
    BOOST_TEST(refusal(R"({"enum":1})") == "s.json: #/enum: is not what this keyword takes");
    BOOST_TEST(refusal(R"({"minimum":"1"})") == "s.json: #/minimum: is no number");
    BOOST_TEST(refusal(R"({"pattern":"("})") == "s.json: #/pattern: is no regular expression");
    BOOST_TEST(refusal(R"({"items":[{}]})") == "s.json: #/items: is no schema");
    BOOST_TEST(refusal(R"({"properties":[]})") == "s.json: #/properties: is no object");
    BOOST_TEST(refusal(R"({"$ref":"#/$defs/a"})") == "s.json: #/$ref: leads nowhere in this schema");
    BOOST_TEST(refusal(R"({"$ref":"other.json"})") == "s.json: #/$ref: leads nowhere in this schema");
    BOOST_CHECK_THROW(errors_of(R"({"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"}}})", "1"),
                      InputError);
}

BOOST_AUTO_TEST_CASE(errors_are_bounded)
{
    std::string instance = "[0";
    for (int i = 0; i < 500; ++i)
        instance += ",-1";
    const artifact::Schema schema(object_of(R"({"items":{"minimum":0}})"), "s.json");
    BOOST_TEST(schema.check(parse_json(instance + "]")).size() == artifact::Schema::most_errors);
}
