// SPDX-License-Identifier: MIT
#include <slo/run/canary.hpp>
#define BOOST_TEST_MODULE run_canary
#include <boost/test/unit_test.hpp>

#include <slo/base/error.hpp>

#include <string>

using namespace slo;
using namespace slo::run;

namespace {

std::string failure_of(const CanaryOptions& options)
{
    try {
        send_canary(options);
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

} // namespace

// The flights themselves are in tests/cli/prom-diff: they want a server with counters.
BOOST_AUTO_TEST_CASE(metrics_stand_beside_the_api)
{
    BOOST_TEST(metrics_url_of("http://h:1/v1") == "http://h:1/metrics");
    BOOST_TEST(metrics_url_of("http://h:1/v1//") == "http://h:1/metrics");
    BOOST_TEST(metrics_url_of("http://h:1/openai") == "http://h:1/openai/metrics");
    BOOST_TEST(metrics_url_of("http://h:1") == "http://h:1/metrics");
}

BOOST_AUTO_TEST_CASE(a_server_that_is_not_there_is_one_line)
{
    BOOST_TEST(
        failure_of({"http://127.0.0.1:1/v1", "", "m", "k", 2}).starts_with("http://127.0.0.1:1/metrics: "));
    BOOST_TEST(failure_of({"gopher://127.0.0.1/v1", "", "m", "k", 2}).find("no http or https URL") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_record_says_what_told)
{
    const auto record = to_record(Canary{plan::RequestsBasis::choice, 2, "requests", ""});
    BOOST_TEST(record.at("requests_basis").as_string() == "choice");
    BOOST_TEST(record.at("requests_counted").as_double() == 2);
    BOOST_TEST(record.at("reason").is_null());
}
