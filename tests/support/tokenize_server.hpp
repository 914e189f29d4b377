// SPDX-License-Identifier: MIT
// Servers that count tokens, for tests: each answers in the form of one inference engine.

#ifndef SLO_TESTS_SUPPORT_TOKENIZE_SERVER_HPP
#define SLO_TESTS_SUPPORT_TOKENIZE_SERVER_HPP

#include "scripted_server.hpp"

#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/engine/tokenizer.hpp>
#include <slo/tokens/chat_template.hpp>

#include <sys/socket.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::test {

/// One request to a TokenizeServer.
struct TokenizeRequest {
    std::string method;
    std::string path;
    std::string head;
    std::string body;
};

/// Token 1 stands before what is asked for with special tokens; chats are rendered as ChatML.
class TokenizeServer {
public:
    /// sglang_marks: as newer versions, which put token 1 before every text.
    enum class Form { vllm, sglang, sglang_without_chats, sglang_marks, llama_cpp };

    /// What is answered in place of the form's answer: a whole HTTP response ("" closes the connection).
    using Intercept = std::function<std::optional<std::string>(const TokenizeRequest&)>;

    explicit TokenizeServer(Form form, Intercept intercept = {})
        : form_(form), intercept_(std::move(intercept)), server_([this](ScriptedPeer& peer) { serve(peer); })
    {
    }

    std::string url(const std::string& path = "") const { return server_.url(path); }
    void close_listener() { server_.close_listener(); }
    int accepted() const { return server_.accepted(); }

    /// Requests so far to one path, or all.
    std::vector<TokenizeRequest> received(std::string_view path = {}) const
    {
        const std::lock_guard lock(mutex_);
        std::vector<TokenizeRequest> some;
        std::copy_if(received_.begin(), received_.end(), std::back_inserter(some),
                     [&](const TokenizeRequest& one) { return path.empty() || one.path == path; });
        return some;
    }

    static std::string response(int status, const std::string& body, const std::string& headers = {})
    {
        return "HTTP/1.1 " + std::to_string(status) + " As Told\r\nContent-Type: application/json\r\n" +
               headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    }

private:
    void serve(ScriptedPeer& peer)
    {
        std::string buffer;
        while (const auto request = take_request(peer, buffer)) {
            {
                const std::lock_guard lock(mutex_);
                received_.push_back(*request);
            }
            auto told = intercept_ ? intercept_(*request) : std::nullopt;
            if (!told)
                told = answer(*request);
            if (told->empty() || !peer.send(*told))
                return;
        }
    }

    static std::optional<TokenizeRequest> take_request(const ScriptedPeer& peer, std::string& buffer)
    {
        for (;;) {
            const auto end = buffer.find("\r\n\r\n");
            if (end != std::string::npos) {
                const std::string field = "Content-Length: ";
                TokenizeRequest request;
                request.head = buffer.substr(0, end);
                const auto at = request.head.find(field);
                const auto length =
                    at == std::string::npos ? 0 : std::stoul(request.head.substr(at + field.size()));
                if (buffer.size() >= end + 4 + length) {
                    request.body = buffer.substr(end + 4, length);
                    buffer.erase(0, end + 4 + length);
                    const auto space = request.head.find(' ');
                    request.method = request.head.substr(0, space);
                    request.path =
                        request.head.substr(space + 1, request.head.find(' ', space + 1) - space - 1);
                    return request;
                }
            }
            char block[65536];
            if (!peer.readable())
                return std::nullopt;
            const auto got = ::recv(peer.fd(), block, sizeof block, 0);
            if (got <= 0)
                return std::nullopt;
            buffer.append(block, static_cast<std::size_t>(got));
        }
    }

    std::string answer(const TokenizeRequest& request) const
    {
        const bool llama = form_ == Form::llama_cpp;
        if (request.method == "GET" && request.path == "/v1/models") {
            const std::string owner = form_ == Form::vllm ? "vllm" : llama ? "llamacpp" : "sglang";
            return response(200, R"({"object":"list","data":[{"id":"m","object":"model","owned_by":")" +
                                     owner + "\"}]}");
        }
        const bool below_v1 = form_ == Form::sglang && request.path == "/v1/tokenize";
        const auto body = parse_json(request.body.empty() ? "{}" : request.body);
        if (llama && request.path == "/apply-template")
            return response(200, to_json(json::object{{"prompt", rendered(body.at("messages"))}}));
        if (request.method != "POST" || (request.path != "/tokenize" && !below_v1))
            return response(404, R"({"detail":"Not Found"})");
        const auto* model = body.as_object().if_contains("model");
        if (form_ == Form::vllm && model && *model != "m")
            return response(404,
                            R"({"error":{"message":"The model `x` does not exist.","type":"NotFoundError",)"
                            R"("param":"model","code":404}})");
        return llama ? of_llama(body.as_object()) : of_vllm_or_sglang(body.as_object());
    }

    static std::string of_llama(const json::object& body)
    {
        const auto* content = body.if_contains("content");
        const auto* special = body.if_contains("add_special");
        return response(200, to_json(json::object{{"tokens", content ? tokens(content->as_string(),
                                                                              special && special->as_bool())
                                                                     : json::array()}}));
    }

    std::string of_vllm_or_sglang(const json::object& body) const
    {
        if (const auto* messages = body.if_contains("messages")) {
            if (form_ == Form::sglang_without_chats)
                return response(400,
                                R"({"object":"error","message":"1 validation error: prompt: Field required",)"
                                R"("type":"BadRequest","param":null,"code":400})");
            return one(tokens(rendered(*messages), false));
        }
        const auto* prompt = body.if_contains("prompt");
        const auto* special = body.if_contains("add_special_tokens");
        const bool with_special = form_ == Form::sglang_marks || !special || special->as_bool();
        if (prompt && prompt->is_string())
            return one(tokens(prompt->as_string(), with_special));
        if (form_ == Form::vllm || !prompt)
            return response(
                400,
                R"({"error":{"message":"2 validation errors:\n  prompt: Input should be a valid string",)"
                R"("type":"Bad Request","param":null,"code":400}})");
        json::array counts;
        json::array lists;
        for (const auto& text : prompt->as_array()) {
            lists.push_back(tokens(text.as_string(), with_special));
            counts.push_back(lists.back().as_array().size());
        }
        return response(200,
                        to_json(json::object{{"tokens", lists}, {"count", counts}, {"max_model_len", 4096}}));
    }

    static std::string one(const json::array& tokens)
    {
        return response(200, to_json(json::object{{"count", tokens.size()},
                                                  {"max_model_len", 4096},
                                                  {"tokens", tokens},
                                                  {"token_strs", nullptr}}));
    }

    static json::string rendered(const json::value& messages)
    {
        return json::string(tokens::render(tokens::ChatTemplate::chatml, messages.as_array()));
    }

    static json::array tokens(const json::string& text, bool special)
    {
        json::array list;
        if (special)
            list.push_back(1);
        for (const auto token : engine::tokenize({text.data(), text.size()}))
            list.push_back(token);
        return list;
    }

    Form form_;
    Intercept intercept_;
    mutable std::mutex mutex_;
    std::vector<TokenizeRequest> received_;
    ScriptedServer server_; // last: its threads use the others
};

} // namespace slo::test

#endif
