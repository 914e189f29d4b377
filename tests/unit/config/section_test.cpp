#include <slo/config/section.hpp>

#define BOOST_TEST_MODULE config_section
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;

namespace {

template <class Ask>
std::string refused(std::string_view text, Ask&& ask)
{
    const auto object = parse_json(text).as_object();
    config::Section section(object, "spec.yaml");
    try {
        ask(section);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

} // namespace

BOOST_AUTO_TEST_CASE(values_by_name)
{
    const auto object = parse_json(R"({"name":"x","n":3,"p":0.5,"on":true,"list":["a","b"],"in":{"deep":1},)"
                                   R"("rows":[{"k":1},{"k":2}],"nothing":null})")
                            .as_object();
    config::Section section(object, "spec.yaml");
    BOOST_TEST(section.text("name") == "x");
    BOOST_TEST(section.text("other", "fallback") == "fallback");
    BOOST_TEST(section.integer("n", 1, 3) == 3);
    BOOST_TEST(section.integer("m", 1, 3, 2) == 2);
    BOOST_TEST(section.number("p", 0, 1) == 0.5);
    BOOST_TEST(section.number("n", 0, 10) == 3.0);
    BOOST_TEST(section.flag("on", false));
    BOOST_TEST(!section.flag("off", false));
    BOOST_TEST(section.texts("list").size() == 2U);
    BOOST_TEST(section.section("in").integer("deep", 0, 9) == 1);
    BOOST_TEST(section.sections("rows").size() == 2U);
    BOOST_TEST(section.sections("none").empty());
    BOOST_TEST(!section.has("nothing"));
    section.finish();
}

BOOST_AUTO_TEST_CASE(what_is_wrong_names_its_place)
{
    BOOST_TEST(refused("{}", [](auto& s) { s.text("name"); }) == "spec.yaml: name: is missing");
    BOOST_TEST(refused(R"({"nmae":"x"})", [](auto& s) { s.text("name"); }) ==
               "spec.yaml: name: is missing, but there is nmae");
    BOOST_TEST(refused(R"({"a":{"b":"x"}})", [](auto& s) { s.section("a").integer("b", 1, 5); }) ==
               "spec.yaml: a.b: is no whole number from 1 to 5");
    BOOST_TEST(refused(R"({"a":[{"b":1},{"b":9}]})", [](auto& s) {
                   for (auto& each : s.sections("a"))
                       each.integer("b", 1, 5);
               }) == "spec.yaml: a[1].b: is no whole number from 1 to 5");
    BOOST_TEST(refused(R"({"a":1})", [](auto& s) { s.texts("a"); }) == "spec.yaml: a: is no list");
    BOOST_TEST(refused(R"({"a":"yes"})", [](auto& s) { s.flag("a", false); }) ==
               "spec.yaml: a: is neither true nor false");
    BOOST_TEST(refused(R"({"a":2})", [](auto& s) { s.number("a", 0, 1); }) ==
               "spec.yaml: a: is no number from 0.0 to 1.0");
}

BOOST_AUTO_TEST_CASE(an_unknown_key_is_named_with_the_nearest_known)
{
    const auto ask = [](auto& s) {
        s.has("quota");
        s.has("target");
        s.finish();
    };
    BOOST_TEST(refused(R"({"qouta":1})", ask) == "spec.yaml: qouta: is unknown; did you mean quota?");
    BOOST_TEST(refused(R"({"something":1})", ask) == "spec.yaml: something: is unknown");
    BOOST_TEST(refused(R"({"quota":1,"target":2})", ask) == "");
}
