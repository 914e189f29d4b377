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
