// SPDX-License-Identifier: MIT
// JSON objects in log lines, with braces where they mean nothing.

#include <slo/record/log_line.hpp>

#define BOOST_TEST_MODULE record_log_line
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using slo::record::json_object_spans;
using slo::record::logged_request;

BOOST_AUTO_TEST_CASE(spans_end_where_their_brackets_do)
{
    const auto spans = [](std::string_view text) {
        std::vector<std::string> all;
        for (const auto span : json_object_spans(text))
            all.emplace_back(span);
        return all;
    };
    using Texts = std::vector<std::string>;
    BOOST_TEST((spans("x {\"a\":1} y {\"b\":{}} }") == Texts{"{\"a\":1}", "{\"b\":{}}"}));
    BOOST_TEST((spans(R"({"a":"} { \" }"})") == Texts{R"({"a":"} { \" }"})"}));
    BOOST_TEST((spans("{ {\"a\":1}") == Texts{"{\"a\":1}"}));
    BOOST_TEST((spans("it's \"odd { {\"a\":1}") == Texts{"{\"a\":1}"}));
    BOOST_TEST(spans("{\"a\":\"").empty());
    BOOST_TEST(spans("").empty());
    BOOST_TEST(spans("}}]]").empty());
}

BOOST_AUTO_TEST_CASE(hostile_braces_cost_little)
{
    BOOST_TEST(json_object_spans(std::string(1 << 20, '{')).empty());
    BOOST_TEST(json_object_spans(std::string(1 << 20, '"') + "{").size() < 2u);
}

BOOST_AUTO_TEST_CASE(the_request_is_what_follows_the_mark)
{
    BOOST_TEST(logged_request(R"( host {"message":"[Log chat request] {\"body\":\"}\"}"})").value() ==
               R"({"body":"}"})");
    BOOST_TEST(logged_request(R"( {"message":"[Log chat request] 1"} {"message":"x"})").value() == "1");
    BOOST_TEST(
        logged_request(R"( {"message":"[Log chat request] 1"} {"message":"[Log chat request] 2"})").value() ==
        "2");
    BOOST_TEST(!logged_request(R"( {"message":"[Other] {}"})"));
    BOOST_TEST(!logged_request(R"( {"message":5})"));
    BOOST_TEST(!logged_request(R"( {"message":"so: [Log chat request] {}"})"));
    BOOST_TEST(!logged_request(" no json"));
    BOOST_TEST(!logged_request(""));
    BOOST_CHECK_THROW(logged_request(R"( {"message":"[Log chat request] {\"bo)"), slo::JsonError);
}
