// SPDX-License-Identifier: MIT
// Whether client and server counted the same run: the block `reconciliation` of an artifact.

#ifndef SLO_ARTIFACT_RECONCILIATION_HPP
#define SLO_ARTIFACT_RECONCILIATION_HPP

#include <slo/base/json.hpp>
#include <slo/plan/client_totals.hpp>
#include <slo/plan/reconcile.hpp>
#include <slo/plan/reconcile_diff.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo::artifact {

/// How far apart, in percent of the client's, the two counts of successes may be; the limit is within.
inline constexpr double reconcile_limit_pct = 5;

/// Two counts of the requests that succeeded.
struct SuccessCounts {
    std::optional<double> client;
    std::optional<double> server;

    /// |server - client| / client in percent; nothing where one is unknown or the client has none.
    std::optional<double> difference_pct() const
    {
        if (!client || !server || !(*client > 0))
            return std::nullopt;
        return std::abs(*server - *client) / *client * 100;
    }

    /// Whether they agree; nothing where that cannot be known. In products, so that 5 % of a count is exact.
    std::optional<bool> reconciled() const
    {
        if (!difference_pct())
            return std::nullopt;
        return std::abs(*server - *client) * 100 <= reconcile_limit_pct * *client;
    }
};

/// Whether the server may have counted no more than a warm-up of up to `unlisted` requests, and the one by
/// which clients see that it is there, besides what the client did.
inline bool may_be_warm_up(const SuccessCounts& counts, double unlisted)
{
    return unlisted > 0 && counts.client && counts.server && *counts.server > *counts.client &&
           *counts.server * 100 <= (100 + reconcile_limit_pct) * (*counts.client + unlisted + 1);
}

/// What a server's counters say in a diff record: successes over all series and finish reasons.
struct ServerCounts : plan::ServerTotals {
    std::optional<double> failed; ///< ended without an answer: aborted, cancelled, failed
};

/// The counts in a diff record (sloutils.diff/1).
inline ServerCounts server_counts(const json::object& diff)
{
    ServerCounts counts;
    const auto* reset = find(diff, "reset_detected");
    counts.reset = reset && reset->is_bool() && reset->get_bool();
    const auto* counters = object_at(diff, "counters");
    if (!counters)
        return counts;
    counts.prompt_tokens = number_at(*counters, "prompt_tokens");
    counts.generation_tokens = number_at(*counters, "generation_tokens");
    const auto* success = object_at(*counters, "success");
    if (!success)
        return counts;
    for (const auto& member : *success) {
        const std::string reason(member.key());
        const auto count = as_number(&member.value());
        if (!count)
            continue;
        if (plan::is_success(reason)) {
            counts.requests = counts.requests.value_or(0) + *count;
            counts.success[reason] += *count;
        } else {
            counts.failed = counts.failed.value_or(0) + *count;
        }
    }
    return counts;
}

namespace detail {

inline json::value percent_2(const std::optional<double>& percent)
{
    return percent ? json::value(std::round(*percent * 100) / 100) : json::value(nullptr);
}

inline json::object sides(const plan::Comparison& comparison)
{
    return {{"client", or_null(comparison.client)},
            {"server", or_null(comparison.server)},
            {"agrees", or_null(comparison.agrees)}};
}

} // namespace detail

/// The block of an artifact. `client` counts all requests of the run, those of a warm-up too, because the
/// server's counters have them; nullptr: there is no client side. `client_failed` are those without a
/// success. Where the server counts answers and not requests, client_ok is brought to that. `reconciled` is
/// null, with the reason, where it cannot be known; so it is where the server has more by no more than the
/// `unlisted` requests of a warm-up that the client's file does not tell of.
inline json::object reconciliation_block(const plan::ClientTotals* client, std::int64_t client_failed,
                                         const json::object* diff, std::int64_t unlisted = 0)
{
    const auto server = diff ? server_counts(*diff) : ServerCounts{};
    std::string reason;
    SuccessCounts counts;
    json::object block{
        {"client_ok", nullptr}, {"client_err", nullptr}, {"prom_success", nullptr}, {"prom_error", nullptr}};
    if (client && client->has_counts) {
        counts.client = client->ok;
        block["client_ok"] = static_cast<std::int64_t>(client->ok);
        block["client_err"] = client_failed;
    } else {
        reason = client ? "the round records do not count their requests" : "no client side was given";
    }
    if (diff && server.reset) {
        reason = "the server was restarted during the run";
    } else {
        counts.server = server.requests;
        block["prom_success"] = or_null(server.requests);
        block["prom_error"] = or_null(server.failed);
        if (reason.empty() && !server.requests)
            reason = diff ? "the server does not count its successes" : "no server side was given";
    }
    if (client && diff) {
        plan::ReconcileOptions options;
        options.basis = plan::basis_of_engine(string_at(*diff, "engine").value_or(""));
        const auto all = plan::reconcile(*client, server, options);
        if (client->choices > client->ok) { // several answers a request: who counts what?
            counts.client = all.requests.client;
            block["client_ok_in_server_basis"] = or_null(all.requests.client);
            block["requests_basis"] = json_text(plan::name_of(options.basis));
            if (reason.empty() && !counts.client)
                reason = all.requests.reason;
        }
        block["prompt_tokens"] = detail::sides(all.prompt_tokens);
        block["generation_tokens"] = detail::sides(all.generation_tokens);
    }
    if (reason.empty() && counts.client == 0.0)
        reason = "no request of the client succeeded";
    block["limit_pct"] = reconcile_limit_pct;
    if (const auto difference = counts.difference_pct())
        block["success_diff_pct"] = detail::percent_2(difference);
    auto reconciled = counts.reconciled();
    if (reconciled == false && may_be_warm_up(counts, static_cast<double>(unlisted))) {
        reconciled.reset();
        block["warm_up_not_listed"] = unlisted;
        reason = "the client's file does not tell of its warm-up, by the card of " +
                 std::to_string(unlisted) + " requests, which the server counts";
    }
    block["reconciled"] = or_null(reconciled);
    block["reason"] = text_or_null(reconciled ? "" : reason);
    return block;
}

} // namespace slo::artifact

#endif
