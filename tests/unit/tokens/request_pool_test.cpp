// SPDX-License-Identifier: MIT
#include <slo/tokens/request_pool.hpp>
#define BOOST_TEST_MODULE tokens_request_pool
#include <boost/test/unit_test.hpp>

#include "../../support/tokenize_server.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>

using namespace slo;
using namespace slo::tokens;
using test::TokenizeRequest;
using test::TokenizeServer;

namespace {

constexpr auto vllm = TokenizeServer::Form::vllm;

PoolOptions quick()
{
    PoolOptions options;
    options.first_wait_s = 0.001;
    options.connect_timeout_s = 5;
    return options;
}

std::string hello(std::size_t index)
{
    return R"({"prompt":"hello )" + std::to_string(index) + "\"}";
}

std::string failure(RequestPool& pool, std::size_t count, const std::string& path = "/tokenize")
{
    try {
        pool.post_all(path, count, hello, [](std::size_t, std::string_view) {});
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

} // namespace

BOOST_AUTO_TEST_CASE(each_body_goes_out_once_and_each_answer_comes_back_under_its_number)
{
    TokenizeServer server(vllm);
    RequestPool pool(server.url(), "key", quick());
    std::vector<std::string> answers(500);
    pool.post_all("/tokenize", answers.size(), hello,
                  [&](std::size_t index, std::string_view body) { answers[index] = body; });
    std::set<std::string> bodies;
    for (const auto& request : server.received()) {
        bodies.insert(request.body);
        BOOST_TEST(request.head.find("Authorization: Bearer key\r\n") != std::string::npos);
        BOOST_TEST(request.head.find("Content-Type: application/json") != std::string::npos);
    }
    BOOST_TEST(bodies.size() == 500U);
    BOOST_TEST(server.received().size() == 500U);
    BOOST_TEST(pool.sent() == 500U);
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const auto tokens = engine::tokenize("hello " + std::to_string(i));
        BOOST_TEST(answers[i].find("," + std::to_string(tokens.back()) + "]") != std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(as_many_are_in_flight_as_asked_for_and_connections_are_kept)
{
    // None is answered before eight are there: with fewer in flight this would never end.
    std::mutex mutex;
    std::condition_variable arrived;
    int waiting = 0;
    TokenizeServer server(vllm, [&](const TokenizeRequest&) -> std::optional<std::string> {
        std::unique_lock lock(mutex);
        ++waiting;
        arrived.notify_all();
        arrived.wait(lock, [&] { return waiting >= 8; });
        return std::nullopt;
    });
    auto options = quick();
    options.connections = 8;
    RequestPool pool(server.url(), "key", options);
    BOOST_TEST(failure(pool, 200) == "none");
    BOOST_TEST(failure(pool, 8) == "none");
    BOOST_TEST(server.received().size() == 208U);
    BOOST_TEST(server.accepted() <= 16);
}

BOOST_AUTO_TEST_CASE(a_busy_server_is_asked_again_a_number_of_times)
{
    std::atomic<int> refusals = 0;
    TokenizeServer server(vllm, [&](const TokenizeRequest&) -> std::optional<std::string> {
        if (++refusals % 3 == 0)
            return std::nullopt;
        return TokenizeServer::response(refusals % 3 == 1 ? 429 : 503, R"({"error":"busy"})",
                                        refusals % 2 ? "Retry-After: 0\r\n" : "");
    });
    auto options = quick();
    options.connections = 1;
    RequestPool pool(server.url(), "key", options);
    BOOST_TEST(failure(pool, 10) == "none");
    BOOST_TEST(pool.sent() == 30U);

    TokenizeServer always(vllm, [](const TokenizeRequest&) -> std::optional<std::string> {
        return TokenizeServer::response(503, R"({"error":{"message":"Loading model"}})");
    });
    options.max_attempts = 4;
    RequestPool patient(always.url(), "key", options);
    BOOST_TEST(failure(patient, 1) == always.url("/tokenize") + ": HTTP 503: Loading model");
    BOOST_TEST(patient.sent() == 4U);
}

BOOST_AUTO_TEST_CASE(a_server_that_asks_for_more_time_than_it_gets_is_given_up)
{
    TokenizeServer server(vllm, [](const TokenizeRequest&) -> std::optional<std::string> {
        return TokenizeServer::response(429, R"({"error":"come tomorrow"})", "Retry-After: 3600\r\n");
    });
    RequestPool pool(server.url(), "key", quick());
    BOOST_TEST(failure(pool, 1) == server.url("/tokenize") + ": HTTP 429: come tomorrow");
    BOOST_TEST(pool.sent() == 1U);
}

BOOST_AUTO_TEST_CASE(what_a_broken_connection_takes_along_is_sent_again)
{
    std::atomic<int> count = 0;
    TokenizeServer closing(vllm, [&](const TokenizeRequest&) -> std::optional<std::string> {
        return ++count % 10 == 3 ? std::optional<std::string>("") : std::nullopt; // no request twice
    });
    auto options = quick();
    options.connections = 2;
    RequestPool pool(closing.url(), "key", options);
    BOOST_TEST(failure(pool, 50) == "none");
    BOOST_TEST(closing.received().size() > 50U);
}

BOOST_AUTO_TEST_CASE(errors_name_url_and_reason_and_no_credentials)
{
    TokenizeServer server(vllm);
    {
        RequestPool pool("http://user:secret@" + server.url().substr(7), "key", quick());
        const auto said = failure(pool, 3, "/nowhere");
        BOOST_TEST(said == server.url("/nowhere") + ": HTTP 404: Not Found");
    }
    server.close_listener();
    RequestPool refused(server.url(), "key", quick());
    BOOST_TEST(failure(refused, 100).starts_with(server.url("/tokenize") + ": "));
    for (const char* bad : {"ftp://host", "http://", "http://host/?key=1", "http://host/#x"})
        BOOST_CHECK_THROW(RequestPool(bad, "key", quick()), UsageError);
}

BOOST_AUTO_TEST_CASE(an_answer_without_end_is_cut_short)
{
    TokenizeServer server(vllm, [](const TokenizeRequest&) -> std::optional<std::string> {
        return TokenizeServer::response(200, std::string(3 << 20, 'x'));
    });
    auto options = quick();
    options.max_answer_bytes = 1 << 20;
    RequestPool pool(server.url(), "key", options);
    BOOST_TEST(failure(pool, 1).starts_with(server.url("/tokenize") + ": "));
}

BOOST_AUTO_TEST_CASE(after_an_error_the_pool_is_of_use_again)
{
    TokenizeServer server(vllm);
    RequestPool pool(server.url(), "key", quick());
    BOOST_TEST(failure(pool, 100, "/nowhere") != "none");
    BOOST_TEST(failure(pool, 100) == "none");
    int calls = 0;
    BOOST_CHECK_EXCEPTION(
        pool.post_all("/tokenize", 100, hello,
                      [&](std::size_t, std::string_view) {
                          if (++calls == 10)
                              throw InputError("nonsense");
                      }),
        Error, [&](const Error& error) { return error.what() == server.url("/tokenize") + ": nonsense"; });
    BOOST_TEST(failure(pool, 100) == "none");
    const auto answer = pool.ask("/v1/models", {});
    BOOST_TEST(answer.status == 200);
    BOOST_TEST(answer.body.find("\"vllm\"") != std::string::npos);
}
