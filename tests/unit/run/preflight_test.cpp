// SPDX-License-Identifier: MIT
#include <slo/run/preflight.hpp>

#define BOOST_TEST_MODULE run_preflight
#include <boost/test/unit_test.hpp>

#include "../../support/canned_server.hpp"

#include <slo/net/curl_transport.hpp>

#include <string>

using namespace slo::run;

namespace {

struct Fixture {
    slo::test::CannedServer server;
    slo::net::EventLoop loop;
    slo::net::CurlTransport transport{loop, {}};
    bool stopped = false;
    std::function<bool()> is_stopped = [this] { return stopped; };

    slo::plan::RequestConfig config(const std::string& behaviour) const
    {
        slo::plan::RequestConfig result;
        result.api_base = server.url(behaviour);
        result.model = "m";
        return result;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(preflight, Fixture)

BOOST_AUTO_TEST_CASE(any_http_answer_is_a_connection)
{
    BOOST_CHECK_NO_THROW(
        check_connection(loop, transport, server.url("500") + "/", {"X-Key: k"}, is_stopped));
    const auto request = server.received().at(0);
    BOOST_TEST(request.method == "GET");
    BOOST_TEST(request.path == "/500/v1/models");
    BOOST_TEST(request.head.find("X-Key: k") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_is_no_http_is_an_error_that_names_the_base)
{
    for (const char* behaviour : {"garbage", "drop"}) {
        const auto base = server.url(behaviour);
        BOOST_CHECK_EXCEPTION(
            check_connection(loop, transport, base, {}, is_stopped), slo::Error,
            [&](const slo::Error& error) { return std::string(error.what()).starts_with(base + ": "); });
    }
    BOOST_CHECK_THROW(check_connection(loop, transport, "http://127.0.0.1:1/v1", {}, is_stopped), slo::Error);
}

BOOST_AUTO_TEST_CASE(a_stop_ends_the_wait)
{
    slo::net::Timer timer(loop, [&] { stopped = true; });
    timer.set(slo::monotonic_ns() + 20'000'000);
    const auto base = server.url("hang");
    const std::string body = "{}";
    const auto reply = slo::net::fetch(loop, transport, {base, {}, body, true}, is_stopped);
    BOOST_TEST((reply.result.ending == slo::net::Ending::cancelled));
    BOOST_TEST(transport.in_flight() == 0U);
}

BOOST_AUTO_TEST_CASE(min_p_is_refused_by_an_error_only)
{
    BOOST_TEST(!min_p_refusal(loop, transport, config("json"), {}, is_stopped).has_value());
    BOOST_TEST(min_p_refusal(loop, transport, config("400"), {}, is_stopped).value() == "HTTP 400: as told");
    BOOST_TEST(!min_p_refusal(loop, transport, config("drop"), {}, is_stopped).value().empty());
    const auto request = server.received().at(0);
    BOOST_TEST(request.path == "/json/v1/chat/completions");
    BOOST_TEST(request.body.find(R"("min_p":0.1)") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(min_p_leaves_a_body_but_not_one_that_the_user_gave)
{
    const std::string body = R"({"model":"m","top_k":40,"min_p":0.1,"repetition_penalty":1.0,"n":3})";
    slo::plan::RequestConfig config;
    BOOST_TEST(without_min_p(config, body) == R"({"model":"m","top_k":40,"repetition_penalty":1.0,"n":3})");
    config.extra_body = {{"min_p", 0.5}};
    BOOST_TEST(without_min_p(config, body) ==
               R"({"model":"m","top_k":40,"repetition_penalty":1.0,"n":3,"min_p":0.5})");
    config.extra_body = {{"min_p", nullptr}};
    config.omit_none_extra_body = true;
    BOOST_TEST(without_min_p(config, body) == R"({"model":"m","top_k":40,"repetition_penalty":1.0,"n":3})");
}

BOOST_AUTO_TEST_CASE(the_descriptor_limit_rises_to_what_is_allowed)
{
    rlimit limit{};
    BOOST_REQUIRE_EQUAL(::getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = std::min<rlim_t>(64, limit.rlim_max);
    BOOST_REQUIRE_EQUAL(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    BOOST_TEST(raise_descriptor_limit() == limit.rlim_max);
}
