// SPDX-License-Identifier: MIT
// The work of envelope-build: from the files of a run to its artifact.

#ifndef SLO_ARTIFACT_ENVELOPE_BUILD_HPP
#define SLO_ARTIFACT_ENVELOPE_BUILD_HPP

#include <slo/artifact/cost.hpp>
#include <slo/artifact/envelope.hpp>
#include <slo/artifact/envelope_options.hpp>
#include <slo/artifact/envelope_requests.hpp>
#include <slo/artifact/envelope_rounds.hpp>
#include <slo/artifact/envelope_run.hpp>
#include <slo/artifact/envelope_sides.hpp>
#include <slo/artifact/envelope_sources.hpp>
#include <slo/artifact/foreign.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/card/card.hpp>
#include <slo/card/sidecar.hpp>
#include <slo/plan/metrics_diff.hpp>
#include <slo/record/diff.hpp>
#include <slo/record/request_rounds.hpp>
#include <slo/record/round.hpp>
#include <slo/record/snapshot_file.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::artifact {

/// Reads the files of `options` and puts them together. Every possible source is listed in the artifact.
class EnvelopeBuild {
public:
    explicit EnvelopeBuild(const EnvelopeOptions& options) : options_(options) {}

    /// The artifact; see Envelope::finish() for the time and the id. Throws UsageError, IoError, InputError.
    json::object run(double created_s, const std::string& random_digits)
    {
        options_.check();
        const auto sidecar = card::parse_sidecar(sources_.read_text("sidecar", options_.sidecar),
                                                 io::display_name(options_.sidecar));
        auto card =
            card::parse_card(sources_.read_text("card", options_.card), io::display_name(options_.card));
        take_changes(card, sidecar);
        envelope_.add_deployment(sidecar);
        if (!options_.label.empty()) {
            envelope_.engine()["engine_config_tag"] = options_.label;
            envelope_.set_session("engine_config_tag", json_text(options_.label));
        }
        read_client(card);
        read_server();
        envelope_.add_workload(card, facts_.load_point(), facts_.api());
        EnvelopeSides sides(options_, sources_, envelope_);
        sides.read_machine(sidecar, facts_.window());
        sides.read_rest();
        sides.read_named(sidecar);
        envelope_.add_block("cost", cost_block(sidecar.root(), envelope_.metrics(), sidecar.name()),
                            "derived");
        facts_.describe(envelope_, sidecar);
        envelope_.notes(sources_.notes());
        return envelope_.finish(sidecar.map("slo"), sources_.to_json_array(), created_s, random_digits);
    }

private:
    // What ran is the card with what the sidecar changes in it.
    void take_changes(card::Card& card, const card::Sidecar& sidecar)
    {
        auto merged = card::merge_card(card, sidecar.root());
        if (merged.root != card.root)
            envelope_.note("the sidecar changes the card " + card.name + ": workload is what ran");
        envelope_.notes(merged.notes);
        card.root = std::move(merged.root);
    }

    // How many requests a warm-up before the run had.
    std::int64_t read_warm_up()
    {
        std::int64_t sent = 0;
        for (const auto& path : options_.warmup) {
            sources_.read_records("warmup", path, [&](const json::object& record) {
                const auto round = record::read_round(record);
                if (!round)
                    throw InputError("schema", "this is no round record");
                sent += round->due.value_or(0);
            });
        }
        if (options_.warmup.empty())
            sources_.absent("warmup", "no --warmup given");
        return sent;
    }

    void read_client(const card::Card& card)
    {
        const auto* load = object_at(card.root, "load");
        const bool told = load && integer_at(*load, "warmup_requests");
        const std::int64_t asked = load ? integer_at(*load, "warmup_requests").value_or(0) : 0;
        const auto before = read_warm_up();
        WarmUp warm_up;
        warm_up.requests = std::max<std::int64_t>(0, asked - before);
        std::string_view by = before > 0 && warm_up.requests == 0 ? "run before" : told ? "card" : "none";
        RoundLog rounds;
        read_rounds(rounds);
        if (options_.steady) {
            const auto steady = rounds.steady();
            if (!steady.is_object())
                throw InputError("--steady", "the rounds have no steady window");
            warm_up = {0, static_cast<int>(steady.get_object().at("first").to_number<int>())};
            by = "steady window";
        }
        RequestLog requests(warm_up);
        read_requests(requests, rounds);
        read_run(requests);
        const bool by_requests = !options_.requests.empty();
        read_foreign_results(card);
        if (by_requests || !rounds.empty()) {
            auto client = by_requests ? requests.finish() : rounds.client(warm_up);
            facts_.set_window(client, by_requests ? std::optional(requests.last_end_s()) : rounds.length_s());
            envelope_.add_client(client);
            const auto warm_ups = before + client.warm_up_requests;
            envelope_.set_own("warmup_requests", warm_ups);
            envelope_.set_own("warm_up", json::object{{"by", json_text(by)},
                                                      {"requests_asked", asked},
                                                      {"requests_before", before},
                                                      {"requests_left_out", client.warm_up_requests},
                                                      {"first_round", warm_up.first_round}});
            envelope_.set_session("warmup_requests", warm_ups);
            envelope_.set_own(
                "rounds", rounds.series(client.warm_up_requests > 0 ? rounds.first_measured(warm_up) : 1));
            envelope_.set_own("steady", rounds.steady());
            envelope_.set_own("client_health", options_.rounds.empty() ? requests.health() : rounds.health());
            client_ = by_requests ? requests.totals_of_all() : rounds.totals_of_all();
            client_failed_ = by_requests ? requests.failed_of_all() : rounds.failed_of_all();
            if (!requests.stopped_by().empty())
                envelope_.note("the run ended early: " + requests.stopped_by());
        }
    }

    void read_rounds(RoundLog& rounds)
    {
        for (const auto& path : options_.rounds) {
            rounds.begin_file();
            sources_.read_records("rounds", path, [&](const json::object& record) {
                if (!rounds.add(record))
                    throw InputError("schema", "this is no round record");
                facts_.take_round(record);
            });
        }
        if (options_.rounds.empty())
            sources_.absent("rounds", "no --rounds given");
        else if (rounds.empty())
            throw InputError(options_.rounds.front(), "holds no round record");
    }

    void read_requests(RequestLog& requests, RoundLog& rounds)
    {
        std::optional<record::RequestRounds> series;
        if (options_.rounds.empty())
            series.emplace(std::span<const stats::Objective>{});
        for (const auto& path : options_.requests) {
            requests.begin_file();
            sources_.read_records("requests", path, [&](const json::object& record) {
                requests.add(record);
                if (series && options_.requests.size() == 1 && (!requests.runs().empty()))
                    series->add(record);
            });
        }
        if (options_.requests.empty()) {
            sources_.absent("requests", "no --requests given");
            return;
        }
        if (requests.requests() == 0)
            throw InputError(options_.requests.front(), "holds no request record");
        for (const auto& run : requests.runs())
            facts_.take_run(run);
        check_same_run(requests, rounds);
        if (series && !requests.runs().empty()) {
            rounds.begin_file();
            for (auto& round : series->rounds())
                rounds.add(std::move(round), {});
        }
    }

    // The round of which the writer did not see the end may differ.
    void check_same_run(const RequestLog& requests, const RoundLog& rounds) const
    {
        if (rounds.empty())
            return;
        const int last = rounds.rows().rbegin()->first;
        for (const auto& [number, row] : rounds.rows()) {
            const auto found = requests.due_in_round().find(number);
            const auto due = found == requests.due_in_round().end() ? 0 : found->second;
            if (number != last && row.round.due && *row.round.due != due)
                throw InputError("--rounds and --requests",
                                 "are of two runs: in round " + std::to_string(number) + " " +
                                     std::to_string(*row.round.due) + " requests were due by the one, " +
                                     std::to_string(due) + " by the other");
        }
    }

    void read_run(const RequestLog& requests)
    {
        if (!options_.run.empty()) {
            bool any = false;
            sources_.read_records("run", options_.run, [&](const json::object& record) {
                const auto schema = string_at(record, "schema").value_or("");
                if (any || !schema.starts_with("sloutils.run/"))
                    return; // a request log may stand for its first record
                any = true;
                facts_.take_run(record);
            });
            if (!any)
                throw InputError(options_.run, "holds no sloutils.run/1 record");
        } else if (requests.runs().empty()) {
            sources_.absent("run", options_.requests.empty() ? "no --run given"
                                                             : "the request log has no run record");
        } else {
            sources_.list("run", {options_.requests.front()});
        }
    }

    void read_foreign_results(const card::Card& card)
    {
        const std::pair<const std::string*, ForeignTool> results[] = {
            {&options_.vllm_result, ForeignTool::vllm},
            {&options_.sglang_result, ForeignTool::sglang},
            {&options_.aiperf_result, ForeignTool::aiperf}};
        for (const auto& [path, tool] : results) {
            const auto name = std::string(name_of(tool)) + "_result";
            if (path->empty()) {
                sources_.absent(name, "no --" + std::string(name_of(tool)) + "-result given");
                continue;
            }
            const auto text = sources_.read_text(name, *path);
            auto result = parse_foreign(text, io::display_name(*path), tool);
            const auto* load = object_at(card.root, "load");
            if (const auto sent = load ? integer_at(*load, "num_prompts") : std::nullopt;
                sent && tool == ForeignTool::sglang)
                take_requests_sent(result, *sent);
            facts_.take_settings(result.settings);
            if (const auto completed = number_at(result.metrics, "completed")) {
                client_.emplace();
                client_->ok = client_->choices = client_->sent = *completed;
                client_->records = 1;
                client_->knows_prompt_tokens = client_->knows_generation_tokens = false;
                client_failed_ = integer_at(result.metrics, "failed").value_or(0);
                for (const auto* key : {"warmup_requests", "warmup_sessions"})
                    if (load)
                        unlisted_warm_up_ = std::max(unlisted_warm_up_, integer_at(*load, key).value_or(0));
            }
            envelope_.add_foreign(result);
        }
    }

    // Counters only grow; across a restart, which the diff says, they may differ by less than nothing.
    static void check_counters(const json::object& diff, const std::string& name)
    {
        const auto* reset = find(diff, "reset_detected");
        if (reset && reset->is_bool() && reset->get_bool())
            return;
        const auto refuse = [&](std::string_view counter, double by) {
            throw InputError(name, std::string(counter) + " differs by " + format_double(by) +
                                       ": --before and --after are exchanged");
        };
        const auto look = [&](const json::object& figures) {
            for (const auto& member : figures)
                if (const auto by = as_number(&member.value()); by && *by < 0)
                    refuse(printable(member.key(), 60), *by);
        };
        for (const auto* key : {"window_s", "hits", "queries"})
            if (const auto by = number_at(diff, key); by && *by < 0)
                refuse(key, *by);
        if (const auto* counters = object_at(diff, "counters")) {
            look(*counters);
            if (const auto* success = object_at(*counters, "success"))
                look(*success);
        }
    }

    void read_server()
    {
        std::optional<json::object> diff;
        if (!options_.diff.empty()) {
            diff = sources_.read_object("diff", options_.diff);
            check_counters(*diff, io::display_name(options_.diff));
            envelope_.add_server(*diff, io::display_name(options_.diff));
        } else {
            sources_.absent("diff",
                            options_.before.empty() ? "no --diff given" : "made of --before and --after");
        }
        if (!options_.before.empty()) {
            const auto before = record::read_snapshot(options_.before);
            const auto after = record::read_snapshot(options_.after);
            if (before.taken_s && after.taken_s && *after.taken_s < *before.taken_s)
                throw InputError("--before and --after are exchanged: --before was taken " +
                                 format_fixed(*before.taken_s - *after.taken_s, 1) + " s later");
            sources_.list("before", {options_.before});
            sources_.list("after", {options_.after});
            diff = record::to_record(plan::diff_snapshots(before, after, {}));
            check_counters(*diff, options_.before + " and " + options_.after);
            envelope_.add_server(*diff, options_.before + " and " + options_.after);
            envelope_.notes(facts_.clock_notes(before.taken_s, after.taken_s));
        } else {
            sources_.absent("before", "no --before given");
            sources_.absent("after", "no --after given");
        }
        if (diff)
            envelope_.notes(facts_.window_notes(number_at(*diff, "window_s")));
        envelope_.add_reconciliation(client_ ? &*client_ : nullptr, client_failed_, diff ? &*diff : nullptr,
                                     unlisted_warm_up_);
        read_samples();
    }

    void read_samples()
    {
        if (options_.samples.empty())
            return sources_.absent("samples", "no --samples given");
        GaugeSamples samples;
        for (const auto& path : options_.samples)
            sources_.read_records("samples", path, [&](const json::object& record) { samples.take(record); });
        if (samples.without_gauges() > 0)
            envelope_.note(std::to_string(samples.without_gauges()) +
                           " samples without a gauge of an engine are not used");
        if (const auto window = facts_.window())
            envelope_.add_gauges(samples, window->start_s, window->end_s);
        else
            envelope_.note("samples: when the run was is not known: give --requests or --run");
    }

    const EnvelopeOptions& options_;
    Sources sources_;
    Envelope envelope_;
    RunFacts facts_;
    std::optional<plan::ClientTotals> client_; // all requests of the run
    std::int64_t client_failed_ = 0;
    std::int64_t unlisted_warm_up_ = 0; // asked of a client whose file does not tell of it
};

} // namespace slo::artifact

#endif
