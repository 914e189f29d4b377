// SPDX-License-Identifier: MIT
// route-build prefix-repetition: a few prefixes, each with many endings.

#ifndef SLO_WORKLOAD_PREFIX_REPETITION_HPP
#define SLO_WORKLOAD_PREFIX_REPETITION_HPP

#include <slo/base/error.hpp>
#include <slo/base/random.hpp>
#include <slo/workload/build.hpp>
#include <slo/workload/generated_rows.hpp>
#include <slo/workload/length_law.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace slo::workload {

/// What route-build prefix-repetition is told; names, meaning and defaults as vLLM's data set has them.
struct PrefixRepetitionOptions {
    static constexpr const char* verb = "prefix-repetition";
    static constexpr const char* synopsis = "--tokenizer HOW [OPTION]...";
    static constexpr const char* summary = "Prompts that begin with one of a few prefixes.";

    BuildOptions build;
    GeneratedOptions rows{"pr-"};
    std::int64_t count = 1000;
    std::int64_t num_prefixes = 10;
    std::string prefix_len = "256";
    std::string suffix_len = "256";
    std::string output_len = "128";

    template <class Table>
    void describe(Table& table)
    {
        table.section("Workload");
        table.add("rows", count, "COUNT", "requests, spread over the prefixes evenly");
        table.add("num-prefixes", num_prefixes, "COUNT", "different prefixes");
        table.add("prefix-len", prefix_len, "LAW", "tokens of a prefix");
        table.add("suffix-len", suffix_len, "LAW", "tokens of what follows, another in each prompt");
        table.add("output-len", output_len, "LAW", "tokens of an answer (max_tokens)");
        rows.describe(table);
    }

    /// Throws Error.
    void run(Build& out) const
    {
        check_count("--rows", count);
        check_count("--num-prefixes", num_prefixes, 1'000'000);
        if (num_prefixes > count)
            throw UsageError("--num-prefixes", "is more than there are rows");
        const auto open = [&](const std::string& path) { return out.open(path); };
        const auto prefix = LengthLaw::parse("--prefix-len", prefix_len, open);
        const auto suffix = LengthLaw::parse("--suffix-len", suffix_len, open);
        const auto output = LengthLaw::parse("--output-len", output_len, open);
        Random random(static_cast<std::uint64_t>(rows.seed));
        std::vector<std::int64_t> prefix_tokens;
        for (std::int64_t i = 0; i < num_prefixes; ++i)
            prefix_tokens.push_back(prefix.draw(random));
        std::vector<std::uint32_t> order;
        for (std::int64_t i = 0; i < count; ++i)
            order.push_back(static_cast<std::uint32_t>(i % num_prefixes));
        shuffle_by(random, order);
        GeneratedRows generated(rows, out, true);
        for (std::size_t i = 0; i < order.size(); ++i) {
            const auto chosen = order[i];
            PromptPlan plan;
            plan.messages = {{"user",
                              {{generated.stream("prefix", chosen), prefix_tokens[chosen]},
                               {generated.stream("suffix", i), suffix.draw(random)}}}};
            const auto output_tokens = output.draw(random);
            generated.add(std::move(plan), output_tokens);
        }
        generated.finish();
    }
};

} // namespace slo::workload

#endif
