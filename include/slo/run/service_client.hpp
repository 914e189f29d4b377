// SPDX-License-Identifier: MIT
// Asks a service whether it is ready: its list of models, and one real answer.

#ifndef SLO_RUN_SERVICE_CLIENT_HPP
#define SLO_RUN_SERVICE_CLIENT_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/shown_url.hpp>
#include <slo/net/api_key.hpp>
#include <slo/net/event_loop.hpp>
#include <slo/net/fetch.hpp>
#include <slo/net/http.hpp>
#include <slo/net/tls_files.hpp>
#include <slo/net/transport.hpp>
#include <slo/net/url_parts.hpp>
#include <slo/wire/api_error.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::run {

/// How the API of a service is reached.
struct ServiceClientOptions {
    std::string api_base; ///< empty: the one in the state file
    std::string model;    ///< empty: the first that the service names
    std::string api_key_file;
    std::string ca_file;
    bool insecure = false;

    /// Adds the options to a table of the cli layer, which this layer does not know.
    template <class Table>
    void describe(Table& table)
    {
        table.section("API");
        table.add("api-base", api_base, "URL", "where it answers (what the state file says)");
        table.add("api-key-file", api_key_file, "FILE", "bearer key in its first line; else OPENAI_API_KEY");
        table.add("cacert", ca_file, "FILE", "PEM certificates to trust instead of the system's");
        table.flag("insecure", insecure, "do not check the server's certificate");
    }
};

/// What came of one request.
struct ServiceAnswer {
    bool ok = false;
    int http = 0;     ///< HTTP status, 0 when none came
    std::string text; ///< what went wrong, for people; empty when ok
    std::string body;
};

/// Sends single requests, each on a connection of its own.
class ServiceClient {
public:
    /// `api_base` is that of the state file. Throws UsageError where there is no API base at all, and what
    /// find_api_key() and check_tls_files() throw.
    ServiceClient(const ServiceClientOptions& options, const std::string& api_base)
        : api_base_(options.api_base.empty() ? api_base : options.api_base), model_(options.model)
    {
        if (api_base_.empty())
            throw UsageError("--api-base is missing, and the state file names none");
        try {
            net::parse_url(api_base_);
        } catch (const Error& error) {
            throw UsageError("--api-base", error.what());
        }
        while (api_base_.ends_with('/'))
            api_base_.pop_back();
        tls_ = {options.ca_file, {}, {}, options.insecure};
        net::check_tls_files(tls_);
        headers_ = {"Authorization: Bearer " + net::find_api_key({}, options.api_key_file),
                    "Content-Type: application/json"};
    }

    /// Fit for files and messages.
    std::string shown() const { return shown_url(api_base_); }

    /// The model given, else the one that the service named last; may be empty.
    const std::string& model() const noexcept { return model_; }

    /// Asks for /models, or for /health where there is no such list. `stopped`, asked ten times a second,
    /// ends it early. Throws Error where that cannot get better with time: the service wants another key, or
    /// has its API at /v1, which the API base lacks.
    ServiceAnswer ask_models(double timeout_s, const std::function<bool()>& stopped)
    {
        auto answer = exchange(api_base_ + "/models", {}, timeout_s, stopped);
        if (answer.http == 404 && api_base_.ends_with("/v1"))
            return exchange(api_base_.substr(0, api_base_.size() - 3) + "/health", {}, timeout_s, stopped);
        if (answer.http == 404 && !stopped() && exchange(api_base_ + "/v1/models", {}, timeout_s, stopped).ok)
            throw Error(shown(), "has no /models, and " + shown() + "/v1 has: an API base ends in /v1 there");
        if (answer.ok && model_.empty())
            model_ = first_model(answer.body);
        return answer;
    }

    /// Asks for one token, as a chat and, where the service does not chat, as a completion. The rest as
    /// above.
    ServiceAnswer ask_token(double timeout_s, const std::function<bool()>& stopped) const
    {
        const auto end_ns = monotonic_ns() + to_ns(timeout_s);
        json::object request{{"model", json_text(model_)}, {"max_tokens", 1}, {"stream", false}};
        request["messages"] = {{{"role", "user"}, {"content", "Hello"}}};
        auto answer = exchange(api_base_ + "/chat/completions", to_json(request), timeout_s, stopped);
        const bool no_chat =
            answer.http == 400 || answer.http == 404 || answer.http == 405 || answer.http == 422;
        if (no_chat) {
            request.erase("messages");
            request["prompt"] = "Hello";
            const auto left_s = std::max(0.001, to_seconds(end_ns - monotonic_ns()));
            const auto second = exchange(api_base_ + "/completions", to_json(request), left_s, stopped);
            if (second.ok)
                return checked(second);
        }
        return checked(answer);
    }

private:
    static constexpr double connect_timeout_s = 10;
    static constexpr std::int64_t look_ns = 100'000'000;

    ServiceAnswer exchange(const std::string& url, const std::string& body, double timeout_s,
                           const std::function<bool()>& stopped) const
    {
        ServiceAnswer answer;
        net::HttpReply reply;
        try {
            net::EventLoop loop;
            net::Timer* self = nullptr;
            net::Timer look(loop, [&] { self->set(monotonic_ns() + look_ns); });
            self = &look;
            look.set(monotonic_ns() + look_ns);
            net::TransportOptions how;
            how.limits.connect_timeout_s = std::min(connect_timeout_s, timeout_s);
            how.limits.request_timeout_s = timeout_s;
            how.tls = tls_;
            const auto transport = net::make_transport(net::TransportKind::automatic, url, how, loop);
            reply = net::fetch(loop, *transport,
                               {url, {headers_.begin(), headers_.end()}, body, !body.empty()}, stopped);
        } catch (const UsageError&) {
            throw;
        } catch (const Error& error) {
            answer.text = error.what(); // a name that does not resolve yet
            return answer;
        }
        answer.http = reply.result.status;
        answer.body = std::move(reply.body);
        if (reply.result.ending == net::Ending::cancelled)
            answer.text = "given up";
        else if (reply.result.ending != net::Ending::complete)
            answer.text = reply.result.message;
        else if (answer.http < 200 || answer.http > 299)
            answer.text = wire::http_error_text(answer.http, answer.body);
        else
            answer.ok = true;
        if (answer.http == 401 || answer.http == 403)
            throw Error(shown(), answer.text + " (--api-key-file, OPENAI_API_KEY)");
        return answer;
    }

    // A status of 200 alone is no proof: some servers put their errors into the body.
    static ServiceAnswer checked(ServiceAnswer answer)
    {
        if (!answer.ok)
            return answer;
        try {
            const auto value = parse_json(answer.body);
            const auto* object = value.if_object();
            if (const auto error = object ? wire::error_in(*object) : std::nullopt)
                answer.text = *error;
            else if (const auto* choices = object ? array_at(*object, "choices") : nullptr;
                     !choices || choices->empty())
                answer.text = "an answer without choices";
        } catch (const JsonError& error) {
            answer.text = std::string("an answer that is ") + error.what();
        }
        answer.ok = answer.text.empty();
        return answer;
    }

    static std::string first_model(const std::string& body)
    {
        try {
            const auto value = parse_json(body);
            const auto* object = value.if_object();
            const auto* list = object ? array_at(*object, "data") : nullptr;
            if (list && !list->empty() && list->front().is_object())
                return std::string(string_at(list->front().get_object(), "id").value_or(""));
        } catch (const JsonError&) {
        }
        return {};
    }

    std::string api_base_;
    std::string model_;
    net::TlsOptions tls_;
    std::vector<std::string> headers_;
};

} // namespace slo::run

#endif
