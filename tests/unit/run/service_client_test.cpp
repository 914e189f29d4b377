// SPDX-License-Identifier: MIT
#include <slo/run/service_client.hpp>

#define BOOST_TEST_MODULE run_service_client
#include <boost/test/unit_test.hpp>

#include "../../support/scripted_server.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <string>

using namespace slo;
using namespace slo::run;

namespace {

// Answers each path as told: a status and a body; "hang" never.
class Service {
public:
    explicit Service(std::map<std::string, std::pair<int, std::string>> answers)
        : answers_(std::move(answers)), server_([this](test::ScriptedPeer& peer) { answer(peer); })
    {
    }

    ServiceClient client(ServiceClientOptions options = {}) const { return {options, server_.url()}; }
    std::string asked()
    {
        const std::lock_guard lock(mutex_);
        return asked_;
    }

private:
    void answer(test::ScriptedPeer& peer)
    {
        if (!peer.take_request())
            return;
        const auto begin = peer.request().find(' ') + 1;
        const auto path = peer.request().substr(begin, peer.request().find(' ', begin) - begin);
        {
            const std::lock_guard lock(mutex_);
            asked_ += path + " ";
        }
        const auto found = answers_.find(path);
        const auto [status, body] =
            found == answers_.end() ? std::pair(404, std::string("{}")) : found->second;
        if (body == "hang")
            return peer.wait_for_hangup();
        peer.send("HTTP/1.1 " + std::to_string(status) + " X\r\nConnection: close\r\nContent-Length: " +
                  std::to_string(body.size()) + "\r\n\r\n" + body);
        peer.wait_for_close();
    }

    std::map<std::string, std::pair<int, std::string>> answers_;
    std::mutex mutex_;
    std::string asked_;
    test::ScriptedServer server_;
};

const auto never = [] { return false; };
const std::string choices = R"({"choices":[{"index":0,"message":{"content":"a"}}]})";

} // namespace

BOOST_AUTO_TEST_CASE(the_first_model_is_asked_for_a_token)
{
    Service service({{"/v1/models", {200, R"({"data":[{"id":"m1"},{"id":"m2"}]})"}},
                     {"/v1/chat/completions", {200, choices}}});
    auto client = service.client();
    BOOST_TEST(client.ask_models(10, never).ok);
    BOOST_TEST(client.model() == "m1");
    BOOST_TEST(client.ask_token(10, never).ok);
    BOOST_TEST(service.asked() == "/v1/models /v1/chat/completions ");
    ServiceClientOptions options;
    options.model = "mine";
    auto other = service.client(options);
    other.ask_models(10, never);
    BOOST_TEST(other.model() == "mine");
}

BOOST_AUTO_TEST_CASE(one_that_does_not_chat_completes)
{
    Service service({{"/v1/chat/completions", {400, R"({"error":{"message":"no chat template"}})"}},
                     {"/v1/completions", {200, choices}}});
    BOOST_TEST(service.client().ask_token(10, never).ok);
    Service neither({{"/v1/chat/completions", {400, R"({"error":{"message":"no chat template"}})"}}});
    BOOST_TEST(neither.client().ask_token(10, never).text == "HTTP 400: no chat template");
}

BOOST_AUTO_TEST_CASE(health_stands_in_for_a_missing_list)
{
    Service service({{"/health", {200, ""}}});
    auto client = service.client();
    BOOST_TEST(client.ask_models(10, never).ok);
    BOOST_TEST(client.model() == "");
    Service none({});
    BOOST_TEST(none.client().ask_models(10, never).http == 404);
}

BOOST_AUTO_TEST_CASE(an_api_base_that_lacks_its_version_is_no_matter_of_time)
{
    Service service({{"/v1/models", {200, R"({"data":[{"id":"m1"}]})"}}});
    ServiceClientOptions options;
    options.api_base = service.client().shown().substr(0, service.client().shown().size() - 3);
    auto client = service.client(options);
    BOOST_CHECK_EXCEPTION(client.ask_models(10, never), Error, [&](const auto& e) {
        const auto base = client.shown();
        return e.what() == base + ": has no /models, and " + base + "/v1 has: an API base ends in /v1 there";
    });
    Service nowhere({});
    options.api_base = nowhere.client().shown() + "/other";
    auto lost = nowhere.client(options);
    BOOST_TEST(lost.ask_models(10, never).http == 404);
}

BOOST_AUTO_TEST_CASE(a_status_of_200_alone_is_no_answer)
{
    for (const std::string body :
         {R"({"error":{"message":"engine is dead"}})", R"({"choices":[]})", "[]", "<html>", ""}) {
        Service service({{"/v1/chat/completions", {200, body}}});
        const auto answer = service.client().ask_token(10, never);
        BOOST_TEST(!answer.ok);
        BOOST_TEST(!answer.text.empty());
    }
    Service odd({{"/v1/models", {200, R"({"data":[7]})"}}});
    auto client = odd.client();
    BOOST_TEST(client.ask_models(10, never).ok);
    BOOST_TEST(client.model() == "");
}

BOOST_AUTO_TEST_CASE(silence_ends_with_the_time_or_with_a_stop)
{
    Service service({{"/v1/models", {200, "hang"}}});
    auto client = service.client();
    const auto late = client.ask_models(0.2, never);
    BOOST_TEST((!late.ok && late.http == 0 && !late.text.empty()));
    int looks = 0;
    const auto stopped = client.ask_models(600, [&] { return ++looks > 2; });
    BOOST_TEST(stopped.text == "given up");
}

BOOST_AUTO_TEST_CASE(a_wrong_key_is_no_matter_of_time)
{
    for (const int status : {401, 403}) {
        Service service({{"/v1/models", {status, R"({"error":"no"})"}}});
        auto client = service.client();
        BOOST_CHECK_EXCEPTION(client.ask_models(10, never), Error, [&](const auto& e) {
            return std::string(e.what()).find("HTTP " + std::to_string(status) + ": no (--api-key-file") !=
                   std::string::npos;
        });
    }
}

BOOST_AUTO_TEST_CASE(nobody_there_and_no_such_name)
{
    ServiceClientOptions options;
    options.api_base = "http://127.0.0.1:1/v1/";
    ServiceClient refused(options, "http://elsewhere/v1");
    BOOST_TEST(refused.shown() == "http://127.0.0.1:1/v1");
    BOOST_TEST(!refused.ask_models(5, never).ok);
    options.api_base = "http://name.invalid/v1";
    const auto answer = ServiceClient(options, "").ask_models(5, never);
    BOOST_TEST((!answer.ok && !answer.text.empty()));
}

BOOST_AUTO_TEST_CASE(an_api_base_is_needed)
{
    BOOST_CHECK_THROW(ServiceClient({}, ""), UsageError);
    ServiceClientOptions options;
    options.api_base = "no url";
    BOOST_CHECK_THROW(ServiceClient(options, ""), UsageError);
}
