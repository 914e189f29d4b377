// SPDX-License-Identifier: MIT
// A plan over cards, as people write it: engines, and phases of runs on them.

#ifndef SLO_CARD_PLAN_FILE_HPP
#define SLO_CARD_PLAN_FILE_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/spelling.hpp>
#include <slo/base/text.hpp>
#include <slo/card/argv_common.hpp>
#include <slo/card/card.hpp>
#include <slo/card/plan_parameters.hpp>
#include <slo/config/document.hpp>
#include <slo/config/section.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::card {

/// A service as a plan wants it started.
struct PlanEngine {
    std::string name;
    std::string framework; ///< engines of one framework follow each other
    std::string url;       ///< without /v1
    std::string model;     ///< empty: that of the options, or of the sidecar
    std::vector<std::string> flags;
    std::string note;    ///< what else to see to when it is started
    std::string sidecar; ///< a file that describes it; empty: that of the options
};

/// A load on an engine.
struct PlanRun {
    std::string label;
    std::size_t engine = 0; ///< of PlanFile::engines
    Card card;
    bool capture = true;  ///< the metrics of the engine before and after it
    bool at_once = false; ///< together with the run before it
    bool fresh = false;   ///< the engine is started anew before it
};

/// Runs that answer one question.
struct PlanPhase {
    std::string id;
    std::string title;
    std::string decide; ///< how to read the answer
    std::vector<PlanRun> runs;
};

/// A plan, checked, its parameters filled in.
struct PlanFile {
    std::string id;
    std::string description;
    std::int64_t warmup_requests = 30;
    std::int64_t repetitions = 3;
    double cooldown_s = 60; ///< between configurations
    double gap_s = 5;       ///< between repetitions of one
    json::object parameters;
    std::vector<PlanEngine> engines;
    std::vector<PlanPhase> phases;
};

namespace detail {

/// service_url(), of which a message names where the address stands.
inline std::string engine_url(const std::string& url, std::string_view subject)
{
    try {
        return service_url(url);
    } catch (const UsageError& error) {
        const std::string_view what = error.what();
        throw Error(subject, what.substr(what.find(": ") + 2));
    }
}

class PlanReader {
public:
    PlanReader(json::object root, std::string name, std::string folder,
               const std::vector<std::string>& settings)
        : root_(std::move(root)), name_(std::move(name)), folder_(std::move(folder))
    {
        const auto* given = object_at(root_, "parameters");
        PlanParameters parameters(given ? *given : json::object{}, name_);
        for (const auto& words : settings)
            parameters.set(words);
        for (const char* key : {"engines", "phases"})
            if (auto* value = root_.if_contains(key))
                parameters.fill(*value);
        plan_.parameters = parameters.values();
    }

    PlanFile read()
    {
        constexpr std::int64_t most = 1'000'000;
        constexpr double a_day = 86'400;
        config::Section plan(root_, name_);
        plan_.id = plan.text("plan");
        plan_.description = plan.text("description", "");
        plan_.warmup_requests = plan.integer("warmup_requests", 0, most, plan_.warmup_requests);
        plan_.repetitions = plan.integer("repetitions", 1, 100, plan_.repetitions);
        plan_.cooldown_s = plan.number("cooldown_s", 0, a_day, plan_.cooldown_s);
        plan_.gap_s = plan.number("gap_s", 0, a_day, plan_.gap_s);
        plan.has("parameters");
        read_engines(plan);
        for (auto& phase : plan.sections("phases"))
            read_phase(phase);
        if (plan_.phases.empty())
            throw plan.error("phases", "is missing or empty");
        plan.finish();
        return std::move(plan_);
    }

private:
    void read_engines(config::Section& plan)
    {
        auto engines = plan.section("engines");
        for (const auto& member : root_["engines"].get_object()) {
            PlanEngine engine;
            engine.name = std::string(member.key().data(), member.key().size());
            auto keys = engines.section(engine.name);
            engine.framework = keys.text("framework", engine.name);
            engine.url = engine_url(keys.text("url"), name_ + ": engines." + engine.name + ".url");
            engine.model = keys.text("model", "");
            engine.flags = flags_of(keys);
            engine.note = keys.text("note", "");
            if (keys.has("sidecar"))
                engine.sidecar = (std::filesystem::path(folder_) / keys.text("sidecar")).string();
            keys.finish();
            engine_names_.push_back(engine.name);
            plan_.engines.push_back(std::move(engine));
        }
    }

    // A parameter that stands for a word of a command line may be a number.
    static std::vector<std::string> flags_of(config::Section& engine)
    {
        std::vector<std::string> flags;
        const auto* list = engine.value("flags");
        if (list && !list->is_array())
            throw engine.error("flags", "is no list");
        for (std::size_t i = 0; list && i < list->get_array().size(); ++i) {
            const auto& word = list->get_array()[i];
            if (!word.is_string() && !as_number(&word))
                throw engine.error("flags", "is no list of words");
            flags.push_back(word.is_string() ? std::string(word.get_string()) : to_json(word));
        }
        return flags;
    }

    std::size_t engine_of(config::Section& run)
    {
        const auto name = run.text("engine");
        for (std::size_t i = 0; i < engine_names_.size(); ++i)
            if (engine_names_[i] == name)
                return i;
        const auto nearest = nearest_name(name, engine_names_);
        throw run.error("engine", "'" + printable(name, 60) + "' is none of the engines" +
                                      (nearest ? "; did you mean " + *nearest + "?" : ""));
    }

    void read_phase(config::Section& keys)
    {
        PlanPhase phase;
        phase.id = keys.text("id");
        phase.title = keys.text("title", "");
        phase.decide = keys.text("decide", "");
        if (!phase_ids_.insert(phase.id).second)
            throw keys.error("id", "'" + printable(phase.id, 60) + "' stands twice");
        for (auto& run : keys.sections("runs"))
            phase.runs.push_back(read_run(run, phase));
        if (phase.runs.empty())
            throw keys.error("runs", "is missing or empty");
        keys.finish();
        plan_.phases.push_back(std::move(phase));
    }

    PlanRun read_run(config::Section& keys, const PlanPhase& phase)
    {
        PlanRun run;
        run.label = keys.text("label");
        if (run.label.empty() || run.label.size() > 100 || run.label[0] == '.' || run.label[0] == '-' ||
            run.label.find_first_not_of(label_letters) != std::string::npos)
            throw keys.error("label", "wants up to 100 of A-Z a-z 0-9 . _ -, for it names a folder");
        if (!labels_.insert(run.label).second)
            throw keys.error("label", "'" + run.label + "' stands twice");
        run.engine = engine_of(keys);
        run.capture = keys.flag("capture", true);
        run.fresh = keys.flag("fresh", false);
        run.at_once = keys.flag("at_once", false);
        if (run.at_once && phase.runs.empty())
            throw keys.error("at_once", "no run of this phase is before it");
        if (run.at_once && run.fresh)
            throw keys.error("fresh", "belongs to the first of the runs that go at once");
        run.card = read_card(keys, run.label, phase.id);
        keys.finish();
        return run;
    }

    // A card of the catalogue, or the run's own, with what the run changes, and the plan's warm-up.
    Card read_card(config::Section& keys, const std::string& label, const std::string& phase)
    {
        json::object root;
        if (keys.has("card")) {
            for (const char* own : {"dataset", "load", "slo"})
                if (keys.has(own))
                    throw keys.error(own, "stands beside a card: put it under override");
            root = load_card((std::filesystem::path(folder_) / keys.text("card")).string()).root;
        } else {
            root["catalog_id"] = plan_.id + "-" + phase; // alike for what is to be compared
            for (const char* own : {"dataset", "load", "slo"})
                if (const auto* value = keys.value(own))
                    root[own] = *value;
        }
        if (const auto* changes = keys.value("override")) {
            if (!changes->is_object())
                throw keys.error("override", "is no mapping");
            merge_into(root, changes->get_object());
        }
        if (auto* load = root.if_contains("load"); load && load->is_object()) {
            auto& loads = load->get_object();
            if (!loads.contains("warmup_requests") && !loads.contains("warmup_sessions"))
                loads["warmup_requests"] = plan_.warmup_requests;
        }
        return make_card(std::move(root), name_ + ": " + label);
    }

    static constexpr std::string_view label_letters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

    json::object root_;
    std::string name_;
    std::string folder_;
    PlanFile plan_;
    std::vector<std::string> engine_names_;
    std::set<std::string> phase_ids_;
    std::set<std::string> labels_;
};

} // namespace detail

/// A plan out of YAML or JSON; cards that it names lie relative to `folder`, `settings` ("NAME=VALUE") win
/// over its parameters. Throws InputError with the place, UsageError for a setting, IoError for a card.
inline PlanFile parse_plan(std::string_view text, const std::string& name, const std::string& folder = ".",
                           const std::vector<std::string>& settings = {})
{
    return detail::PlanReader(config::parse_document(text, name), name, folder, settings).read();
}

/// The same of a file ("-" is stdin), whose folder is that of its cards.
inline PlanFile load_plan(const std::string& path, const std::vector<std::string>& settings = {})
{
    const auto folder = path == "-" ? std::string(".") : std::filesystem::path(path).parent_path().string();
    return detail::PlanReader(config::load_document(path), io::display_name(path), folder, settings).read();
}

} // namespace slo::card

#endif
