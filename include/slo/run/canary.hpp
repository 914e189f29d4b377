// SPDX-License-Identifier: MIT
// One request with n = 2, and how far it moves a server's counters: what an engine counts as a request.

#ifndef SLO_RUN_CANARY_HPP
#define SLO_RUN_CANARY_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/shown_url.hpp>
#include <slo/net/curl_transport.hpp>
#include <slo/net/event_loop.hpp>
#include <slo/net/fetch.hpp>
#include <slo/net/scrape.hpp>
#include <slo/plan/metrics_diff.hpp>
#include <slo/plan/reconcile_diff.hpp>
#include <slo/plan/request_body.hpp>
#include <slo/record/snapshot.hpp>
#include <slo/run/snapshot.hpp>
#include <slo/wire/api_error.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace slo::run {

/// Where the canary goes.
struct CanaryOptions {
    std::string api_base;    ///< "http://127.0.0.1:8000/v1"
    std::string metrics_url; ///< empty: beside the API base
    std::string model;       ///< empty: the first that the server names
    std::string api_key;     ///< visible ASCII
    double timeout_s = 60;   ///< of each request
};

/// What came of it.
struct Canary {
    plan::RequestsBasis basis = plan::RequestsBasis::unknown;
    std::optional<double> counted; ///< requests, as the server counted them
    std::string counter;           ///< what tells: "requests", or "prompt_tokens" where none counts requests
    std::string reason;            ///< why the basis is unknown
};

/// The metrics page of the server behind an API base: that base without "/v1", with "/metrics".
inline std::string metrics_url_of(std::string_view api_base)
{
    while (api_base.ends_with('/'))
        api_base.remove_suffix(1);
    if (api_base.ends_with("/v1"))
        api_base.remove_suffix(3);
    return std::string(api_base) + "/metrics";
}

namespace detail {

class CanaryFlight {
public:
    CanaryFlight(const CanaryOptions& options, int stop_fd)
        : options_(options), transport_(loop_, {{options.timeout_s, options.timeout_s, 1 << 20}}),
          scraper_(scrape_options(options)),
          stop_fd_(stop_fd), metrics_{target_of_url(options.metrics_url.empty()
                                                        ? metrics_url_of(options.api_base)
                                                        : options.metrics_url)}
    {
    }

    Canary fly()
    {
        const auto before = scrape();
        const auto prompt_tokens = send();
        constexpr int most_looks = 25;
        constexpr double pause_s = 0.2;
        Canary canary;
        // Engines bring their counters up to date a moment after the answer, and not all at once: a figure
        // counts when it was seen twice.
        for (int look = 0; look < most_looks; ++look) {
            const auto totals = plan::server_totals_of(plan::diff_snapshots(before, scrape()));
            auto seen = totals.requests;
            canary.counter = "requests";
            if (!seen && totals.prompt_tokens && prompt_tokens > 0) {
                seen = *totals.prompt_tokens / prompt_tokens;
                canary.counter = "prompt_tokens";
            }
            if (!seen)
                return {
                    plan::RequestsBasis::unknown, {}, {}, "the server counts neither requests nor tokens"};
            if (canary.counted == seen && *seen > 0)
                break;
            canary.counted = seen;
            if (wait_or_stop(pause_s, stop_fd_))
                return {plan::RequestsBasis::unknown, {}, {}, "interrupted"};
        }
        canary.basis = plan::basis_of_canary(*canary.counted);
        if (canary.basis == plan::RequestsBasis::unknown)
            canary.reason = *canary.counted == 0 ? "the server's counters did not move"
                                                 : "the server counted " + format_double(*canary.counted) +
                                                       " requests: others use it too";
        return canary;
    }

private:
    static net::ScrapeOptions scrape_options(const CanaryOptions& options)
    {
        net::ScrapeOptions scrape;
        scrape.timeout_s = options.timeout_s;
        scrape.bearer_key = options.api_key;
        return scrape;
    }

    record::Snapshot scrape()
    {
        auto page = scrape_all(scraper_, {metrics_}, {}, stop_fd_).front();
        if (!page.error.empty())
            throw Error(source_of(metrics_), page.error);
        auto snapshot = record::parse_snapshot(page.body, source_of(metrics_));
        snapshot.taken_s = page.time_s;
        return snapshot;
    }

    json::object ask(const std::string& url, const std::string& body)
    {
        const std::string key = "Authorization: Bearer " + options_.api_key;
        const std::string type = "Content-Type: application/json";
        const auto reply =
            net::fetch(loop_, transport_, {url, {key, type}, body, !body.empty()}, [] { return false; });
        const auto where = without_credentials(url);
        if (reply.result.ending != net::Ending::complete)
            throw Error(where, reply.result.message);
        if (reply.result.status < 200 || reply.result.status > 299)
            throw Error(where, wire::http_error_text(reply.result.status, reply.body));
        try {
            auto value = parse_json(reply.body);
            if (value.is_object())
                return std::move(value.get_object());
        } catch (const JsonError&) {
        }
        throw Error(where, "the answer is no JSON object");
    }

    std::string model()
    {
        if (!options_.model.empty())
            return options_.model;
        auto base = options_.api_base;
        while (base.ends_with('/'))
            base.pop_back();
        const auto answer = ask(base + "/models", {});
        const auto* list = array_at(answer, "data");
        const auto* first = list && !list->empty() ? list->front().if_object() : nullptr;
        if (const auto id = first ? string_at(*first, "id") : std::nullopt)
            return std::string(*id);
        throw Error(without_credentials(options_.api_base), "names no model");
    }

    // Returns the prompt tokens that the server says it took, 0 where it does not say.
    double send()
    {
        const json::object body{
            {"model", model()},
            {"messages", json::array{json::object{{"role", "user"}, {"content", "Name two rivers."}}}},
            {"n", 2},
            {"max_tokens", 8},
            {"stream", false}};
        const auto url = plan::endpoint_url(options_.api_base, plan::Endpoint::chat);
        const auto answer = ask(url, to_json(body));
        const auto* choices = array_at(answer, "choices");
        if (!choices || choices->size() != 2)
            throw Error(without_credentials(url), "does not give two answers to a request with n = 2");
        const auto* usage = object_at(answer, "usage");
        return usage ? number_at(*usage, "prompt_tokens").value_or(0) : 0;
    }

    const CanaryOptions& options_;
    net::EventLoop loop_;
    net::CurlTransport transport_;
    net::Scraper scraper_;
    int stop_fd_;
    SnapshotTarget metrics_;
};

} // namespace detail

/// Sends one request with n = 2 to a server that nobody else uses, and says what the server counted it as.
/// Ends early once `stop_fd` (-1: none) is readable. Throws UsageError for a bad URL, and Error where the
/// server or its metrics cannot be reached or refuse.
inline Canary send_canary(const CanaryOptions& options, int stop_fd = -1)
{
    return detail::CanaryFlight(options, stop_fd).fly();
}

/// The object `canary` of a record.
inline json::object to_record(const Canary& canary)
{
    return {{"n", 2},
            {"requests_counted", or_null(canary.counted)},
            {"counter", text_or_null(canary.counter)},
            {"requests_basis", json_text(plan::name_of(canary.basis))},
            {"reason", text_or_null(canary.reason)}};
}

} // namespace slo::run

#endif
