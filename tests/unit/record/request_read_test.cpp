// SPDX-License-Identifier: MIT
#include <slo/record/request_read.hpp>

#define BOOST_TEST_MODULE record_request_read
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::record;

namespace {

Request success()
{
    Request request;
    request.id = "r";
    request.round = 3;
    request.due_s = 1;
    request.sent_s = 1.25;
    request.first_token_s = 1.5;
    request.last_token_s = 2.5;
    request.end_s = 2.75;
    request.status = RequestStatus::ok;
    request.http = 200;
    request.output_tokens = 12;
    Choice choice;
    choice.tokens = 5;
    choice.first_token_s = 1.5;
    choice.last_token_s = 2.25;
    request.choices = {choice, choice};
    return request;
}

std::string refusal(const std::string& name, const std::string& value)
{
    auto record = to_record(success());
    record[name] = parse_json(value);
    try {
        read_request(record);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

} // namespace

BOOST_AUTO_TEST_CASE(what_was_written_is_read_back)
{
    const auto seen = read_request(parse_json(to_json(to_record(success()))).get_object());
    BOOST_TEST(seen.round == 3);
    BOOST_TEST(seen.due_s == 1);
    BOOST_TEST(seen.sent_s.value() == 1.25);
    BOOST_TEST(seen.first_token_s.value() == 1.5);
    BOOST_TEST(seen.last_token_s.value() == 2.5);
    BOOST_TEST(seen.end_s.value() == 2.75);
    BOOST_TEST((seen.status == RequestStatus::ok));
    BOOST_TEST((seen.error_kind == ErrorKind::none));
    BOOST_TEST(seen.output_tokens.value() == 12);
    BOOST_REQUIRE_EQUAL(seen.choices.size(), 2U);
    BOOST_TEST(seen.choices[1].tokens.value() == 5);
    BOOST_TEST(seen.choices[1].last_token_s.value() == 2.25);
}

BOOST_AUTO_TEST_CASE(a_request_that_was_never_sent_has_no_moments)
{
    Request request;
    request.round = 1;
    request.status = RequestStatus::not_sent;
    request.error_kind = ErrorKind::client;
    request.error = "too many were in flight";
    const auto seen = read_request(to_record(request));
    BOOST_TEST((seen.status == RequestStatus::not_sent));
    BOOST_TEST((seen.error_kind == ErrorKind::client));
    BOOST_TEST(seen.error == "too many were in flight");
    BOOST_TEST(!seen.sent_s.has_value());
    BOOST_TEST(!seen.end_s.has_value());
}

BOOST_AUTO_TEST_CASE(each_member_is_checked)
{
    for (const auto* round : {"null", "0", "-1", "1000001", "1.5", R"("1")", "1e300"})
        BOOST_TEST(refusal("round", round).starts_with("round: must be from 1 to 1000000"), round);
    for (const auto* due : {"null", "-0.5", R"("NaN")", "1e300", "true"})
        BOOST_TEST(refusal("due_s", due).starts_with("due_s: "), due);
    for (const auto* name : {"sent_s", "first_token_s", "last_token_s", "end_s"})
        for (const auto* moment : {R"("1")", "1e12", "[]"})
            BOOST_TEST(refusal(name, moment).starts_with(std::string(name) + ": "), name << moment);
    BOOST_TEST(refusal("status", R"("done")") == "status: is none that this tool knows");
    BOOST_TEST(refusal("status", "1") == "status: is none that this tool knows");
    BOOST_TEST(refusal("error_kind", R"("x")") == "error_kind: is none that this tool knows");
    BOOST_TEST(refusal("output_tokens", "-1") == "output_tokens: is no number of tokens");
    BOOST_TEST(refusal("choices", "[1]") == "choices: has a member that is not an object");
    BOOST_TEST(refusal("choices", R"([{"tokens":0.5}])") == "tokens: is no number of tokens");
}

BOOST_AUTO_TEST_CASE(nothing_comes_of_a_request_before_it_is_due)
{
    BOOST_TEST(refusal("first_token_s", "0.5") == "first_token_s: is before due_s");
    BOOST_TEST(refusal("end_s", "0.5") == "end_s: is before due_s");
    BOOST_TEST(refusal("end_s", "1.125") == "end_s: is before sent_s");
    BOOST_TEST(refusal("end_s", "null") == "end_s: is missing from a success");
    BOOST_TEST(refusal("sent_s", "null") == "sent_s: is missing from a success");
}
