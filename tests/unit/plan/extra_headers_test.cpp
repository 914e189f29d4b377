// SPDX-License-Identifier: MIT
#include <slo/plan/extra_headers.hpp>

#define BOOST_TEST_MODULE plan_extra_headers
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using slo::plan::ExtraHeaders;

namespace {

using Lines = std::vector<std::string>;

std::string fault(const Lines& lines)
{
    try {
        const ExtraHeaders headers(lines);
    } catch (const slo::UsageError& error) {
        return error.what();
    }
    return "";
}

} // namespace

BOOST_AUTO_TEST_CASE(good_lines_are_taken_in_one_form)
{
    const ExtraHeaders headers({"X-Tenant:a", "x-b:  two words\t", "X-C: caf\xC3\xA9", "Host: other"});
    BOOST_TEST((headers.merged_with({}) ==
                Lines{"X-Tenant: a", "x-b: two words", "X-C: caf\xC3\xA9", "Host: other"}));
    BOOST_TEST(headers.has("x-tenant"));
    BOOST_TEST(!headers.has("x-d"));
    BOOST_TEST(ExtraHeaders().merged_with({"A: b"}).size() == 1U);
}

BOOST_AUTO_TEST_CASE(what_would_break_the_request_is_refused)
{
    BOOST_TEST(fault({"A: b", "no colon"}) == "--header: header number 2 has no colon (NAME: VALUE)");
    for (const char* line : {": v", "A b: v", "A\r\nB: v", " A: v", "A : v", "(A): v", "\xC3\xA9: v"})
        BOOST_TEST(fault({line}) == "--header: header number 1 has a name that no header may have");
    for (const std::string& value : {std::string("a\r\nX: y"), std::string("a\nb"), std::string("a\0b", 3),
                                     std::string("a\x7F"), std::string("\x1B[0m")})
        BOOST_TEST(fault({"A: " + value}) == "--header: A holds a character that no header may carry");
    BOOST_TEST(fault({"A: "}) == "--header: A has no value");
    BOOST_TEST(fault({"A: " + std::string(ExtraHeaders::max_bytes, 'x')}) ==
               "--header: more than 32768 bytes of headers");
}

BOOST_AUTO_TEST_CASE(the_frame_of_a_request_is_not_the_users)
{
    for (const std::string name : {"Content-Length", "TRANSFER-ENCODING", "Connection", "Expect"})
        BOOST_TEST(fault({name + ": 1"}) ==
                   "--header: " + name + " describes the connection or the body, and is set here");
    BOOST_TEST(fault({"Host: a", "host: b"}) == "--header: host is given twice");
    BOOST_TEST(fault({"X-A: 1", "X-A: 2"}) == "");
}

BOOST_AUTO_TEST_CASE(what_each_request_has_of_its_own_is_not_the_users)
{
    BOOST_TEST(fault({"X-Request-Id: mine"}) ==
               "--header: X-Request-Id is the id of the request in its record, and is set here");
    BOOST_TEST(fault({"TraceParent: 00-1-2-01"}) ==
               "--header: TraceParent is made of the id of the request: use --trace-context");
    BOOST_TEST(fault({"x-flow-conversation-id: zz"}) ==
               "--header: x-flow-conversation-id is set from the conv_id of the row");
    BOOST_TEST(fault({"X-Request-Identity: a", "tracestate: b"}) == "");
}

BOOST_AUTO_TEST_CASE(the_user_wins_over_what_we_would_send)
{
    const ExtraHeaders headers({"authorization: Basic eA==", "X-A: 1"});
    BOOST_TEST((headers.merged_with({"Authorization: Bearer k", "Content-Type: application/json"}) ==
                Lines{"Content-Type: application/json", "authorization: Basic eA==", "X-A: 1"}));
}

BOOST_AUTO_TEST_CASE(secrets_are_not_shown)
{
    const ExtraHeaders headers({"Authorization: Bearer hidden", "api-key: hidden", "X-Api-Key: hidden",
                                "Cookie: hidden", "X-Auth-Token: hidden", "X-Tenant: seen"});
    const auto shown = headers.shown();
    BOOST_TEST(shown[0] == "Authorization: ***");
    BOOST_TEST(shown[5] == "X-Tenant: seen");
    for (const auto& line : shown)
        BOOST_TEST(line.find("hidden") == std::string::npos);
    BOOST_TEST(fault({"Authorization hidden"}).find("hidden") == std::string::npos);
}
