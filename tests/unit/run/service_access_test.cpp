// SPDX-License-Identifier: MIT
#include <slo/run/service_access.hpp>

#define BOOST_TEST_MODULE run_service_access
#include <boost/test/unit_test.hpp>

#include "../../support/canned_server.hpp"

#include <slo/run/replay_options.hpp>

#include <algorithm>
#include <string>

using namespace slo::run;

namespace {

bool never()
{
    return false;
}

bool has(const std::vector<std::string>& lines, const std::string& line)
{
    return std::find(lines.begin(), lines.end(), line) != lines.end();
}

} // namespace

BOOST_AUTO_TEST_CASE(headers_of_the_user_win_over_ours)
{
    ReplayOptions options;
    options.api_key = "sk-1";
    const ServiceAccess plain(options, make_plan(options));
    BOOST_TEST(has(plain.headers(), "Authorization: Bearer sk-1"));
    BOOST_TEST(has(plain.headers(), "Content-Type: application/json"));
    options.headers = {"authorization: Basic eDp5", "X-Team: a"};
    const ServiceAccess own(options, make_plan(options));
    BOOST_TEST(!has(own.headers(), "Authorization: Bearer sk-1"));
    BOOST_TEST(has(own.headers(), "authorization: Basic eDp5"));
    BOOST_TEST(has(own.headers(), "X-Team: a"));
}

BOOST_AUTO_TEST_CASE(a_transport_is_the_one_that_was_asked_for)
{
    slo::net::EventLoop loop;
    ReplayOptions options;
    options.api_base = "http://127.0.0.1:1/v1";
    BOOST_TEST(ServiceAccess(options, make_plan(options)).transport(loop)->name() == "plain");
    options.transport = "curl";
    BOOST_TEST(ServiceAccess(options, make_plan(options)).transport(loop)->name() == "curl");
    options.transport = "plain";
    options.api_base = "https://127.0.0.1:1/v1";
    const ServiceAccess impossible(options, make_plan(options));
    BOOST_CHECK_THROW(impossible.transport(loop), slo::UsageError);
}

BOOST_AUTO_TEST_CASE(what_is_not_there_is_found_before_the_run)
{
    slo::net::EventLoop loop;
    ReplayOptions options;
    {
        const slo::test::CannedServer server;
        options.api_base = server.url("ok");
        BOOST_TEST(ServiceAccess(options, make_plan(options)).check(loop, never) == 11);
    }
    const ServiceAccess gone(options, make_plan(options));
    BOOST_CHECK_THROW(gone.check(loop, never), slo::Error);
    options.no_connect_check = true;
    BOOST_TEST(ServiceAccess(options, make_plan(options)).check(loop, never) == 0);
}

BOOST_AUTO_TEST_CASE(files_of_tls_are_read_at_once)
{
    ReplayOptions options;
    options.tls.ca_file = "there-is-none.pem";
    const auto plan = make_plan(options);
    BOOST_CHECK_THROW(ServiceAccess(options, plan), slo::IoError);
}
