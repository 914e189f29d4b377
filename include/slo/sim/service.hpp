// SPDX-License-Identifier: MIT
// The endpoints of the simulated engine.

#ifndef SLO_SIM_SERVICE_HPP
#define SLO_SIM_SERVICE_HPP

#include <slo/base/clock.hpp>
#include <slo/base/json.hpp>
#include <slo/engine/profile.hpp>
#include <slo/engine/tokenizer.hpp>
#include <slo/sim/api_error.hpp>
#include <slo/sim/completion.hpp>
#include <slo/sim/completion_request.hpp>
#include <slo/sim/connection.hpp>
#include <slo/sim/faults.hpp>
#include <slo/sim/http_text.hpp>
#include <slo/sim/metrics_endpoint.hpp>
#include <slo/sim/pacer.hpp>
#include <slo/sim/tokenize_endpoint.hpp>

#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace slo::sim {

/// What the simulated service is.
struct ServiceOptions {
    engine::Profile profile;
    double ready_after_s = 0; ///< until then health and the API answer 503
    std::uint64_t seed = 1;
    FaultRates faults;
    std::vector<std::string> api_keys; ///< none: no key is asked for
    MetricsOptions metrics{};
};

/// Answers requests: the OpenAI endpoints under /v1, /health and /tokenize as vLLM has them, the latter with
/// SGLang's lists too, and /metrics as one of several engines does.
class Service : public Connection::Handler, public TokenListener {
public:
    /// Throws UsageError for options that make no sense.
    Service(boost::asio::io_context& context, ServiceOptions options)
        : options_(std::move(options)),
          pacer_(context, options_.profile, *this, *options_.metrics.checked().bounds),
          metrics_(context, options_.metrics, options_.profile.model, pacer_),
          faults_(options_.faults, options_.seed), created_(static_cast<std::int64_t>(wall_clock_s()))
    {
    }

    void on_request(const std::shared_ptr<Connection>& connection,
                    const Connection::Request& request) override
    {
        try {
            route(connection, request);
        } catch (const ApiError& error) {
            fail(*connection, error);
        } catch (const std::exception& error) {
            // One request must not end the service of all others.
            on_gone(*connection);
            fail(*connection, ApiError(500, "internal error: " + printable(error.what())));
        }
    }

    void on_bad_request(Connection& connection, int status, std::string_view reason) override
    {
        fail(connection, ApiError(status, reason));
    }

    void on_gone(Connection& connection) override
    {
        const auto found = completions_.find(connection.waits_for);
        if (found != completions_.end())
            drop(found);
    }

    bool on_token(const engine::TokenEvent& event) override
    {
        const auto found = completions_.find(event.tag / detail::most_choices);
        if (found == completions_.end())
            return false;
        if (found->second->touch())
            touched_.push_back(found->first);
        return found->second->push(event.tag % detail::most_choices, event);
    }

    void on_step_end() override
    {
        for (const auto key : touched_) {
            const auto found = completions_.find(key);
            if (found == completions_.end())
                continue;
            found->second->untouch();
            if (found->second->flush())
                drop(found);
        }
        touched_.clear();
    }

protected:
    using Request = Connection::Request;
    using Verb = boost::beast::http::verb;

    /// Answers one request; whatever it throws becomes the answer.
    virtual void route(const std::shared_ptr<Connection>& connection, const Request& request)
    {
        const auto path = path_of_target({request.target().data(), request.target().size()});
        if (path.starts_with("/v1/")) {
            check_key(request);
            check_ready();
        }
        if (path == "/v1/chat/completions" && allow(request, Verb::post))
            complete(connection, request, Api::chat);
        else if (path == "/v1/completions" && allow(request, Verb::post))
            complete(connection, request, Api::text);
        else if (path == "/v1/models" && allow(request, Verb::get))
            send(*connection, {{"object", "list"}, {"data", json::array{model_object()}}});
        else if (path == "/v1/models/" + options_.profile.model && allow(request, Verb::get))
            send(*connection, model_object());
        else if (path == "/health" && allow(request, Verb::get))
            health(*connection);
        else if (metrics_.is_at(path) && allow(request, Verb::get))
            metrics_.answer(connection);
        else if (path == "/tokenize" && allow(request, Verb::post))
            send(*connection, tokenize_answer(request.body(), options_.profile.limits.max_model_len));
        else
            throw ApiError(404, "no such endpoint: " + printable(path, 100));
    }

private:
    using Completions = std::unordered_map<std::uint64_t, std::unique_ptr<Completion>>;

    static bool allow(const Request& request, Verb verb)
    {
        if (request.method() == verb || (verb == Verb::get && request.method() == Verb::head))
            return true;
        throw ApiError(405, verb == Verb::post ? "only POST is allowed here" : "only GET is allowed here");
    }

    void check_key(const Request& request) const
    {
        if (options_.api_keys.empty())
            return;
        const auto field = request[boost::beast::http::field::authorization];
        for (const auto& key : options_.api_keys)
            if (std::string_view(field.data(), field.size()) == "Bearer " + key)
                return;
        throw ApiError(401, "the API key is missing or wrong", {}, "invalid_api_key");
    }

    void check_ready() const
    {
        if (pacer_.now_s() < options_.ready_after_s)
            throw ApiError(503, "the model is being loaded");
    }

    void health(Connection& connection) const
    {
        check_ready();
        connection.respond(200, {}, {});
    }

    void complete(const std::shared_ptr<Connection>& connection, const Request& http, Api api)
    {
        auto request = read_completion_request(http.body(), api);
        if (!request.model.empty() && request.model != options_.profile.model)
            throw ApiError(404,
                           "there is no model '" + printable(request.model, 100) + "', only '" +
                               options_.profile.model + "'",
                           "model", "model_not_found");
        for (const auto& prompt : request.prompts)
            room_for_answer(*prompt, request.limits, options_.profile.limits.max_model_len);
        if (const auto most = options_.profile.fail_above_running;
            most && static_cast<std::int64_t>(completions_.size()) >= *most)
            throw ApiError(503, std::string(engine::refusal_message));
        const auto fault = faults_.draw();
        if (fault == Fault::fail)
            throw ApiError(faults_.fail_status(), "a fault, as asked for by --fail-rate");
        const auto key = ++last_key_;
        connection->waits_for = key;
        if (fault == Fault::stall)
            return;
        begin(connection, std::move(request), key, fault);
    }

    void begin(const std::shared_ptr<Connection>& connection, CompletionRequest request, std::uint64_t key,
               Fault fault)
    {
        const auto seed = engine::mix64(request.seed ? static_cast<std::uint64_t>(*request.seed)
                                                     : options_.seed + (key << 20));
        char id[17];
        std::snprintf(id, sizeof id, "%016llx",
                      static_cast<unsigned long long>(engine::mix64(options_.seed ^ (key << 32))));
        const auto prompts = request.prompts;
        const auto limits = request.limits;
        const auto n = request.n;
        AnswerWriter writer(request.api, id, static_cast<std::int64_t>(wall_clock_s()),
                            options_.profile.model);
        auto completion = std::make_unique<Completion>(connection, std::move(request), std::move(writer));
        if (fault == Fault::empty) {
            completion->finish_empty();
            completion->flush();
            return;
        }
        const auto arrival_s = pacer_.now_s();
        std::int64_t planned = 0;
        for (std::size_t i = 0; i < prompts.size() * n; ++i) {
            const auto& prompt = prompts[i / n];
            const auto room = room_for_answer(*prompt, limits, options_.profile.limits.max_model_len);
            const auto output = engine::plan_output(options_.profile.output, limits, room, seed + i);
            planned += output.tokens;
            completion->add_sequence(
                pacer_.add({prompt, output, seed + i, key * detail::most_choices + i}, arrival_s));
        }
        if (fault == Fault::truncate)
            completion->cut_after(planned / 2);
        completions_.emplace(key, std::move(completion));
        pacer_.run();
    }

    void drop(Completions::iterator found)
    {
        const auto completion = std::move(found->second);
        completions_.erase(found);
        auto end = completion->end();
        if (!options_.profile.limits.prefix_caching)
            end.reusable_tokens = 0;
        pacer_.count_request(end);
        for (const auto id : completion->sequences())
            pacer_.abort(id);
    }

    json::object model_object() const
    {
        return {{"id", options_.profile.model},  {"object", "model"},
                {"created", created_},           {"owned_by", "engine-sim"},
                {"root", options_.profile.name}, {"max_model_len", options_.profile.limits.max_model_len}};
    }

    static void send(Connection& connection, const json::object& body)
    {
        connection.respond(200, "application/json", to_json(body));
    }

    static void fail(Connection& connection, const ApiError& error)
    {
        std::string headers;
        if (error.status() == 405)
            headers = std::string("Allow: ") +
                      (std::string_view(error.what()).starts_with("only POST") ? "POST" : "GET, HEAD") +
                      "\r\n";
        if (error.status() == 429 || error.status() == 503)
            headers = "Retry-After: 1\r\n";
        if (error.status() == 401)
            headers = "WWW-Authenticate: Bearer\r\n";
        connection.respond(error.status(), "application/json", error.body(), headers);
    }

    ServiceOptions options_;
    Pacer pacer_;
    MetricsEndpoint metrics_;
    FaultInjector faults_;
    std::int64_t created_;
    std::uint64_t last_key_ = 0;
    Completions completions_;
    std::vector<std::uint64_t> touched_;
};

} // namespace slo::sim

#endif
