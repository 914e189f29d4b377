// SPDX-License-Identifier: MIT
// The command lines of replay, and of route-build, which makes what replay sends.

#ifndef SLO_CARD_ARGV_REPLAY_HPP
#define SLO_CARD_ARGV_REPLAY_HPP

#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/card/argv_common.hpp>
#include <slo/card/card_view.hpp>
#include <slo/card/compiled_plan.hpp>
#include <slo/card/dataset_workload.hpp>
#include <slo/card/load_steps.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::card {

namespace detail {

// Sources of traces that route-build import reads; "custom" is a route already.
inline constexpr std::array<std::string_view, 10> import_formats{
    "sharegpt", "mooncake", "bailian", "burstgpt",     "azure",
    "vllm",     "sglang",   "aiperf",  "openai-batch", "legacy"};

inline std::string plain_rate(double rate)
{
    return number_text(rate);
}

class ReplayStep {
public:
    ReplayStep(const StepContext& step, std::vector<std::string>& notes) : step_(step), notes_(notes) {}

    Step make()
    {
        result_.request_rate = step_.load.rate;
        result_.concurrency = step_.load.concurrency;
        result_.duration_s = step_.load.duration_s;
        result_.num_prompts = step_.load.prompts.value_or(500);
        auto load = step_.workload.kind == Workload::Kind::sessions ? sessions()
                    : step_.load.rate.is_null()                     ? closed_loop()
                                                                    : at_a_rate();
        make_route(rows_, step_.seed, "route");
        if (step_.load.warm_ups > 0)
            warm_up();
        result_.argv = command(step_.names.file("route"), std::move(load), "rounds");
        append(result_.argv, {"--requests-out", step_.names.file("requests")});
        result_.outputs = {step_.names.file("rounds"), step_.names.file("requests")};
        return std::move(result_);
    }

private:
    Argv command(const std::string& route, Argv load, std::string_view kind) const
    {
        Argv argv{"replay",          route, "--api-base", step_.target.base_url + step_.api.base, "--model",
                  step_.target.model};
        if (step_.api.chat)
            argv.emplace_back("--use-chat");
        if (!step_.api.streaming)
            argv.emplace_back("--no-stream");
        if (step_.workload.exact_output)
            argv.emplace_back("--pass-body");
        append(argv, std::move(load));
        append(argv, {"--seed", std::to_string(step_.seed), "--json-output", step_.names.file(kind)});
        return argv;
    }

    // A number of users. Without a rate and without a number all requests are due at once.
    Argv closed_loop()
    {
        const auto prompts = *result_.num_prompts;
        const auto users = step_.load.concurrency.value_or(prompts);
        if (step_.load.concurrency && !step_.load.by_duration && users > prompts)
            notes_.push_back(step_.load.label + ": " + std::to_string(prompts) + " requests never keep " +
                             std::to_string(users) + " users busy");
        Argv argv{"--concurrency", std::to_string(users)};
        rows_ = prompts;
        const auto groups = step_.workload.kind == Workload::Kind::shared_prefix ? step_.workload.groups : 1;
        if (prompts % groups != 0 && !step_.load.by_duration) {
            result_.num_prompts = prompts_per_group(prompts, groups) * groups;
            notes_.push_back(step_.load.label + ": " + std::to_string(*result_.num_prompts) +
                             " requests, as many for each prefix, not " + std::to_string(prompts));
        }
        if (step_.load.by_duration) {
            append(argv, windows(windows_of(*step_.load.duration_s)));
            argv.emplace_back("--loop-route");
            result_.num_prompts.reset();
            return argv;
        }
        constexpr auto window = "10"; // seconds; how long it takes is the service's matter
        append(argv, {"--round-duration", window});
        return argv;
    }

    static Argv windows(const Windows& windows)
    {
        return {"--round-duration", std::to_string(windows.length_s), "--max-rounds",
                std::to_string(windows.count)};
    }

    Argv at_a_rate()
    {
        const double rate = as_number(&step_.load.rate).value_or(1);
        const auto prompts = static_cast<double>(*result_.num_prompts);
        const auto run = windows_of(step_.load.by_duration ? *step_.load.duration_s : prompts / rate);
        const double due = static_cast<double>(run.total_s()) * rate;
        result_.duration_s = static_cast<double>(run.total_s());
        const double burstiness = step_.load.burstiness.value_or(1);
        Argv argv{"--replay-mode", "qps", "--target-qps", plain_rate(rate), "--continuous-qps-window"};
        append(argv, windows(run));
        // A row to spare, or the last window of a rate that is no binary fraction might lack one.
        rows_ = static_cast<std::int64_t>(std::ceil(due)) + 1;
        if (step_.load.random_arrivals) {
            append(argv, {"--arrival", burstiness == 1 ? "poisson" : "gamma"});
            if (burstiness != 1)
                append(argv, {"--burstiness", plain_rate(burstiness)});
            constexpr double deviations = 6;
            const double spread = std::sqrt(due / std::min(burstiness, 1.0));
            rows_ = static_cast<std::int64_t>(std::ceil(due + deviations * spread)) + 10;
            notes_.push_back(step_.load.label + ": arrivals are random: about " +
                             number_text(std::round(due)) + " requests");
        } else {
            result_.num_prompts = static_cast<std::int64_t>(std::ceil(due - 1e-9));
            if (step_.load.prompts && *result_.num_prompts != *step_.load.prompts)
                notes_.push_back(step_.load.label + ": " + std::to_string(*result_.num_prompts) +
                                 " requests, not " + std::to_string(*step_.load.prompts) +
                                 ": windows are whole seconds");
        }
        if (step_.load.concurrency)
            append(argv, {"--max-in-flight", std::to_string(*step_.load.concurrency)});
        if (step_.workload.kind == Workload::Kind::trace)
            argv.emplace_back("--loop-route");
        return argv;
    }

    // Conversations come with their own times; how many go on at a time follows from when they begin.
    Argv sessions()
    {
        rows_ = *result_.num_prompts;
        const auto turns = std::max(step_.workload.turns.mean, 1.0);
        const double lasts_s = (turns - 1) * step_.workload.think_s.mean;
        if (!step_.load.rate.is_null()) {
            sessions_per_s_ = as_number(&step_.load.rate).value_or(1) / turns;
        } else if (lasts_s > 0) {
            const auto users = static_cast<double>(step_.load.concurrency.value_or(rows_));
            sessions_per_s_ = std::round(1e4 * users / lasts_s) / 1e4;
            notes_.push_back(step_.load.label + ": " + plain_rate(sessions_per_s_) +
                             " conversations a second begin, so that their think times alone keep " +
                             number_text(users) + " going; answers that take long make it more");
        } else {
            const auto users = std::min(step_.load.concurrency.value_or(rows_), rows_);
            return {"--concurrency", std::to_string(users), "--serialize-conversations", "--round-duration",
                    "10"};
        }
        const auto span = windows_of(static_cast<double>(rows_) / sessions_per_s_ + lasts_s);
        return {"--serialize-conversations", "--round-duration", std::to_string(span.length_s)};
    }

    // Of the same kind, with texts of its own: the engine gets warm, the prefix cache learns nothing of what
    // is measured.
    void warm_up()
    {
        constexpr std::int64_t users = 8;
        constexpr std::int64_t another_seed = 1'000'003;
        const auto wanted = step_.load.warm_ups;
        const auto at_once = std::min(wanted, step_.load.concurrency.value_or(users));
        make_route(wanted, step_.seed + another_seed, "warmup-route");
        Argv load{"--concurrency", std::to_string(at_once)};
        if (step_.workload.kind == Workload::Kind::sessions)
            load.emplace_back("--serialize-conversations");
        result_.prepare.push_back(command(step_.names.file("warmup-route"), std::move(load), "warmup"));
    }

    void make_route(std::int64_t rows, std::int64_t seed, std::string_view kind)
    {
        if (step_.workload.kind == Workload::Kind::trace)
            take_trace(rows, seed, kind);
        else
            make_up(rows, seed, kind);
    }

    void make_up(std::int64_t rows, std::int64_t seed, std::string_view kind)
    {
        const auto& workload = step_.workload;
        Argv argv{"route-build"};
        switch (workload.kind) {
        case Workload::Kind::shared_prefix:
            append(argv, {"shared-prefix", "--groups", std::to_string(workload.groups), "--prompts-per-group",
                          std::to_string(prompts_per_group(rows, workload.groups)), "--system-len",
                          law_of(workload.prefix), "--question-len", law_of(workload.suffix)});
            if (workload.zipf)
                append(argv, {"--zipf", number_text(*workload.zipf)});
            break;
        case Workload::Kind::sessions:
            append(argv,
                   {"multi-turn", "--conversations", std::to_string(rows), "--turns", law_of(workload.turns),
                    "--system-len", law_of(workload.prefix), "--first-len", law_of(workload.input),
                    "--turn-len", law_of(workload.suffix), "--think-time", law_of(workload.think_s, false)});
            if (sessions_per_s_ > 0)
                append(argv, {"--rate", plain_rate(sessions_per_s_)});
            if (step_.max_model_len > 0)
                append(argv, {"--max-model-len", std::to_string(step_.max_model_len)});
            break;
        default:
            append(argv, {"random", "--rows", std::to_string(rows), "--input-len", law_of(workload.input)});
            if (workload.range_ratio && *workload.range_ratio > 0)
                append(argv, {"--range-ratio", number_text(*workload.range_ratio)});
        }
        append(argv, {"--output-len", law_of(workload.output), "--tokenizer", tokenizer()});
        if (workload.exact_output)
            argv.emplace_back("--fixed-output");
        if (!step_.api.chat)
            argv.emplace_back("--raw-prompt");
        append(argv, {"--seed", std::to_string(seed), "-o", step_.names.file(kind)});
        result_.prepare.push_back(std::move(argv));
    }

    std::string tokenizer() const
    {
        return step_.target.tokenizer.empty() ? "server:" + step_.target.base_url : step_.target.tokenizer;
    }

    void take_trace(std::int64_t rows, std::int64_t seed, std::string_view kind)
    {
        const auto& workload = step_.workload;
        const bool known =
            std::find(import_formats.begin(), import_formats.end(), workload.source) != import_formats.end();
        if (!known && workload.source != "custom")
            throw Unsupported("trace_source_unknown", "dataset.source",
                              "'" + printable(workload.source, 60) +
                                  "' is no format of route-build import, nor custom (a route)");
        if (workload.path.empty())
            throw Unsupported("trace_path_required", "dataset.source",
                              "'" + workload.source +
                                  "' needs the trace: set workload_overrides.trace.path in the sidecar");
        auto from = workload.path;
        if (known) {
            from = step_.names.file("trace");
            Argv import{"route-build", "import", "--format", workload.source};
            // Formats without texts have them made up, which must be counted as the service does.
            const bool has_texts = workload.source == "sharegpt" || workload.source == "openai-batch" ||
                                   workload.source == "vllm" || workload.source == "sglang" ||
                                   workload.source == "legacy";
            if (!has_texts || !step_.target.tokenizer.empty())
                append(import, {"--tokenizer", tokenizer()});
            append(import, {"-o", from, workload.path});
            if (!imported_)
                result_.prepare.push_back(std::move(import));
            imported_ = true;
        }
        if (kind == "route" && workload.sample_size > 0)
            rows = workload.sample_size;
        else if (kind == "route" && step_.load.prompts)
            rows = *step_.load.prompts;
        result_.prepare.push_back({"route-build", "sample", "--rows", std::to_string(rows), "--seed",
                                   std::to_string(seed), "-o", step_.names.file(kind), from});
    }

    const StepContext& step_;
    std::vector<std::string>& notes_;
    Step result_;
    std::int64_t rows_ = 0; ///< requests, or conversations
    double sessions_per_s_ = 0;
    bool imported_ = false;
};

} // namespace detail

/// One step of replay: the routes it needs, its warm-up, and its command, without objectives. `notes` gets
/// what differs from the card. Throws Unsupported.
inline Step replay_step(const StepContext& step, std::vector<std::string>& notes)
{
    return detail::ReplayStep(step, notes).make();
}

} // namespace slo::card

#endif
