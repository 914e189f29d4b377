// SPDX-License-Identifier: MIT
#include <slo/tokens/server_probe.hpp>
#define BOOST_TEST_MODULE tokens_server_probe
#include <boost/test/unit_test.hpp>

#include "../../support/tokenize_server.hpp"

using namespace slo;
using namespace slo::tokens;
using test::TokenizeRequest;
using test::TokenizeServer;

namespace {

ServerProbe probe(const std::string& root, const std::string& model = "", bool with_chats = true)
{
    PoolOptions options;
    options.first_wait_s = 0.001;
    RequestPool pool(root, "key", options);
    return probe_server(pool, model, with_chats);
}

std::string failure(const std::string& root, const std::string& model = "")
{
    try {
        probe(root, model);
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

// One that answers each path as told, and anything else with 404.
TokenizeServer::Intercept told(std::string path, std::string response)
{
    return [path, response](const TokenizeRequest& request) -> std::optional<std::string> {
        return request.path == path ? response : TokenizeServer::response(404, R"({"detail":"Not Found"})");
    };
}

} // namespace

BOOST_AUTO_TEST_CASE(each_engine_is_known_by_its_answers)
{
    const TokenizeServer vllm(TokenizeServer::Form::vllm);
    const auto one = probe(vllm.url());
    BOOST_TEST((one.form.kind == ServerKind::vllm));
    BOOST_TEST(!one.form.takes_lists);
    BOOST_TEST(one.form.model == "m");
    BOOST_TEST(one.chat_refusal.empty());
    BOOST_TEST(*one.max_model_len == 4096);

    const TokenizeServer sglang(TokenizeServer::Form::sglang);
    const auto two = probe(sglang.url());
    BOOST_TEST((two.form.kind == ServerKind::sglang));
    BOOST_TEST(two.form.takes_lists);
    BOOST_TEST(two.chat_refusal.empty());
    BOOST_TEST(two.form.unasked_tokens == 0U);
    BOOST_TEST(sglang.received().size() == 3U);
    const TokenizeServer marking(TokenizeServer::Form::sglang_marks);
    BOOST_TEST(probe(marking.url()).form.unasked_tokens == 1U);

    const TokenizeServer old(TokenizeServer::Form::sglang_without_chats);
    const auto three = probe(old.url());
    BOOST_TEST((three.form.kind == ServerKind::sglang));
    BOOST_TEST(three.chat_refusal == "HTTP 400: 1 validation error: prompt: Field required");
    BOOST_TEST(probe(old.url(), "", false).chat_refusal.empty());

    const TokenizeServer llama(TokenizeServer::Form::llama_cpp);
    const auto four = probe(llama.url());
    BOOST_TEST((four.form.kind == ServerKind::llama_cpp));
    BOOST_TEST(!four.form.takes_lists);
    BOOST_TEST(!four.max_model_len);
    BOOST_TEST(llama.received("/apply-template").size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_path_below_v1_is_found)
{
    TokenizeServer server(TokenizeServer::Form::sglang,
                          [](const TokenizeRequest& request) -> std::optional<std::string> {
                              if (request.path == "/tokenize")
                                  return TokenizeServer::response(404, R"({"detail":"Not Found"})");
                              return std::nullopt;
                          });
    BOOST_TEST(probe(server.url()).form.tokenize_path == "/v1/tokenize");
}

BOOST_AUTO_TEST_CASE(a_fingerprint_tells_models_and_forms_apart_and_is_steady)
{
    const TokenizeServer vllm(TokenizeServer::Form::vllm);
    const TokenizeServer llama(TokenizeServer::Form::llama_cpp);
    const TokenizeServer sglang(TokenizeServer::Form::sglang);
    BOOST_TEST(probe(vllm.url()).fingerprint == probe(vllm.url()).fingerprint);
    BOOST_TEST(probe(vllm.url()).fingerprint != probe(llama.url()).fingerprint);
    BOOST_TEST(probe(sglang.url(), "a").fingerprint != probe(sglang.url(), "b").fingerprint);
}

BOOST_AUTO_TEST_CASE(a_list_of_models_is_not_needed)
{
    TokenizeServer server(TokenizeServer::Form::sglang,
                          [](const TokenizeRequest& request) -> std::optional<std::string> {
                              return request.path == "/v1/models"
                                         ? std::optional(TokenizeServer::response(404, "<html>no</html>"))
                                         : std::nullopt;
                          });
    const auto seen = probe(server.url());
    BOOST_TEST(seen.form.model.empty());
    BOOST_TEST(server.received("/tokenize").front().body.find("model") == std::string::npos);
    BOOST_TEST(probe(server.url(), "given").form.model == "given");
}

BOOST_AUTO_TEST_CASE(what_cannot_count_is_refused_with_the_servers_words)
{
    const TokenizeServer vllm(TokenizeServer::Form::vllm);
    BOOST_TEST(failure(vllm.url(), "x") ==
               vllm.url("/tokenize") + ": HTTP 404: The model `x` does not exist.");

    {
        TokenizeServer server(TokenizeServer::Form::vllm, told("", ""));
        BOOST_TEST(failure(server.url()) == server.url("/tokenize") + ": HTTP 404: Not Found");
    }
    {
        TokenizeServer server(
            TokenizeServer::Form::vllm,
            told("/v1/models", TokenizeServer::response(401, R"({"error":"Unauthorized"})")));
        BOOST_TEST(failure(server.url()) == server.url("/v1/models") + ": HTTP 401: Unauthorized");
    }
    {
        TokenizeServer server(TokenizeServer::Form::vllm,
                              told("/tokenize", TokenizeServer::response(500, R"({"error":"boom"})")));
        BOOST_TEST(failure(server.url()) == server.url("/tokenize") + ": HTTP 500: boom");
    }
    // 200 from something that is no tokenizer.
    for (const char* body :
         {"<html>welcome</html>", "[]", "{}", R"({"tokens":"a"})", R"({"tokens":[1,2]})",
          R"({"tokens":[[1],[2],[3]]})", R"({"tokens":[[1],[2]],"count":[1,5]})", R"({"tokens":[]})"}) {
        TokenizeServer server(TokenizeServer::Form::vllm,
                              told("/tokenize", TokenizeServer::response(200, body)));
        BOOST_TEST(failure(server.url()).starts_with(server.url("/tokenize") + ": "), body);
    }
}

BOOST_AUTO_TEST_CASE(the_root_is_found_in_what_people_paste)
{
    for (const char* url : {"http://h:8000", "http://h:8000/", "http://h:8000/v1", "http://h:8000/v1/",
                            "http://h:8000/tokenize", "http://h:8000/v1/tokenize"})
        BOOST_TEST(server_root(url) == "http://h:8000");
    BOOST_TEST(server_root("https://h/api/v1") == "https://h/api");
}
