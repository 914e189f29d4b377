// SPDX-License-Identifier: MIT
// Members of bodies, exact, and forbidden ones.

#include <slo/verify/body_rules.hpp>

#define BOOST_TEST_MODULE verify_body_rules
#include <boost/test/unit_test.hpp>

#include "../../support/verified_rows.hpp"

using namespace slo;
using namespace slo::verify;

namespace {

std::string reason(const std::string& members)
{
    SamplingRule rule({{"n", 3}, {"temperature", 0.7}, {"stop", json::array{"a"}}}, {"top_k"});
    const auto report = judge(rule, {row_text("{\"prompt\":\"a\"" + members + "}")});
    return report.findings.empty() ? "" : report.findings.kept()[0].reason;
}

} // namespace

BOOST_AUTO_TEST_CASE(exactly_these_members)
{
    BOOST_TEST(reason(R"(,"n":3,"temperature":0.7,"stop":["a"])") == "");
    BOOST_TEST(reason(R"(,"stop":[ "\u0061" ],"temperature":7e-1,"n":3.0)") == "");
    BOOST_TEST(reason(R"(,"n":3,"temperature":0.7)") == "stop is missing");
    BOOST_TEST(reason(R"(,"n":"3","temperature":0.7,"stop":["a"])") == "n is \"3\", not 3");
    BOOST_TEST(reason(R"(,"n":3,"temperature":null,"stop":["a"])") == "temperature is null, not 0.7");
    BOOST_TEST(reason(R"(,"n":3,"temperature":0.7,"stop":["a"],"seed":1)") == "unexpected seed");
    BOOST_TEST(reason(R"(,"n":3,"temperature":0.7,"stop":["a"],"top_k":1)") == "");
    BOOST_TEST(reason(R"(,"n":1,"n":3,"temperature":0.7,"stop":["a"])") == ""); // the last one counts
    BOOST_TEST(reason(R"(,"n":3,"n":1,"temperature":0.7,"stop":["a"])") == "n is 1, not 3");
}

BOOST_AUTO_TEST_CASE(a_value_that_was_right_is_not_taken_for_another)
{
    SamplingRule rule({{"n", 3}}, {});
    const auto body = [](const std::string& n) { return row_text("{\"prompt\":\"a\",\"n\":" + n + "}"); };
    BOOST_TEST(lines_of(judge(rule, {body("3"), body("3"), body("33"), body("3.0"), body("3"), body("4")})) ==
               "3 6");
}

BOOST_AUTO_TEST_CASE(forbidden_members)
{
    ForbiddenRule rule({"top_k", "min_p"});
    const auto report =
        judge(rule, {row_text(R"({"prompt":"a","top_p":1})"), row_text(R"({"prompt":"a","top_k":1})"),
                     row_text(R"({"prompt":"a","min\u005fp":null})")});
    BOOST_TEST(lines_of(report) == "2 3");
    BOOST_TEST(report.expected == "no top_k or min_p in a body");
    BOOST_TEST(report.seen == "2 bodies with one");
}

BOOST_AUTO_TEST_CASE(what_a_server_refuses)
{
    const auto refused = [](const std::string& members) {
        BodyRule rule;
        const auto report = judge(rule, {row_text("{\"prompt\":\"a\"" + members + "}")});
        return report.findings.empty() ? "" : report.findings.kept()[0].reason;
    };
    BOOST_TEST(refused("") == "");
    BOOST_TEST(refused(R"(,"messages":null)") == "");
    BOOST_TEST(refused(R"(,"messages":[{"role":"user","content":"a"}])") == "both prompt and messages");
    BOOST_TEST(refused(R"(,"min_tokens":5,"max_tokens":5)") == "");
    BOOST_TEST(refused(R"(,"min_tokens":5)") == "");
    BOOST_TEST(refused(R"(,"min_tokens":5,"max_tokens":null)") == "");
    BOOST_TEST(refused(R"(,"min_tokens":6,"max_tokens":5)") == "min_tokens 6 above max_tokens 5");
    BOOST_TEST(refused(R"(,"min_tokens":6,"max_completion_tokens":5e0)") ==
               "min_tokens 6 above max_completion_tokens 5e0");
}
