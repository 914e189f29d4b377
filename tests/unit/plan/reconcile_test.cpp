// SPDX-License-Identifier: MIT
#include <slo/plan/reconcile.hpp>
#define BOOST_TEST_MODULE plan_reconcile
#include <boost/test/unit_test.hpp>

#include <slo/base/json.hpp>

#include <cmath>
#include <string>

using namespace slo;
using namespace slo::plan;

namespace {

// 100 requests with n = 3 and a prompt of 1000 tokens, 2 of which failed after they were sent.
ClientTotals three_choices()
{
    ClientTotals client;
    client.add(parse_json(R"({"schema":"sloutils.round/1","actual_qps":2,"input_tokens":1000,
        "input_tokens_per_minute":117600,"output_tokens":150,"output_tokens_per_minute":17640,
        "finish_reasons":{"length":200,"stop":94},"counts":{"due":100,"sent":100,"ok":98}})")
                   .as_object());
    return client;
}

ServerTotals server_of(double requests, double prompt_tokens, double generation_tokens)
{
    ServerTotals server;
    server.requests = requests;
    server.prompt_tokens = prompt_tokens;
    server.generation_tokens = generation_tokens;
    return server;
}

ReconcileOptions by(RequestsBasis basis)
{
    ReconcileOptions options;
    options.basis = basis;
    return options;
}

} // namespace

BOOST_AUTO_TEST_CASE(each_basis_is_held_against_what_its_engine_counts)
{
    const auto client = three_choices();
    using enum RequestsBasis;
    BOOST_TEST(*reconcile(client, server_of(294, 294000, 14700), by(choice)).reconciled);
    BOOST_TEST(*reconcile(client, server_of(98, 98000, 14700), by(request)).reconciled);
    BOOST_TEST(*reconcile(client, server_of(392, 392000, 14700), by(choice_plus_one)).reconciled);
    const auto result = reconcile(client, server_of(98, 98000, 14700), by(choice));
    BOOST_TEST(!*result.reconciled);
    BOOST_TEST(result.reason == "requests: 294.0 by the client, 98.0 by the server; "
                                "prompt tokens: 294000.0 by the client, 98000.0 by the server");
    BOOST_TEST(*result.generation_tokens.agrees);
}

BOOST_AUTO_TEST_CASE(the_tolerance_goes_below_the_successes_and_above_what_was_sent)
{
    const auto client = three_choices();
    const auto options = by(RequestsBasis::choice);
    const auto agrees = [&](double requests) {
        ServerTotals server;
        server.requests = requests;
        return *reconcile(client, server, options).requests.agrees;
    };
    BOOST_TEST(agrees(279.3));
    BOOST_TEST(!agrees(279.2));
    BOOST_TEST(agrees(315));
    BOOST_TEST(!agrees(315.1));
}

BOOST_AUTO_TEST_CASE(an_unknown_basis_matters_only_where_n_is_above_1)
{
    const auto options = by(RequestsBasis::unknown);
    auto result = reconcile(three_choices(), server_of(294, 294000, 14700), options);
    BOOST_TEST(!result.requests.agrees);
    BOOST_TEST(!result.prompt_tokens.agrees);
    BOOST_TEST(result.reconciled.value()); // by the generated tokens
    BOOST_TEST(result.requests.reason.find("canary") != std::string::npos);
    ServerTotals only_requests;
    only_requests.requests = 294;
    result = reconcile(three_choices(), only_requests, options);
    BOOST_TEST(!result.reconciled);
    BOOST_TEST(result.reason == "what this engine counts for n > 1 is not known; a canary tells; "
                                "generation tokens: not counted by the server");
    ClientTotals one;
    one.add(parse_json(R"({"schema":"sloutils.request/1","status":"ok","sent_s":1,"input_tokens":10,
        "output_tokens":5,"choices":[{"index":0,"finish_reason":"stop"}]})")
                .as_object());
    BOOST_TEST(*reconcile(one, server_of(1, 10, 5), options).reconciled);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_known_is_null_and_says_why)
{
    const auto why = [](const ClientTotals& client, const ServerTotals& server) {
        const auto result = reconcile(client, server, by(RequestsBasis::choice));
        BOOST_TEST(!result.reconciled);
        return result.reason;
    };
    ServerTotals reset = server_of(1, 1, 1);
    reset.reset = true;
    BOOST_TEST(why({}, server_of(1, 1, 1)) == "no round or request record was given");
    BOOST_TEST(why(three_choices(), reset) == "the server was restarted during the run");
    ClientTotals failed;
    failed.add(parse_json(R"({"schema":"sloutils.request/1","status":"failed","sent_s":1})").as_object());
    BOOST_TEST(why(failed, server_of(1, 1, 1)) == "no request of the client succeeded");
    BOOST_TEST(why(three_choices(), {}) == "requests: not counted by the server; prompt tokens: not counted "
                                           "by the server; generation tokens: not counted by the server");
}

BOOST_AUTO_TEST_CASE(finish_reasons_are_shown_where_choices_are_counted)
{
    auto server = server_of(294, 294000, 14700);
    server.success = {{"length", 200}, {"stop", 94}, {"repetition", 0}};
    const auto result = reconcile(three_choices(), server, by(RequestsBasis::choice));
    BOOST_TEST(result.finish_reasons.size() == 2u);
    BOOST_TEST(*result.finish_reasons.at("stop").agrees);
    BOOST_TEST(reconcile(three_choices(), server, by(RequestsBasis::request)).finish_reasons.empty());
    const auto record = to_record(result);
    BOOST_TEST(record.at("reconciled").as_bool());
    BOOST_TEST(record.at("requests_basis").as_string() == "choice");
    BOOST_TEST(record.at("reason").is_null());
    BOOST_TEST(record.at("requests").as_object().at("client").as_double() == 294);
    BOOST_TEST(record.at("requests").as_object().at("client_most").as_double() == 300);
    BOOST_TEST(record.at("choices_per_request").as_double() == 3);
}

BOOST_AUTO_TEST_CASE(a_canary_tells_the_basis)
{
    BOOST_TEST((basis_of_canary(1) == RequestsBasis::request));
    BOOST_TEST((basis_of_canary(2) == RequestsBasis::choice));
    BOOST_TEST((basis_of_canary(3) == RequestsBasis::choice_plus_one));
    BOOST_TEST((basis_of_canary(0) == RequestsBasis::unknown));
    BOOST_TEST((basis_of_canary(17) == RequestsBasis::unknown));
    BOOST_TEST((basis_of_engine("vllm-0.6") == RequestsBasis::choice));
    BOOST_TEST((basis_of_engine("sglang") == RequestsBasis::choice_plus_one));
    BOOST_TEST((basis_of_engine("llamacpp") == RequestsBasis::unknown));
}
