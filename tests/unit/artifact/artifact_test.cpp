// SPDX-License-Identifier: MIT
#include <slo/artifact/artifact.hpp>

#define BOOST_TEST_MODULE artifact_artifact
#include <boost/test/unit_test.hpp>

using namespace slo;

namespace {

artifact::Artifact parsed(const char* text)
{
    return artifact::parse_artifact(text, "a.json");
}

std::string refusal(const char* text)
{
    try {
        parsed(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

} // namespace

BOOST_AUTO_TEST_CASE(paths_lead_to_values_and_null_is_absent)
{
    const auto a =
        parsed(R"({"schema_version":"1.0.0","metrics":{"completed":0,"ttft_ms":{"p50":null,"p99":12.5}},
        "slo":{"overall_pass":false},"list":[1],"n":"7"})");
    BOOST_TEST(a.number("metrics.ttft_ms.p99").value() == 12.5);
    BOOST_TEST(a.number("metrics.completed").value() == 0.0);
    BOOST_TEST(!a.at("metrics.ttft_ms.p50"));
    BOOST_TEST(!a.at("metrics.tpot_ms.p50"));
    BOOST_TEST(!a.at("schema_version.major"));
    BOOST_TEST(!a.number("n"));
    BOOST_TEST(!a.number("slo.overall_pass"));
    BOOST_TEST(a.text("n").value() == "7");
    BOOST_TEST(!a.text("metrics"));
    BOOST_TEST(a.truth("slo.overall_pass").value() == false);
    BOOST_TEST(!a.truth("metrics.completed"));
    BOOST_TEST(a.array("list")->size() == 1U);
    BOOST_TEST(a.object("metrics.ttft_ms")->size() == 2U);
    BOOST_TEST(a.name() == "a.json");
}

BOOST_AUTO_TEST_CASE(what_is_no_envelope_of_this_version_is_refused_in_one_line)
{
    BOOST_TEST(refusal(R"({"schema":"sloutils.envelope/2"})") ==
               "a.json: is a sloutils.envelope/2 record, not sloutils.envelope/1");
    BOOST_TEST(refusal(R"({"schema":"sloutils.round/1"})") ==
               "a.json: is a sloutils.round/1 record, not sloutils.envelope/1");
    BOOST_TEST(refusal(R"({"schema_version":"2.1.0"})") ==
               "a.json: is an envelope of version 2.1.0; this tool reads version 1");
    BOOST_TEST(refusal("[]") == "a.json: is not a JSON object");
    BOOST_TEST(refusal("\n") == "a.json: holds nothing");
    BOOST_TEST(refusal("{\"a\":NaN}").starts_with("a.json: not JSON ("));
    BOOST_TEST(refusal("{\"a\":\"\xff\"}").starts_with("a.json: not JSON ("));
    BOOST_TEST(refusal("{} {}").starts_with("a.json: not JSON ("));
    BOOST_TEST(refusal("\xEF\xBB\xBF{\"schema_version\":\"1.2.3\"}").empty());
    BOOST_TEST(refusal("{}").empty());
}
