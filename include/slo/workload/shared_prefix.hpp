// SPDX-License-Identifier: MIT
// route-build shared-prefix: groups of requests with one system prompt each.

#ifndef SLO_WORKLOAD_SHARED_PREFIX_HPP
#define SLO_WORKLOAD_SHARED_PREFIX_HPP

#include <slo/base/error.hpp>
#include <slo/base/random.hpp>
#include <slo/workload/build.hpp>
#include <slo/workload/generated_rows.hpp>
#include <slo/workload/length_law.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slo::workload {

/// What route-build shared-prefix is told.
struct SharedPrefixOptions {
    static constexpr const char* verb = "shared-prefix";
    static constexpr const char* synopsis = "--tokenizer HOW [OPTION]...";
    static constexpr const char* summary = "Groups of prompts, each group with one system prompt.";

    BuildOptions build;
    GeneratedOptions rows{"sp-"};
    std::int64_t groups = 64;
    std::int64_t prompts_per_group = 16;
    std::string system_len = "2048";
    std::string question_len = "128";
    std::string output_len = "256";
    std::optional<double> zipf;

    template <class Table>
    void describe(Table& table)
    {
        table.section("Workload");
        table.add("groups", groups, "COUNT", "different system prompts");
        table.add("prompts-per-group", prompts_per_group, "COUNT",
                  "requests of a group, with --zipf their mean");
        table.add("system-len", system_len, "LAW", "tokens of a group's system prompt");
        table.add("question-len", question_len, "LAW", "tokens of a question");
        table.add("output-len", output_len, "LAW", "tokens of an answer (max_tokens)");
        table.add("zipf", zipf, "S", "draw a request's group: the k-th as often as k^-S says");
        rows.describe(table);
    }

    /// Throws Error.
    void run(Build& out) const
    {
        check_count("--groups", groups, 1'000'000);
        check_count("--prompts-per-group", prompts_per_group, most_rows / groups);
        const auto open = [&](const std::string& path) { return out.open(path); };
        const auto system = LengthLaw::parse("--system-len", system_len, open);
        const auto question = LengthLaw::parse("--question-len", question_len, open);
        const auto output = LengthLaw::parse("--output-len", output_len, open);
        Random random(static_cast<std::uint64_t>(rows.seed));
        const auto order = group_order(random);
        std::vector<std::int64_t> system_tokens;
        for (std::int64_t group = 0; group < groups; ++group)
            system_tokens.push_back(system.draw(random));
        GeneratedRows generated(rows, out, true);
        for (std::size_t i = 0; i < order.size(); ++i) {
            const auto group = order[i];
            PromptPlan plan;
            plan.messages = {{"system", {{generated.stream("system", group), system_tokens[group]}}},
                             {"user", {{generated.stream("question", i), question.draw(random)}}}};
            const auto output_tokens = output.draw(random);
            generated.add(std::move(plan), output_tokens);
        }
        generated.finish();
        out.facts()["groups"] = group_facts(order);
    }

    /// The group of each row, 0-based: shuffled, or drawn with --zipf.
    std::vector<std::uint32_t> group_order(Random& random) const
    {
        std::vector<std::uint32_t> order;
        order.reserve(static_cast<std::size_t>(groups * prompts_per_group));
        if (!zipf) {
            for (std::int64_t i = 0; i < groups * prompts_per_group; ++i)
                order.push_back(static_cast<std::uint32_t>(i % groups));
            shuffle_by(random, order);
            return order;
        }
        const auto rank = LengthLaw::zipf("--zipf", *zipf, groups);
        for (std::int64_t i = 0; i < groups * prompts_per_group; ++i)
            order.push_back(static_cast<std::uint32_t>(rank.draw(random) - 1));
        return order;
    }

private:
    json::object group_facts(const std::vector<std::uint32_t>& order) const
    {
        std::vector<std::int64_t> counts(static_cast<std::size_t>(groups));
        for (const auto group : order)
            ++counts[group];
        const auto used = std::count_if(counts.begin(), counts.end(), [](auto count) { return count > 0; });
        return {{"used", used},
                {"largest", *std::max_element(counts.begin(), counts.end())},
                {"smallest", *std::min_element(counts.begin(), counts.end())}};
    }
};

} // namespace slo::workload

#endif
