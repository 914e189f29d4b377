// SPDX-License-Identifier: MIT
// Whether the client and the server saw the same run: what one counted against what the other did.

#ifndef SLO_PLAN_RECONCILE_HPP
#define SLO_PLAN_RECONCILE_HPP

#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/plan/client_totals.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo::plan {

/// What an engine counts as one request where a client asks for n answers.
enum class RequestsBasis {
    unknown,
    request,         ///< the request itself
    choice,          ///< each of its answers
    choice_plus_one, ///< each of its answers, and where n > 1 one more that computes the prompt for them
};

/// The name a basis has in records.
constexpr std::string_view name_of(RequestsBasis basis) noexcept
{
    constexpr std::array<std::string_view, 4> names{"unknown", "request", "choice", "choice_plus_one"};
    return names[static_cast<std::size_t>(basis)];
}

/// The basis of the engine of that name (vllm, sglang, trtllm, lmdeploy, llamacpp, tgi), as far as its source
/// says: vLLM makes n requests of one (ParentRequest), SGLang n and one that fills the prefix cache before
/// them (its tokenizer manager), TensorRT-LLM logs a request once when its response is finished.
constexpr RequestsBasis basis_of_engine(std::string_view engine) noexcept
{
    if (engine.starts_with("vllm") || engine == "lmdeploy")
        return RequestsBasis::choice;
    if (engine == "sglang")
        return RequestsBasis::choice_plus_one;
    if (engine == "trtllm" || engine == "tgi")
        return RequestsBasis::request;
    return RequestsBasis::unknown;
}

/// The basis that a lone request with n = 2 shows, by how far it moved the server's counter of requests;
/// unknown where the counter moved otherwise, as it does when others use the server too.
constexpr RequestsBasis basis_of_canary(double counted) noexcept
{
    return counted == 1   ? RequestsBasis::request
           : counted == 2 ? RequestsBasis::choice
           : counted == 3 ? RequestsBasis::choice_plus_one
                          : RequestsBasis::unknown;
}

/// What the server's counters grew by over the run; absent: it has no such counter.
struct ServerTotals {
    std::optional<double> requests;        ///< finished with an answer: aborted and failed ones do not count
    std::map<std::string, double> success; ///< the same by finish reason, where the server tells
    std::optional<double> prompt_tokens;   ///< cached ones included
    std::optional<double> generation_tokens;
    bool reset = false; ///< the server was started anew in between: its counters say nothing
};

/// How to compare.
struct ReconcileOptions {
    double tolerance = 0.05; ///< a server's figure within this share of the client's agrees with it
    RequestsBasis basis = RequestsBasis::unknown;
    std::string basis_from = "engine"; ///< or "canary", or "option"
};

/// Two figures of one thing.
struct Comparison {
    std::optional<double> client; ///< brought to the server's basis; the least that the server must have seen
    std::optional<double> client_most; ///< with the requests that were sent and had no success, the most
    std::optional<double> server;
    std::optional<bool> agrees;
    std::string reason; ///< why `agrees` is unknown or false
};

/// What the comparison came to.
struct Reconciliation {
    std::optional<bool> reconciled; ///< nothing: it cannot be known, and `reason` says why
    std::string reason;             ///< empty when reconciled
    ReconcileOptions options;
    double choices_per_request = 1;
    Comparison requests, prompt_tokens, generation_tokens;
    std::map<std::string, Comparison> finish_reasons;
};

namespace detail {

// The server may have finished requests whose end the client did not see, so that its figure may lie anywhere
// between the successes and all that was sent.
inline Comparison compare(std::string_view what, std::optional<double> client, double most_factor,
                          std::optional<double> server, double tolerance)
{
    Comparison result;
    result.client = client;
    result.server = server;
    if (client)
        result.client_most = *client * most_factor;
    if (!client || !server) {
        result.reason =
            std::string(what) + (client ? ": not counted by the server" : ": unknown to the client");
        return result;
    }
    result.agrees = *server >= *client * (1 - tolerance) && *server <= *result.client_most * (1 + tolerance);
    if (!*result.agrees)
        result.reason = std::string(what) + ": " + format_double(*client) + " by the client, " +
                        format_double(*server) + " by the server";
    return result;
}

inline double in_basis(RequestsBasis basis, double by_request, double by_choice, double warmed_up)
{
    return basis == RequestsBasis::request           ? by_request
           : basis == RequestsBasis::choice_plus_one ? by_choice + warmed_up
                                                     : by_choice;
}

} // namespace detail

/// Compares a client's totals with a server's. With n = 1 every basis is the same, so that an unknown one
/// matters only where n > 1. Finish reasons are compared where the server counts choices; they explain, but
/// the verdict is that of requests and tokens.
inline Reconciliation reconcile(const ClientTotals& client, const ServerTotals& server,
                                const ReconcileOptions& options)
{
    Reconciliation result;
    result.options = options;
    result.choices_per_request = client.choices_per_request();
    const auto null = [&](std::string reason) {
        result.reason = std::move(reason);
        return result;
    };
    if (client.records == 0)
        return null("no round or request record was given");
    if (!client.has_counts)
        return null("the round records do not count their requests");
    if (server.reset)
        return null("the server was restarted during the run");
    if (client.ok == 0)
        return null("no request of the client succeeded");

    const bool several = client.choices > client.ok;
    auto basis = options.basis;
    if (!several)
        basis = RequestsBasis::request;
    const bool known = basis != RequestsBasis::unknown;
    const auto most = std::max(client.sent, client.ok) / client.ok;
    const auto requests = detail::in_basis(basis, client.ok, client.choices, client.warmed_up);
    const auto prompts = detail::in_basis(basis, client.prompt_tokens, client.prompt_tokens_by_choice,
                                          client.prompt_tokens_warmed_up);
    const auto compare = [&](std::string_view what, bool counted, double figure,
                             std::optional<double> of_server) {
        return detail::compare(what, counted ? std::optional(figure) : std::nullopt, most, of_server,
                               options.tolerance);
    };
    result.requests = compare("requests", known, requests, server.requests);
    result.prompt_tokens =
        compare("prompt tokens", known && client.knows_prompt_tokens, prompts, server.prompt_tokens);
    result.generation_tokens = compare("generation tokens", client.knows_generation_tokens,
                                       client.generation_tokens, server.generation_tokens);
    if (!several || basis == RequestsBasis::choice)
        for (const auto& [reason, count] : server.success)
            if (const auto found = client.finish_reasons.find(reason); found != client.finish_reasons.end())
                result.finish_reasons[reason] = compare(reason, true, found->second, count);
    if (!known)
        for (auto* comparison : {&result.requests, &result.prompt_tokens})
            comparison->reason = "what this engine counts for n > 1 is not known; a canary tells";

    std::string missing;
    for (const auto* comparison : {&result.requests, &result.prompt_tokens, &result.generation_tokens}) {
        auto& reasons = comparison->agrees ? result.reason : missing;
        if (!comparison->reason.empty() && reasons.find(comparison->reason) == std::string::npos)
            reasons += (reasons.empty() ? "" : "; ") + comparison->reason;
        if (comparison->agrees)
            result.reconciled = result.reconciled.value_or(true) && *comparison->agrees;
    }
    if (!result.reconciled)
        result.reason = missing;
    return result;
}

/// The object `reconciliation` of a record.
inline json::object to_record(const Reconciliation& result)
{
    const auto object = [&](const Comparison& comparison) {
        json::object record{{"client", or_null(comparison.client)}, {"server", or_null(comparison.server)}};
        if (comparison.client_most != comparison.client)
            record["client_most"] = or_null(comparison.client_most);
        record["ratio"] = comparison.client && *comparison.client > 0 && comparison.server
                              ? json::value(*comparison.server / *comparison.client)
                              : json::value(nullptr);
        record["agrees"] = or_null(comparison.agrees);
        if (!comparison.reason.empty())
            record["reason"] = comparison.reason;
        return record;
    };
    json::object reasons;
    for (const auto& [reason, comparison] : result.finish_reasons)
        reasons[reason] = object(comparison);
    return {{"reconciled", or_null(result.reconciled)},
            {"reason", text_or_null(result.reason)},
            {"tolerance", result.options.tolerance},
            {"choices_per_request", result.choices_per_request},
            {"requests_basis", json_text(name_of(result.options.basis))},
            {"requests_basis_from", text_or_null(result.options.basis_from)},
            {"requests", object(result.requests)},
            {"prompt_tokens", object(result.prompt_tokens)},
            {"generation_tokens", object(result.generation_tokens)},
            {"finish_reasons", std::move(reasons)}};
}

} // namespace slo::plan

#endif
