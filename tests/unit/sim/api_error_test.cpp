// SPDX-License-Identifier: MIT
#include <slo/sim/api_error.hpp>
#define BOOST_TEST_MODULE sim_api_error
#include <boost/test/unit_test.hpp>

using slo::sim::ApiError;

BOOST_AUTO_TEST_CASE(the_body_has_the_form_of_the_openai_api)
{
    BOOST_TEST(
        ApiError(400, "n must \"not\"", "n").body() ==
        R"({"error":{"message":"n must \"not\"","type":"invalid_request_error","param":"n","code":null}})");
    BOOST_TEST(ApiError(404, "m", {}, "model_not_found").body() ==
               R"({"error":{"message":"m","type":"not_found_error","param":null,"code":"model_not_found"}})");
    for (const auto& [status, type] :
         {std::pair{401, "authentication_error"}, {429, "rate_limit_error"}, {503, "server_error"}})
        BOOST_TEST(ApiError(status, "m").body().find(type) != std::string::npos);
}
