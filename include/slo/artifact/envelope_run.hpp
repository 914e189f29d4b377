// SPDX-License-Identifier: MIT
// What is known of the run itself: when it was, who sent, under which load; and whether clocks agree.

#ifndef SLO_ARTIFACT_ENVELOPE_RUN_HPP
#define SLO_ARTIFACT_ENVELOPE_RUN_HPP

#include <slo/artifact/client_side.hpp>
#include <slo/artifact/envelope.hpp>
#include <slo/artifact/gpu_series.hpp>
#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/card/sidecar.hpp>

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::artifact {

/// Collects the facts of one run from its run records and rounds, and refuses those of two.
class RunFacts {
public:
    /// How far apart, in seconds, two clocks may be before a note says so.
    static constexpr double clock_tolerance_s = 2;

    /// Takes a run record (sloutils.run/1), of a shard or of the whole. Throws InputError where it is of
    /// another run than the one before.
    void take_run(const json::object& run)
    {
        const auto start_s = number_at(run, "start_epoch_s");
        if (!start_s)
            throw InputError("run", "start_epoch_s is missing from the run record");
        if (!runs_.empty())
            check_same(runs_.front(), run);
        start_s_ = std::min(start_s_.value_or(*start_s), *start_s);
        runs_.push_back(run);
    }

    /// Takes what a round says of the load.
    void take_round(const json::object& round)
    {
        const auto rate = number_at(round, "target_qps");
        const auto users = number_at(round, "concurrency");
        several_rates_ |= any_round_ && rate != round_rate_;
        round_rate_ = rate;
        round_users_ = users;
        any_round_ = true;
    }

    /// Takes what another client's file says of its load.
    void take_settings(const json::object& settings)
    {
        round_rate_ = number_at(settings, "request_rate");
        round_users_ = number_at(settings, "max_concurrency");
    }

    /// The measured window is that of `client`; the run itself took `length_s`.
    void set_window(const ClientSide& client, std::optional<double> length_s)
    {
        from_s_ = client.from_s;
        to_s_ = client.to_s;
        length_s_ = length_s;
    }

    /// The measured window since 1970; nothing where no run record tells when that was.
    std::optional<RunWindow> window() const
    {
        if (!start_s_ || !from_s_ || !to_s_)
            return std::nullopt;
        return RunWindow{*start_s_ + *from_s_, *start_s_ + *to_s_};
    }

    /// {"concurrency": N} of a closed loop, {"request_rate": X} of an open one; empty where it is not told,
    /// or changes within the run.
    json::object load_point() const
    {
        const auto* config = runs_.empty() ? nullptr : object_at(runs_.front(), "config");
        const auto of_run = [&](const char* name) {
            return config ? number_at(*config, name) : std::optional<double>();
        };
        const auto users = of_run("concurrency") ? of_run("concurrency") : round_users_;
        if (users)
            return {{"concurrency", whole(*users)}};
        const auto rate = of_run("target_qps") ? of_run("target_qps") : round_rate_;
        if (!rate || of_run("ramp_to") || several_rates_)
            return {};
        return {{"request_rate", whole(*rate)}};
    }

    /// {type, streaming, endpoint} as the run record has them; nullptr where there is none.
    const json::object* api()
    {
        const auto* config = runs_.empty() ? nullptr : object_at(runs_.front(), "config");
        const auto endpoint = config ? string_at(*config, "endpoint") : std::nullopt;
        const auto* stream = config ? find(*config, "stream") : nullptr;
        if (!endpoint || !stream || !stream->is_bool())
            return nullptr;
        const std::string path = endpoint == "chat" ? "/chat/completions" : "/" + std::string(*endpoint);
        api_ = {{"type", json_text(*endpoint)}, {"streaming", *stream}, {"endpoint", "/v1" + path}};
        return &api_;
    }

    /// What is wrong with snapshots taken at these times (since 1970): the first after the run began, the
    /// last before it ended. Their clock is that of the machine that took them.
    std::vector<std::string> clock_notes(std::optional<double> before_s, std::optional<double> after_s) const
    {
        std::vector<std::string> notes;
        if (!start_s_ || !length_s_ || !before_s || !after_s)
            return notes;
        const double late_s = *before_s - *start_s_;
        const double early_s = *start_s_ + *length_s_ - *after_s;
        if (late_s > clock_tolerance_s)
            notes.push_back("clocks disagree, or the snapshot was late: --before was taken " +
                            format_fixed(late_s, 1) + " s after the run began");
        if (early_s > clock_tolerance_s)
            notes.push_back("clocks disagree, or the snapshot was early: --after was taken " +
                            format_fixed(early_s, 1) + " s before the run ended");
        return notes;
    }

    /// What is wrong with a server's window of that length: shorter than the run, or half as long again and a
    /// minute longer, so that it holds what others sent.
    std::vector<std::string> window_notes(std::optional<double> window_s) const
    {
        if (!window_s || !length_s_)
            return {};
        const auto both = "the server's window is " + format_fixed(*window_s, 1) + " s, the run took " +
                          format_fixed(*length_s_, 1) + " s";
        if (*window_s < *length_s_ - clock_tolerance_s)
            return {"clocks disagree, or the snapshots are of another run: " + both};
        if (*window_s > *length_s_ * 1.5 + 60)
            return {"the server's figures are of more than this run: " + both};
        return {};
    }

    /// Puts when and by whom into the artifact's session_metadata.
    void describe(Envelope& envelope, const card::Sidecar& sidecar) const
    {
        if (!runs_.empty() && start_s_) {
            envelope.set_session("run_start", json_text(iso8601_utc(*start_s_)));
            envelope.set_session("run_end", length_s_
                                                ? json_text(iso8601_utc(*start_s_ + std::ceil(*length_s_)))
                                                : json::value(nullptr));
            envelope.set_session("client", client());
            const auto* config = object_at(runs_.front(), "config");
            const auto model = config ? string_at(*config, "model") : std::nullopt;
            if (model && !model->empty() && sidecar.text("model.id") != std::string(*model))
                envelope.note("the client asked for model " + printable(*model, 200) + ", the sidecar's is " +
                              printable(sidecar.text("model.id").value_or(""), 200));
        }
        if (several_rates_)
            envelope.note("the rate asked for changed within the run: the artifact is of no single load");
    }

private:
    static json::value whole(double value)
    {
        if (value == std::floor(value) && std::abs(value) < 9e15)
            return static_cast<std::int64_t>(value);
        return value;
    }

    // Shards have their parts, their hosts and files; all else they share.
    static void check_same(const json::object& first, const json::object& other)
    {
        const auto* a = object_at(first, "config");
        const auto* b = object_at(other, "config");
        const auto shard = [](const json::object* config) {
            return config ? string_at(*config, "shard").value_or("") : std::string_view();
        };
        for (const auto* name :
             {"target_qps", "concurrency", "model", "endpoint", "round_duration_s", "arrival"}) {
            const auto* x = a ? find(*a, name) : nullptr;
            const auto* y = b ? find(*b, name) : nullptr;
            if (x && y && to_json(*x) != to_json(*y))
                throw InputError("run records", "are of two runs: " + std::string(name) + " is " +
                                                    printable(to_json(*x), 60) + " in one, " +
                                                    printable(to_json(*y), 60) + " in the other");
        }
        const bool same_start = number_at(first, "start_epoch_s") == number_at(other, "start_epoch_s");
        if (!same_start && (shard(a).empty() || shard(b).empty() || shard(a) == shard(b)))
            throw InputError("run records", "are of two runs: one began at " +
                                                printable(string_at(first, "start").value_or("?"), 40) +
                                                ", the other at " +
                                                printable(string_at(other, "start").value_or("?"), 40));
    }

    json::object client() const
    {
        const auto& run = runs_.front();
        const auto* config = object_at(run, "config");
        json::object client;
        for (const auto* name : {"host", "tool", "version", "transport", "seed"})
            if (const auto* value = find(run, name))
                client[name] = *value;
        for (const auto* name :
             {"api_base", "model", "replay_mode", "arrival", "round_duration_s", "max_rounds"})
            if (const auto* value = config ? find(*config, name) : nullptr)
                client[name] = *value;
        if (runs_.size() > 1)
            client["shards"] = runs_.size();
        return client;
    }

    std::vector<json::object> runs_;
    std::optional<double> start_s_, from_s_, to_s_, length_s_;
    std::optional<double> round_rate_, round_users_;
    bool any_round_ = false, several_rates_ = false;
    json::object api_;
};

} // namespace slo::artifact

#endif
