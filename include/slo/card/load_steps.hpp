// SPDX-License-Identifier: MIT
// How it is sent: the load of a card, one entry for each rate, level or mode it names.

#ifndef SLO_CARD_LOAD_STEPS_HPP
#define SLO_CARD_LOAD_STEPS_HPP

#include <slo/base/json.hpp>
#include <slo/base/spelling.hpp>
#include <slo/base/text.hpp>
#include <slo/card/card_view.hpp>
#include <slo/card/compiled_plan.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::card {

/// One load.
struct LoadStep {
    std::string label;
    json::value rate; ///< requests per second, as the card writes it; null: as fast as it goes
    std::optional<std::int64_t> concurrency;
    std::optional<std::int64_t> prompts;
    std::optional<double> duration_s;
    bool by_duration = false; ///< it lasts duration_s, however many prompts that takes
    bool random_arrivals = false;
    std::optional<double> burstiness; ///< 1: Poisson
    std::string mode;
    std::int64_t warm_ups = 0; ///< requests, or sessions, before it
};

/// All loads of a card.
struct Load {
    std::vector<LoadStep> steps;
    std::string orchestrator; ///< what would have to run it; empty: a tool's command line does
};

namespace detail {

struct OrchestratedLoad {
    std::string_view type;
    std::string_view runner;
};

inline constexpr OrchestratedLoad orchestrated_loads[] = {
    {"ensemble-steady", "cohost_runner"},
    {"sustained", "burn_in_runner"},
    {"first-100", "cold_start_probe"},
    {"ceiling-fraction-sweep", "power_efficiency_runner"}};

inline constexpr std::array<std::string_view, 11> load_types{"constant",
                                                             "open-loop",
                                                             "poisson",
                                                             "qps-constrained",
                                                             "sweep",
                                                             "concurrency-sweep",
                                                             "sustained",
                                                             "first-100",
                                                             "ensemble-steady",
                                                             "ceiling-fraction-sweep",
                                                             "constant-concurrency"};

class LoadReader {
public:
    LoadReader(CardView& card, Tool tool) : card_(card), is_replay_(tool == Tool::replay) {}

    Load read()
    {
        const auto type = card_.text("load.type").value_or("");
        if (type.empty() && card_.peek("load.modes"))
            modes();
        else if (is_replay_ && type == "first-100")
            first_100();
        else if (const auto runner = runner_of(type); !runner.empty())
            load_.orchestrator = runner;
        else if (type == "constant")
            constant();
        else if (type == "open-loop")
            open_loop();
        else if (type == "poisson")
            poisson();
        else if (type == "qps-constrained")
            qps_constrained();
        else if (type == "sweep")
            sweep();
        else if (type == "concurrency-sweep" || type == "constant-concurrency")
            concurrency_sweep();
        else
            throw unknown_type(type);
        const auto warm_ups = card_.first_number({"load.warmup_requests", "load.warmup_sessions"});
        if (card_.peek("load.warmup_requests") && !warm_ups)
            card_.get("load.warmup_sessions");
        for (auto& step : load_.steps)
            step.warm_ups = static_cast<std::int64_t>(warm_ups.value_or(0));
        return std::move(load_);
    }

private:
    static std::string runner_of(std::string_view type)
    {
        for (const auto& [name, runner] : orchestrated_loads)
            if (name == type)
                return std::string(runner);
        return {};
    }

    static Unsupported unknown_type(const std::string& type)
    {
        const auto nearest = nearest_name(type, load_types);
        return {"unregistered_load_type", "load.type",
                (type.empty() ? "is missing" : "'" + printable(type, 60) + "' is unknown") +
                    (nearest ? "; did you mean " + *nearest + "?"
                             : ": set it to constant, poisson, open-loop, qps-constrained, sweep or "
                               "concurrency-sweep")};
    }

    std::optional<std::int64_t> whole(const std::string& key)
    {
        const auto value = card_.number("load." + key);
        return value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
    }

    // The first of the keys that is there and not 0.
    std::optional<std::int64_t> first_whole(const std::vector<std::string>& keys)
    {
        for (const auto& key : keys)
            if (const auto value = whole(key); value && *value != 0)
                return value;
        return std::nullopt;
    }

    json::value rate_at(const std::string& key, const json::value& fallback)
    {
        const auto* value = card_.get("load." + key);
        const json::value rate = value ? *value : fallback;
        if (rate.is_string())
            return nullptr;
        check_rate(rate, key);
        return rate;
    }

    static void check_rate(const json::value& rate, const std::string& key)
    {
        if (const auto number = as_number(&rate); number && *number <= 0)
            throw Unsupported("rate_not_positive", "load." + key, "is 0: give a rate above 0, or inf");
    }

    void constant()
    {
        LoadStep step;
        step.rate = rate_at("request_rate", nullptr);
        step.concurrency = first_whole({"concurrent_sessions", "max_concurrency"});
        const auto named = first_whole({"num_prompts", "num_sessions", "num_prompts_per_level"});
        step.duration_s = card_.number("load.duration_s");
        step.by_duration = step.duration_s && !named && !step.rate.is_null();
        step.prompts = named.value_or(100);
        if (step.by_duration)
            step.prompts = static_cast<std::int64_t>(*as_number(&step.rate) * *step.duration_s);
        else if (step.duration_s)
            card_.lose("load.duration_s", "the number of prompts ends this load");
        step.label = !step.rate.is_null() ? "qps" + python_text(step.rate)
                     : step.concurrency   ? "c" + std::to_string(*step.concurrency)
                                          : "constant";
        load_.steps.push_back(std::move(step));
    }

    void open_loop()
    {
        LoadStep step;
        step.label = "maxrate";
        card_.get("load.request_rate");
        const auto* load = card_.peek("load")->if_object();
        const bool emptied = load->contains("num_prompts") && !card_.peek("load.num_prompts");
        if (!emptied)
            step.prompts = whole("num_prompts").value_or(500);
        load_.steps.push_back(std::move(step));
    }

    void poisson()
    {
        LoadStep step;
        step.rate = rate_at("request_rate", 4.0);
        step.prompts = whole("num_prompts").value_or(500);
        step.burstiness = card_.number("load.burstiness");
        step.random_arrivals = true;
        step.label = step.rate.is_null() ? "maxrate" : "qps" + python_text(step.rate);
        load_.steps.push_back(std::move(step));
    }

    void qps_constrained()
    {
        LoadStep step;
        step.rate = rate_at("target_qps", 2);
        step.duration_s = card_.number("load.duration_s").value_or(900);
        const auto named = first_whole({"num_prompts"});
        step.by_duration = !named;
        step.prompts = named.value_or(static_cast<std::int64_t>(*as_number(&step.rate) * *step.duration_s));
        step.label = "qps" + python_text(step.rate);
        load_.steps.push_back(std::move(step));
    }

    void sweep()
    {
        const auto* rates = card_.list("load.rates");
        if (!rates || rates->empty())
            throw Unsupported("sweep_without_rates", "load.rates", "is empty: a sweep needs its rates");
        const auto prompts = whole("num_prompts_per_rate").value_or(100);
        for (const auto& rate : *rates) {
            LoadStep step;
            step.rate = rate;
            step.prompts = prompts;
            step.label = "qps" + python_text(rate);
            load_.steps.push_back(std::move(step));
        }
    }

    void concurrency_sweep()
    {
        const json::array* levels = nullptr;
        for (const char* key : {"load.levels", "load.concurrency_steps", "load.concurrency_sweep"})
            if (!levels || levels->empty())
                levels = card_.list(key);
        if (!levels || levels->empty())
            throw Unsupported("concurrency_sweep_without_levels", "load.levels",
                              "is empty: a concurrency sweep needs its levels");
        card_.get("load.request_rate");
        const auto named =
            first_whole({"num_prompts_per_level", "num_requests_per_step", "num_requests_per_point"});
        for (const auto& level : *levels) {
            LoadStep step;
            step.concurrency = static_cast<std::int64_t>(as_number(&level).value_or(1));
            step.prompts = named.value_or(50);
            step.duration_s = card_.number("load.per_level_duration_s");
            step.by_duration = step.duration_s && !named;
            step.label = "c" + std::to_string(*step.concurrency);
            load_.steps.push_back(std::move(step));
        }
    }

    void modes()
    {
        const auto* modes = card_.list("load.modes");
        for (const auto& element : *modes) {
            const auto& mode = element.get_object();
            const std::string type(string_at(mode, "type").value_or(""));
            LoadStep step;
            step.mode = std::string(string_at(mode, "id").value_or("mode"));
            step.label = step.mode;
            if (type == "max-rate") {
                step.prompts = 500;
                step.duration_s = number_at(mode, "duration_s");
            } else if (type == "qps-constrained") {
                const auto* rate = find(mode, "target_qps");
                step.rate = rate && !rate->is_null() ? *rate : json::value(4);
                check_rate(step.rate, "modes");
                step.duration_s = number_at(mode, "duration_s").value_or(900);
                step.by_duration = true;
                step.prompts =
                    static_cast<std::int64_t>(as_number(&step.rate).value_or(0) * *step.duration_s);
            } else {
                throw Unsupported("unsupported_mode_type", "load.modes",
                                  "'" + printable(type, 40) + "' is neither max-rate nor qps-constrained");
            }
            load_.steps.push_back(std::move(step));
        }
        lose_of_modes(*modes);
    }

    // Modes are one list of the card, so that what is lost of it is said of the list.
    void lose_of_modes(const json::array& modes)
    {
        std::string lost;
        for (const auto& element : modes) {
            const auto& mode = element.get_object();
            const bool fastest = string_at(mode, "type") == "max-rate";
            if (fastest && number_at(mode, "duration_s"))
                lost += "max-rate ends after 500 prompts, not after duration_s; ";
            if (number_at(mode, "latency_slo_ms"))
                lost += "latency_slo_ms is judged by nobody: put the limit into slo; ";
        }
        if (!lost.empty())
            card_.lose("load.modes", lost.substr(0, lost.size() - 2));
    }

    // What a service answers first after its start, one request after the other.
    void first_100()
    {
        LoadStep step;
        step.concurrency = 1;
        step.prompts = first_whole({"num_prompts"}).value_or(100);
        step.label = "first" + std::to_string(*step.prompts);
        load_.steps.push_back(std::move(step));
    }

    CardView& card_;
    bool is_replay_;
    Load load_;
};

} // namespace detail

/// The loads of a card; where one needs more than a command line, the name of what would run it. Throws
/// Unsupported.
inline Load read_load(CardView& card, Tool tool)
{
    return detail::LoadReader(card, tool).read();
}

} // namespace slo::card

#endif
