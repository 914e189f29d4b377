#include <slo/config/document.hpp>

#define BOOST_TEST_MODULE config_document
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;

namespace {

std::string parsed(std::string_view text)
{
    return to_json(config::parse_document(text, "spec.yaml"));
}

std::string refused(std::string_view text)
{
    try {
        return "taken as " + parsed(text);
    } catch (const InputError& error) {
        return error.what();
    }
}

} // namespace

BOOST_AUTO_TEST_CASE(yaml_and_json_give_the_same)
{
    const auto* const expected = R"({"name":"autoreply","quotas":[37,108],"body":{"n":3,"temperature":0.7}})";
    BOOST_TEST(parsed("name: autoreply\nquotas: [37, 108]\nbody:\n  n: 3\n  temperature: 0.7\n") == expected);
    BOOST_TEST(parsed(expected) == expected);
}

BOOST_AUTO_TEST_CASE(scalars_follow_the_core_schema)
{
    BOOST_TEST(
        parsed(
            "{a: no, b: on, c: true, d: ~, e: 1e3, f: +5, g: 0x10, h: \"1\", i: '2', j: -, k: 1.5.2, l: }") ==
        R"({"a":"no","b":"on","c":true,"d":null,"e":1000.0,"f":5,"g":"0x10","h":"1","i":"2","j":"-","k":"1.5.2","l":null})");
    BOOST_TEST(parsed("a: 9223372036854775807\nb: 9223372036854775808\nc: !!str 7\nd: ! 8") ==
               R"({"a":9223372036854775807,"b":9223372036854775808.0,"c":"7","d":"8"})");
    BOOST_TEST(parsed("a: +5\nb: +-5\n") == R"({"a":5,"b":"+-5"})");
    BOOST_TEST(parsed("a: |\n  one\n  two\nb: >\n  one\n  two\n") == R"({"a":"one\ntwo\n","b":"one two\n"})");
}

BOOST_AUTO_TEST_CASE(json_escapes_of_two_halves)
{
    BOOST_TEST(parsed(R"({"a": "\ud83d\ude00 \u00e9 \\ud83d\/"})") == "{\"a\":\"😀 é \\\\ud83d/\"}");
    BOOST_TEST(refused(R"({"a": "\ud83d"})").starts_with("spec.yaml:1: neither YAML nor JSON"));
}

BOOST_AUTO_TEST_CASE(what_is_refused_names_its_line)
{
    BOOST_TEST(refused("a: 1\nb: 2\na: 3\n") == "spec.yaml:3: 'a' stands twice");
    BOOST_TEST(refused(R"({"a": {"b": 1, "b": 2}})") == "spec.yaml:1: 'b' stands twice");
    BOOST_TEST(refused("- 1\n") == "spec.yaml:1: is not a mapping of names to values");
    BOOST_TEST(refused("") == "spec.yaml:1: holds nothing");
    BOOST_TEST(refused("# nothing\n") == "spec.yaml:1: holds nothing");
    BOOST_TEST(refused("a: 1\n---\nb: 2\n") == "spec.yaml:1: holds more than one document");
    BOOST_TEST(refused("a: 1\nb: [1, 2\n").starts_with("spec.yaml:3: neither YAML nor JSON"));
    BOOST_TEST(refused("a: !!python/object:os.system ls\n").starts_with("spec.yaml:1: a tag"));
    BOOST_TEST(refused("a: \xff\n") == "spec.yaml:1: not UTF-8");
    BOOST_TEST(refused("? [a, b]\n: 1\n") == "spec.yaml:1: a key that is no text");
    BOOST_TEST(refused("b: &x {c: 1}\na:\n  <<: *x\n") == "spec.yaml:3: merge keys (<<) are not read");
}

BOOST_AUTO_TEST_CASE(aliases_are_copies_and_bounded)
{
    BOOST_TEST(parsed("a: &x [1, 2]\nb: *x\n") == R"({"a":[1,2],"b":[1,2]})");
    std::string bomb = "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n";
    for (int i = 1; i < 9; ++i) {
        const auto before = "*a" + std::to_string(i - 1);
        bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
        for (int j = 1; j < 10; ++j)
            bomb += "," + before;
        bomb += "]\n";
    }
    BOOST_TEST(refused(bomb).find("more than a million values") != std::string::npos);
    std::string long_texts = "a: &x " + std::string(1'000'000, 'y') + "\nb: [*x";
    for (int i = 0; i < 100; ++i)
        long_texts += ",*x";
    BOOST_TEST(refused(long_texts + "]\n").find("more than a million values") != std::string::npos);
    BOOST_TEST(refused("a: &x\n  b: *x\n").find("an alias of something") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(depth_is_bounded)
{
    BOOST_TEST(refused("a: " + std::string(64, '[') + std::string(64, ']')).find("more than 64 deep") !=
               std::string::npos);
    BOOST_TEST(parsed("a: " + std::string(63, '[') + std::string(63, ']')).size() == 6U + 126U);
    BOOST_TEST(refused("a: " + std::string(100000, '[')).find("spec.yaml:1:") == 0U);
}
