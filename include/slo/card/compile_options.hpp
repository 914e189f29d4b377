// SPDX-License-Identifier: MIT
// What card-compile is told.

#ifndef SLO_CARD_COMPILE_OPTIONS_HPP
#define SLO_CARD_COMPILE_OPTIONS_HPP

#include <slo/base/error.hpp>
#include <slo/card/card.hpp>
#include <slo/card/compile.hpp>
#include <slo/card/compile_run.hpp>
#include <slo/card/sidecar.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace slo::card {

/// The options of card-compile.
struct CompileOptions {
    std::vector<std::string> files;
    std::string sidecar;
    std::string tool = "replay";
    Target target;
    bool dry_run = false;
    bool run = false;
    std::string folder;
    double cooldown_s = 60;

    template <class Table>
    void describe(Table& table)
    {
        table.section("What is compiled");
        table.add("sidecar", sidecar, "FILE", "the deployment: its model, and its changes to the card");
        table.add("tool", tool, "TOOL", "who sends the load: replay, vllm or sglang");
        table.add("base-url", target.base_url, "URL", "the service");
        table.add("model", target.model, "NAME", "the model to ask for, instead of the sidecar's model.id");
        table.add("tokenizer", target.tokenizer, "HOW",
                  "who counts the tokens of prompts (the service); see route-build");
        table.add("seed", target.seed, "N", "of the first step; each step has another");
        table.section("What is done");
        table.add("output,o", folder, "DIR", "where the files of the steps go (the current folder)");
        table.flag("dry-run", dry_run, "show the commands on stderr, as a shell takes them");
        table.flag("run", run, "run the steps, one after the other");
        table.add("cooldown", cooldown_s, "SECONDS", "between two steps");
        table.positional(files);
    }

    /// Checks the options, makes the folder where the plan is to be run, and compiles. Throws Unsupported,
    /// UsageError, InputError, IoError.
    Plan compile() const
    {
        if (files.size() != 1)
            throw UsageError("CARD", files.empty() ? "is missing" : "can be one only");
        if (dry_run && run)
            throw UsageError("--run", "cannot stand with --dry-run");
        constexpr double a_week = 604'800;
        if (!(cooldown_s >= 0 && cooldown_s <= a_week))
            throw UsageError("--cooldown", "must be from 0 to 604800 seconds");
        const auto compiled_for = tool_named(tool);
        auto where = target;
        if (!folder.empty())
            where.prefix = (std::filesystem::path(folder) / "").string() + target.prefix;
        const auto given = sidecar.empty() ? json::object{} : load_sidecar(sidecar).root();
        auto plan = card::compile(load_card(files.front()), given, compiled_for, where);
        if (run && !plan.orchestrated) {
            check_outputs(plan);
            std::error_code error;
            if (!folder.empty())
                std::filesystem::create_directories(folder, error);
            if (error)
                throw IoError(folder, error.value());
        }
        return plan;
    }
};

} // namespace slo::card

#endif
