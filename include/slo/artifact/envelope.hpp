// SPDX-License-Identifier: MIT
// The v1 envelope, put together part by part; where each figure comes from is kept beside it.

#ifndef SLO_ARTIFACT_ENVELOPE_HPP
#define SLO_ARTIFACT_ENVELOPE_HPP

#include <slo/artifact/artifact.hpp>
#include <slo/artifact/blocks.hpp>
#include <slo/artifact/client_side.hpp>
#include <slo/artifact/envelope_deployment.hpp>
#include <slo/artifact/foreign_result.hpp>
#include <slo/artifact/reconciliation.hpp>
#include <slo/artifact/schema_v1.hpp>
#include <slo/artifact/server_side.hpp>
#include <slo/artifact/slo_rows.hpp>
#include <slo/base/clock.hpp>
#include <slo/base/digest.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/base/version.hpp>
#include <slo/card/card.hpp>
#include <slo/card/sidecar.hpp>
#include <slo/plan/client_totals.hpp>
#include <slo/stats/sketch.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::artifact {

/// A UUID (RFC 9562) of version 4 or 8 made of at least 32 hexadecimal digits.
inline std::string uuid_of(std::string_view digits, char version)
{
    std::string id(digits.substr(0, 32));
    id[12] = version;
    id[16] = "89ab"[static_cast<unsigned char>(id[16]) & 3U];
    for (const auto at : {8U, 13U, 18U, 23U})
        id.insert(at, 1, '-');
    return id;
}

/// Collects the parts of one artifact. Each part that is not given leaves its fields null, or out where the
/// schema does not ask for them.
class Envelope {
public:
    Envelope()
    {
        root_ = {
            {"schema", json_text(envelope_schema)},
            {"schema_version", json_text(envelope_version)},
            {"artifact_id", ""},
            {"created_at", ""},
            {"source_tool",
             json::object{{"name", "custom"}, {"version", slo::version}, {"enrichment_version", "1.0.0"}}}};
        ours_ = {{"tool", "envelope-build"}, {"version", slo::version}};
    }

    /// What ran, and on what: see deployment_blocks().
    void add_deployment(const card::Sidecar& sidecar)
    {
        for (auto& section : deployment_blocks(sidecar)) {
            set_origin({section.key().data(), section.key().size()}, "sidecar");
            root_[section.key()] = std::move(section.value());
        }
    }

    /// What was asked of it: see workload_block(). `point` is the load that was measured, `api` that of the
    /// run.
    void add_workload(const card::Card& card, const json::object& point, const json::object* api)
    {
        std::vector<std::string> doubts;
        root_["workload"] = workload_block(card, point, api, doubts);
        notes(doubts);
        for (const auto* key : {"use_case", "catalog_id", "modality", "dataset", "load"})
            set_origin("workload." + std::string(key), "card");
        if (api || object_at(card.root, "api"))
            set_origin("workload.api", api ? "client" : "card");
        for (const auto& member : point)
            set_origin("workload.load." + std::string(member.key()), "client");
    }

    /// The client's side, of replay's records.
    void add_client(const ClientSide& client)
    {
        metrics_ = metrics_block(client.counts, client.latencies);
        note_metrics("client");
        auto side = client.latencies;
        side["latency_basis"] = json_text(record::name_of(client.basis));
        side["exact"] = client.exact;
        if (!client.exact)
            side["relative_error"] = stats::QuantileSketch::relative_error;
        ours_["client"] = std::move(side);
        ours_["window"] = {{"from_s", or_null(client.from_s)}, {"to_s", or_null(client.to_s)}};
        ours_["errors"] = client.errors;
        ours_["finish_reasons"] = client.finish_reasons;
        if (!client.distribution.empty()) {
            extensions_["distribution"] = client.distribution;
            for (const auto& member : client.distribution)
                if (!member.value().is_null())
                    set_origin("extensions.distribution." + std::string(member.key()), "client");
        }
        cold_vs_warm_ = client.cold_vs_warm_ttft_ratio;
        notes(client.notes);
    }

    /// The client's side, of another client's result file.
    void add_foreign(const ForeignResult& result)
    {
        metrics_ = result.metrics;
        auto& tool = root_["source_tool"].get_object();
        tool["name"] = result.source_tool;
        tool["version"] = result.tool_version.empty() ? "unknown" : result.tool_version;
        for (const auto& member : result.origin)
            origin_[member.key()] = member.value();
        for (const auto& member : result.extensions)
            extensions_[member.key()] = member.value();
        json::object side;
        for (const auto* name : {"ttft_ms", "tpot_ms", "itl_ms", "e2e_ms"})
            if (const auto* latency = find(result.metrics, name))
                side[name] = *latency;
        if (const auto basis = string_at(result.settings, "latency_basis"))
            side["latency_basis"] = json_text(*basis);
        ours_["client"] = std::move(side);
        ours_["source_settings"] = result.settings;
        notes(result.notes);
    }

    /// The server's side, of prom-diff. Where there is no client's side, it is that of the metrics, too.
    void add_server(const json::object& diff, std::string_view name)
    {
        auto server = server_block(diff, name);
        if (const auto spec = speculative_block(diff)) {
            extensions_["speculative_decode"] = *spec;
            set_origin("extensions.speculative_decode", "server");
        }
        auto& cache = block("cache_stats");
        for (const auto& [to, from] :
             {std::pair{"prefix_hit_rate", "hit_rate"}, std::pair{"prefix_hits", "hits"},
              std::pair{"prefix_queries", "queries"}})
            put(cache, "cache_stats", to, number_at(diff, from), "server");
        put(cache, "cache_stats", "preemption_count", number_at(server, "preemptions"), "server");
        auto& scheduler = block("scheduler");
        const auto window = number_at(server, "window_s");
        const auto preemptions = number_at(server, "preemptions");
        put(scheduler, "scheduler", "queue_time_p95_ms", number_of(server, "queue_ms.p95"), "server");
        put(scheduler, "scheduler", "preemptions_per_min",
            preemptions && window && *window > 0 ? std::optional(*preemptions * 60 / *window) : std::nullopt,
            "derived");
        if (metrics_.empty())
            take_metrics_of(server, diff);
        ours_["server"] = std::move(server);
    }

    /// Means and maxima of the server's gauges within the run.
    void add_gauges(const GaugeSamples& samples, double from_s, double to_s)
    {
        json::object cache, scheduler;
        if (!samples.add_to(cache, scheduler, from_s, to_s))
            return note("no sample of the server's gauges lies within the run: are the clocks alike?");
        for (const auto& [name, part] :
             {std::pair{"cache_stats", &cache}, std::pair{"scheduler", &scheduler}})
            for (const auto& member : *part) {
                block(name)[member.key()] = member.value();
                set_origin("extensions." + std::string(name) + "." + std::string(member.key()), "server");
            }
    }

    /// A block of its own ("cost", "power", "extensions.gpu_telemetry"), where it is there; its notes always.
    void add_block(const std::string& path, const SideBlock& side, std::string_view origin)
    {
        notes(side.notes);
        if (!side.value)
            return;
        constexpr std::string_view prefix = "extensions.";
        if (path.starts_with(prefix))
            extensions_[path.substr(prefix.size())] = *side.value;
        else
            root_[path] = *side.value;
        set_origin(path, origin);
    }

    /// The block `reconciliation`, see reconciliation_block().
    void add_reconciliation(const plan::ClientTotals* client, std::int64_t client_failed,
                            const json::object* diff, std::int64_t unlisted = 0)
    {
        auto block = reconciliation_block(client, client_failed, diff, unlisted);
        const auto* reconciled = find(block, "reconciled");
        if (reconciled->is_bool() && !reconciled->get_bool())
            note("client and server differ by more than 5 % in their successes");
        extensions_["reconciliation"] = std::move(block);
        set_origin("extensions.reconciliation", "derived");
    }

    /// A member of extensions.sloutils.
    void set_own(std::string_view name, json::value value) { ours_[name] = std::move(value); }

    /// A member of extensions.session_metadata.
    void set_session(std::string_view name, json::value value) { session_[name] = std::move(value); }

    void note(const std::string& text) { notes_.push_back(json_text(text)); }
    void notes(const std::vector<std::string>& texts)
    {
        for (const auto& text : texts)
            note(text);
    }

    const json::object& metrics() const noexcept { return metrics_; }
    json::object& engine() { return root_["engine"].get_object(); }

    /// The whole: created at `created_s` (since 1970); its id is made of `random_digits`, or, where there are
    /// none, of its content, so that the same parts give the same artifact. Throws InputError where it does
    /// not keep the schema.
    json::object finish(const json::object* slo_targets, const json::array& sources, double created_s,
                        const std::string& random_digits)
    {
        root_["metrics"] = metrics_.empty() ? metrics_block({}, {}) : metrics_;
        if (const auto slo = slo_block(slo_targets, root_["metrics"].get_object())) {
            root_["slo"] = *slo;
            set_origin("slo.targets", "sidecar");
            set_origin("slo.results", "derived");
        }
        if (cold_vs_warm_)
            put(block("cache_stats"), "cache_stats", "cold_vs_warm_ttft_ratio", cold_vs_warm_, "derived");
        extensions_["session_metadata"] = session_;
        ours_["sources"] = sources;
        ours_["origin"] = origin_;
        ours_["notes"] = notes_;
        extensions_["sloutils"] = ours_;
        root_["extensions"] = extensions_;
        root_["created_at"] = iso8601_utc(created_s);
        put_in_order();
        root_["artifact_id"] =
            random_digits.empty() ? uuid_of(sha256(to_json(root_)), '8') : uuid_of(random_digits, '4');
        if (const auto errors = check_envelope(root_); !errors.empty())
            throw InputError("the artifact", "does not keep its schema: " + to_line(errors));
        return root_;
    }

private:
    // As the standard lists them.
    void put_in_order()
    {
        json::object ordered;
        for (const auto* name :
             {"schema", "schema_version", "artifact_id", "created_at", "source_tool", "model", "engine",
              "framework", "infrastructure", "workload", "metrics", "slo", "power", "hardware_errors",
              "quality", "stability", "cold_start", "cost", "extensions"})
            if (auto* value = root_.if_contains(name))
                ordered[name] = std::move(*value);
        root_ = std::move(ordered);
    }

    json::object& block(std::string_view name)
    {
        auto& value = extensions_[name];
        return value.is_object() ? value.get_object() : value.emplace_object();
    }

    void set_origin(std::string_view path, std::string_view origin) { origin_[path] = json_text(origin); }

    void put(json::object& place, std::string_view block, std::string_view name, std::optional<double> value,
             std::string_view origin)
    {
        place[name] = or_null(value);
        if (value)
            set_origin("extensions." + std::string(block) + "." + std::string(name), origin);
    }

    static std::optional<double> number_of(const json::object& object, std::string_view path)
    {
        return as_number(value_at(object, path));
    }

    // Counts and latencies are measured; shares and rates are computed from them.
    void note_metrics(std::string_view origin)
    {
        constexpr std::array<std::string_view, 4> derived{"error_rate", "output_toks_per_s",
                                                          "request_throughput", "total_toks_per_s"};
        for (const auto& member : metrics_) {
            const std::string_view name(member.key().data(), member.key().size());
            const auto* latency = member.value().if_object();
            if (latency ? !is_known(*latency) : member.value().is_null())
                continue;
            const bool computed = std::find(derived.begin(), derived.end(), name) != derived.end();
            set_origin("metrics." + std::string(name), computed ? "derived" : origin);
        }
    }

    void take_metrics_of(const json::object& server, const json::object& diff)
    {
        const auto counted = server_counts(diff);
        ClientCounts counts;
        if (counted.requests && !counted.reset)
            counts.completed = static_cast<std::int64_t>(*counted.requests);
        counts.input_tokens = counted.prompt_tokens;
        counts.output_tokens = counted.generation_tokens;
        counts.duration_s = number_at(server, "window_s");
        metrics_ = metrics_block(counts, server);
        note_metrics("server");
        note("no client side was given: the metrics are the server's own, which does not know of what it "
             "refused");
    }

    json::object root_, ours_, extensions_, session_, metrics_, origin_;
    json::array notes_;
    std::optional<double> cold_vs_warm_;
};

} // namespace slo::artifact

#endif
