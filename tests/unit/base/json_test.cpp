// SPDX-License-Identifier: MIT
#include <slo/base/json.hpp>

#define BOOST_TEST_MODULE base_json
#include <boost/test/unit_test.hpp>

#include <limits>

BOOST_AUTO_TEST_CASE(writes_shortest_exact_doubles_and_null_for_what_is_no_number)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinite = std::numeric_limits<double>::infinity();
    BOOST_TEST(slo::to_json(slo::json::array{0.25, 5.0, 1e-5, 1e16, nan, infinite, 7, "é\n"}) ==
               "[0.25,5.0,1e-05,1e+16,null,null,7,\"é\\n\"]");
}

BOOST_AUTO_TEST_CASE(never_writes_what_is_no_utf8)
{
    using namespace slo;
    const json::object object{{"caf\xE9", json::array{"\xFF\xFE", "é\n"}}};
    BOOST_TEST(to_json(object) == "{\"caf\uFFFD\":[\"\uFFFD\uFFFD\",\"é\\n\"]}");
    for (int byte = 0; byte < 256; ++byte)
        for (const char* rest : {"", "\x80", "\xBF\xBF", "a"}) {
            const auto text = to_json(json::array{json_text(std::string(1, static_cast<char>(byte)) + rest)});
            BOOST_REQUIRE(is_utf8(text));
            BOOST_REQUIRE_EQUAL(to_json(parse_json(text)), text);
        }
}

BOOST_AUTO_TEST_CASE(knows_how_deep_a_value_is)
{
    using namespace slo;
    BOOST_TEST(json_depth(json::value(1)) == 0u);
    BOOST_TEST(json_depth(parse_json("[]")) == 1u);
    BOOST_TEST(json_depth(parse_json(R"({"a":[1,{"b":2}],"c":[]})")) == 3u);
    BOOST_TEST(json_depth(json::object{{"a", json::array{}}}) == 2u);
}

BOOST_AUTO_TEST_CASE(keeps_the_order_of_members_and_nests)
{
    const slo::json::object object{{"b", 1}, {"a", slo::json::object{{"x", nullptr}, {"y", true}}}};
    BOOST_TEST(slo::to_json(object) == R"({"b":1,"a":{"x":null,"y":true}})");
}

BOOST_AUTO_TEST_CASE(looks_up_members_of_the_wanted_kind_only)
{
    const auto value = slo::parse_json(R"({"n":3,"d":2.5,"w":4.0,"s":"t","o":{},"a":[],"b":true,"z":null})");
    const auto& object = value.get_object();
    BOOST_TEST(slo::number_at(object, "n").value() == 3.0);
    BOOST_TEST(slo::number_at(object, "d").value() == 2.5);
    BOOST_TEST(!slo::number_at(object, "s"));
    BOOST_TEST(!slo::number_at(object, "b"));
    BOOST_TEST(!slo::number_at(object, "absent"));
    BOOST_TEST(slo::integer_at(object, "w").value() == 4);
    BOOST_TEST(!slo::integer_at(object, "d"));
    BOOST_TEST(slo::string_at(object, "s").value() == "t");
    BOOST_TEST(!slo::string_at(object, "n"));
    BOOST_TEST(slo::object_at(object, "o") != nullptr);
    BOOST_TEST(slo::object_at(object, "a") == nullptr);
    BOOST_TEST(slo::array_at(object, "a") != nullptr);
    BOOST_TEST(slo::array_at(object, "z") == nullptr);
}

BOOST_AUTO_TEST_CASE(writes_an_absent_optional_as_null)
{
    BOOST_TEST(slo::to_json(slo::or_null(std::optional<double>())) == "null");
    BOOST_TEST(slo::to_json(slo::or_null(std::optional<double>(1.5))) == "1.5");
}
