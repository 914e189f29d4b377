// SPDX-License-Identifier: MIT
// route-build random: requests that have nothing in common.

#ifndef SLO_WORKLOAD_RANDOM_HPP
#define SLO_WORKLOAD_RANDOM_HPP

#include <slo/base/error.hpp>
#include <slo/base/random.hpp>
#include <slo/workload/build.hpp>
#include <slo/workload/generated_rows.hpp>
#include <slo/workload/length_law.hpp>

#include <cstdint>
#include <string>

namespace slo::workload {

/// What route-build random is told.
struct RandomOptions {
    static constexpr const char* verb = "random";
    static constexpr const char* synopsis = "--tokenizer HOW [OPTION]...";
    static constexpr const char* summary = "Unrelated prompts, lengths drawn from laws.";

    BuildOptions build;
    GeneratedOptions rows{"rnd-"};
    std::int64_t count = 1000;
    std::string input_len = "1024";
    std::string output_len = "128";
    double range_ratio = 0;

    template <class Table>
    void describe(Table& table)
    {
        table.section("Workload");
        table.add("rows", count, "COUNT", "requests");
        table.add("input-len", input_len, "LAW", "tokens of a whole prompt, chat template and all");
        table.add("output-len", output_len, "LAW", "tokens of an answer (max_tokens)");
        table.add("range-ratio", range_ratio, "R", "as in vLLM: from N(1-R) to N(1+R) for a length N");
        rows.describe(table);
    }

    /// Throws Error.
    void run(Build& out) const
    {
        check_count("--rows", count);
        const auto open = [&](const std::string& path) { return out.open(path); };
        const auto input = LengthLaw::parse("--input-len", input_len, open).with_range(range_ratio);
        const auto output = LengthLaw::parse("--output-len", output_len, open).with_range(range_ratio);
        GeneratedRows generated(rows, out, false);
        Random random(static_cast<std::uint64_t>(rows.seed));
        for (std::int64_t i = 0; i < count; ++i) {
            PromptPlan plan;
            plan.tokens = input.draw(random);
            plan.messages = {{"user", {{generated.stream("prompt", static_cast<std::uint64_t>(i)), 1}}}};
            const auto output_tokens = output.draw(random);
            generated.add(std::move(plan), output_tokens);
        }
        generated.finish();
    }
};

} // namespace slo::workload

#endif
