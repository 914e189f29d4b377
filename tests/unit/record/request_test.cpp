// SPDX-License-Identifier: MIT
#include <slo/record/request.hpp>

#define BOOST_TEST_MODULE record_request
#include <boost/test/unit_test.hpp>

#include <set>
#include <string>

using slo::record::ErrorKind;
using slo::record::RequestStatus;

BOOST_AUTO_TEST_CASE(names_are_those_of_the_records)
{
    BOOST_TEST(name_of(ErrorKind::http_429) == "http_429");
    BOOST_TEST(name_of(ErrorKind::client) == "client");
    BOOST_TEST(name_of(RequestStatus::not_sent) == "not_sent");
    BOOST_TEST(name_of(slo::record::TokenTiming::none) == "none");
    BOOST_TEST(name_of(slo::record::TokenTiming::event) == "event");
    BOOST_TEST(name_of(slo::record::TokenTiming::usage) == "usage");
    const std::set<std::string_view> names(slo::record::error_kind_names.begin(),
                                           slo::record::error_kind_names.end());
    BOOST_TEST(names.size() == slo::record::error_kind_names.size());
}

BOOST_AUTO_TEST_CASE(what_never_happened_is_null)
{
    slo::record::Request request;
    request.id = "a";
    request.due_s = 1.5;
    const auto record = to_record(request);
    for (const char* key : {"sent_s", "first_token_s", "last_token_s", "end_s", "http", "error_kind", "error",
                            "input_tokens", "output_tokens", "cached_tokens"}) {
        BOOST_TEST_CONTEXT(key)
        BOOST_TEST(record.at(key).is_null());
    }
    BOOST_TEST(record.at("schema").as_string() == "sloutils.request/1");
    BOOST_TEST(record.at("status").as_string() == "not_sent");
    BOOST_TEST(record.at("due_s").as_double() == 1.5);
    BOOST_TEST(record.at("token_timing").as_string() == "none");
}

BOOST_AUTO_TEST_CASE(an_answered_request_keeps_every_figure)
{
    slo::record::Request request;
    request.status = RequestStatus::failed;
    request.http = 200;
    request.error_kind = ErrorKind::truncated;
    request.error = "answer ended without a finish reason";
    request.output_tokens = 7;
    request.choices = {{.index = 1,
                        .finish_reason = "stop",
                        .tokens = 7,
                        .chars = 20,
                        .first_token_s = 0.1,
                        .last_token_s = 0.4}};
    request.itl_ms = {10.5, 20.0};
    request.token_timing = slo::record::TokenTiming::usage;
    const auto record = to_record(request);
    BOOST_TEST(
        slo::to_json(record.at("choices")) ==
        R"([{"index":1,"finish_reason":"stop","tokens":7,"chars":20,"first_token_s":0.1,"last_token_s":0.4}])");
    BOOST_TEST(slo::to_json(record.at("itl_ms")) == "[10.5,20.0]");
    BOOST_TEST(record.at("token_timing").as_string() == "usage");
    BOOST_TEST(record.at("http").as_int64() == 200);
    BOOST_TEST(record.at("error_kind").as_string() == "truncated");
}
