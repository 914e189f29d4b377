// SPDX-License-Identifier: MIT
// Unit test of base/json_path.hpp.

#include <slo/base/json_path.hpp>

#define BOOST_TEST_MODULE base_json_path
#include <boost/test/unit_test.hpp>

#include <slo/base/json_parse.hpp>

using namespace slo;

BOOST_AUTO_TEST_CASE(what_is_null_or_below_no_object_is_not_there)
{
    const auto root = parse_json(R"({"a":{"b":{"c":0},"n":null},"t":"text","":1})").as_object();
    BOOST_REQUIRE(value_at(root, "a.b.c"));
    BOOST_TEST(*value_at(root, "a.b.c") == json::value(0));
    BOOST_TEST(value_at(root, "a.b")->is_object());
    for (const auto* path : {"a.n", "a.n.x", "a.x", "x", "t.b", "a.b.c.d", "a.", ".a", "a..b"})
        BOOST_TEST(value_at(root, path) == nullptr, path);
    BOOST_TEST(*value_at(root, "") == json::value(1));
}
