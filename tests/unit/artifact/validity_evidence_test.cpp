// SPDX-License-Identifier: MIT
#include <slo/artifact/validity_evidence.hpp>

#define BOOST_TEST_MODULE artifact_validity_evidence
#include <boost/test/unit_test.hpp>

using namespace slo;
using artifact::Evidence;

namespace {

artifact::Artifact artifact_of(std::string_view text)
{
    return artifact::parse_artifact(text, "a.json");
}

bool holds(std::string_view text)
{
    const auto value = parse_json(text);
    return artifact::holds_something(&value);
}

} // namespace

BOOST_AUTO_TEST_CASE(what_holds_something)
{
    for (const auto* text : {"0", "0.5", "false", "\"x\"", "[null,1]", R"({"a":{"b":0}})"})
        BOOST_TEST(holds(text), text);
    for (const auto* text : {"null", "\"\"", "[]", "{}", R"({"c1":{}})", "[null,[]]"})
        BOOST_TEST(!holds(text), text);
    BOOST_TEST(!artifact::holds_something(nullptr));
}

BOOST_AUTO_TEST_CASE(evidence_is_what_the_nearest_origin_says)
{
    const auto one = artifact_of(
        R"({"metrics":{"a_ms":{"p50":1},"b":2,"c":3,"d":4,"e":null},"power":{"w":1},"x":{"y":1},"extensions":{"sloutils":{)"
        R"("origin":{"metrics":"card","metrics.a_ms":"client","metrics.b":"derived","metrics.c":"sidecar",)"
        R"("metrics.e":"client","power":"gpu","x":"hearsay"}}}})");
    const auto of = [&](std::string_view path) { return artifact::evidence_of(one, path); };
    BOOST_TEST((of("metrics.a_ms.p50") == Evidence::measured));
    BOOST_TEST((of("power.w") == Evidence::measured));
    BOOST_TEST((of("metrics.b") == Evidence::derived));
    BOOST_TEST((of("metrics.c") == Evidence::declared));
    BOOST_TEST((of("metrics.d") == Evidence::declared)); // the card's, as all of metrics
    BOOST_TEST((of("x.y") == Evidence::declared));       // an origin that nobody knows
    BOOST_TEST((of("metrics.e") == Evidence::absent));   // null, whatever its origin
    BOOST_TEST((artifact::evidence_of(artifact_of(R"({"a":1})"), "a") == Evidence::declared));
}

BOOST_AUTO_TEST_CASE(findings_take_their_need_from_the_table)
{
    artifact::Findings findings;
    BOOST_TEST((findings.add("completed", false, Evidence::measured, "9 requests", "at least 10").need ==
                artifact::Need::baseline));
    findings.add("digests", false, Evidence::measured, "another digest", "the digest it had", "rounds");
    BOOST_TEST(sentence(findings.all()[0]) == "completed: 9 requests; expected at least 10");
    BOOST_TEST(sentence(findings.all()[1]) == "digests (rounds): another digest; expected the digest it had");
    BOOST_CHECK_THROW(findings.add("nonsense", true, Evidence::absent, "", ""), Error);
}

BOOST_AUTO_TEST_CASE(numbers_and_lists_for_people)
{
    BOOST_TEST(artifact::plain_number(9.0) == "9");
    BOOST_TEST(artifact::plain_number(0.25) == "0.25");
    BOOST_TEST(artifact::plain_number(std::nullopt) == "unknown");
    BOOST_TEST(artifact::listed({"a", "b", "c"}, 2) == "a, b and 1 more");
    BOOST_TEST(artifact::listed({}) == "");
}
