// SPDX-License-Identifier: MIT
// A small workload by quotas and a pool for it.

#ifndef SLO_TESTS_SUPPORT_SMALL_QUOTA_HPP
#define SLO_TESTS_SUPPORT_SMALL_QUOTA_HPP

#include <slo/base/json.hpp>
#include <slo/config/document.hpp>
#include <slo/workload/pool.hpp>
#include <slo/workload/quota_spec.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace slo::test {

inline constexpr std::string_view small_frame = R"(
name: small
ids: q-NNN
ts: {first: 100, step: 2}
context: {max_model_len: 1000, block_tokens: 16}
prompt:
  system: [{label: "Who:", field: personality}, {label: "Where:", field: scenario, optional: true}]
  instructions: [Answer., Be brief.]
  trigger: Now you.
  history: {last: 4, budget_tokens: 150}
  padding: {words: [" context", " so", "."]}
  entries: [{name: direct}, {name: late, every: 3, append_first: suggestions, append_otherwise: none}]
body: {n: 3, max_tokens: 20, temperature: 0.5}
)";

inline constexpr std::string_view small_buckets = R"(
kind: quota
buckets:
  - {name: short, below: 120, rows: 4, target: 100}
  - {name: mid, below: 200, rows: 6, target: 180}
  - {name: long, below: 400, rows: 2, target: 300}
order: {shuffle_seed: 7, longest_run: 2}
)";

inline constexpr std::string_view small_categories = R"(
kind: boundary
buckets: [{name: short, below: 120}, {name: mid, below: 200}, {name: long, below: 400}]
categories:
  - {name: edge, rows: 3, target: 150, made_history: {turns: 9, word: w, words: [3, 30]}, expect: {local_tokens: [145, 150], trimmed: true}}
  - {name: foreign, rows: 2, target: 200, where: {language_not: en}, expect: {language_not: en}}
  - {name: single, rows: 1, target: 300, entry: direct, made_history: {turns: 1, word: x, words: 40}, expect: {turns_in: 1, turns_out: 1, longest_message_chars: [79, 79]}}
  - {name: joined, rows: 2, target: 250, where: {same_role_neighbours: true}, expect: {turns_merged: [1, 9]}}
  - {name: late, rows: 2, target: 250, entry: late, history_last: 2, where: {min_turns: 3}, expect: {turns_in: 3, entry: late}}
)";

/// The text of a whole small spec file.
inline std::string small_quota_text()
{
    return std::string(small_buckets) + std::string(small_frame);
}
inline std::string small_boundary_text()
{
    return std::string(small_categories) + std::string(small_frame);
}

/// The spec that a text says.
inline workload::QuotaSpec quota_spec(std::string_view text)
{
    return workload::parse_quota_spec(config::parse_document(text, "spec.yaml"), "spec.yaml");
}

/// Lines of a pool: row i has i % 6 messages, every fourth has two of one role in a row, every fifth is not
/// English.
inline std::vector<std::string> small_pool_lines(int rows)
{
    std::vector<std::string> lines;
    for (int i = 0; i < rows; ++i) {
        json::array history;
        for (int turn = 0; turn < i % 6; ++turn) {
            const bool repeats = i % 4 == 0 && turn > 0;
            history.push_back(
                {{"role", (turn % 2 == 0) != repeats ? "user" : "assistant"},
                 {"content", "message " + std::to_string(turn) + " of talk " + std::to_string(i)}});
        }
        lines.push_back(to_json(json::object{{"id", "talk-" + std::to_string(i)},
                                             {"personality", std::to_string(1000 + i) + " is a person"},
                                             {"history", std::move(history)},
                                             {"suggestions", {nullptr, "shall we go"}},
                                             {"language", i % 5 == 0 ? "de" : "en"}}));
    }
    return lines;
}

inline std::vector<workload::Conversation> small_pool(const workload::QuotaSpec& spec, int rows)
{
    const workload::detail::ConversationReader reader(spec.prompt);
    std::vector<workload::Conversation> pool;
    for (const auto& line : small_pool_lines(rows))
        pool.push_back(reader.read(line));
    return pool;
}

} // namespace slo::test

#endif
