// SPDX-License-Identifier: MIT
// All rules by name: what each wants, what it needs, and when it applies.

#ifndef SLO_VERIFY_RULE_TABLE_HPP
#define SLO_VERIFY_RULE_TABLE_HPP

#include <slo/verify/body_rules.hpp>
#include <slo/verify/boundary_rule.hpp>
#include <slo/verify/bucket_rules.hpp>
#include <slo/verify/conversation_rules.hpp>
#include <slo/verify/count_rules.hpp>
#include <slo/verify/hit_rate_rule.hpp>
#include <slo/verify/line_rules.hpp>
#include <slo/verify/message_rules.hpp>
#include <slo/verify/prompt_rules.hpp>
#include <slo/verify/time_rules.hpp>
#include <slo/verify/token_rules.hpp>
#include <slo/verify/verify_options.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::verify {

/// Whether a plan wants a rule, and for what reason.
enum class Wanted {
    no,
    by_default, ///< where rows have nothing that it looks at, it is kept
    asked       ///< then it is broken
};

/// One kind of rule.
struct RuleEntry {
    std::string_view name;
    std::string_view needs; ///< options without which it cannot be checked; empty: none
    std::string_view wants; ///< one phrase
    bool (*is_possible)(const Plan&);
    Wanted (*wanted)(const Plan&); ///< where it is possible, and not named
    std::unique_ptr<Rule> (*make)(const Plan&);
};

namespace detail {

inline bool always(const Plan&)
{
    return true;
}

inline Wanted by_default(const Plan&)
{
    return Wanted::by_default;
}

inline Wanted asked(const Plan&)
{
    return Wanted::asked;
}

inline Wanted asked_if(bool condition)
{
    return condition ? Wanted::asked : Wanted::no;
}

template <class R>
std::unique_ptr<Rule> plain(const Plan&)
{
    return std::make_unique<R>();
}

inline bool has_spec(const Plan& plan)
{
    return plan.spec.has_value();
}

inline bool is_single_turn(const Plan& plan)
{
    return plan.options.single_turn || has_spec(plan);
}

inline bool is_named(const Plan& plan, std::string_view rule)
{
    const auto& only = plan.options.only;
    return std::find(only.begin(), only.end(), rule) != only.end();
}

inline std::vector<Bucket> buckets(const Plan& plan)
{
    return plan.spec ? plan.spec->buckets : std::vector<Bucket>();
}

} // namespace detail

/// Rules that no choice leaves out: a malformed row is never passed over, and an empty route never valid.
inline bool is_compulsory(std::string_view name) noexcept
{
    return name == "schema" || name == "rows";
}

/// All rules, in the order of the report.
inline const std::vector<RuleEntry>& rule_table()
{
    using detail::always;
    using detail::asked;
    using detail::asked_if;
    using detail::by_default;
    using detail::plain;
    using P = const Plan&;
    using Made = std::unique_ptr<Rule>;
    static const std::vector<RuleEntry> table{
        {"schema", "", "each line is a well-formed row", always, by_default, plain<SchemaRule>},
        {"lines", "", "only LF ends a line; with --strict-lines nothing else looks like an end", always,
         by_default, [](P p) -> Made { return std::make_unique<LinesRule>(p.options.strict_lines); }},
        {"unit", "", "the unit of ts is declared or told by magnitude", always, by_default,
         [](P p) -> Made { return std::make_unique<UnitRule>(p.ts_unit); }},
        {"order", "", "ts never falls", always, by_default, plain<OrderRule>},
        {"ids", "", "no row twice; with --single-turn or --spec no conversation twice", always,
         [](P p) { return detail::is_single_turn(p) ? Wanted::asked : Wanted::by_default; },
         [](P p) -> Made { return std::make_unique<IdsRule>(p.conversations, detail::is_single_turn(p)); }},
        {"id-form", "--spec", "each conversation's id is as the spec makes them", detail::has_spec, asked,
         [](P p) -> Made { return std::make_unique<IdFormRule>(*p.spec); }},
        {"turns", "", "a later turn of a conversation comes after an earlier one", always, by_default,
         [](P p) -> Made { return std::make_unique<TurnsRule>(p.conversations); }},
        {"roles", "", "system first, then user and assistant in turn, user last", always, by_default,
         [](P p) -> Made { return std::make_unique<RolesRule>(detail::has_spec(p)); }},
        {"messages", "", "messages hold role and content alone", always,
         [](P p) { return asked_if(p.spec || p.options.strict_messages); }, plain<MessagesRule>},
        {"system", "", "the system message begins as the row says", always,
         [](P p) { return asked_if(detail::has_spec(p)); }, plain<SystemRule>},
        {"quotas", "--spec of a quota route", "each bucket has exactly its rows",
         [](P p) { return p.is_quota(); }, asked,
         [](P p) -> Made { return std::make_unique<QuotasRule>(p.spec->buckets); }},
        {"clusters", "--max-run, or --spec with longest_run", "no bucket stands in long runs",
         [](P p) { return p.max_run > 0; }, asked,
         [](P p) -> Made { return std::make_unique<ClustersRule>(detail::buckets(p), p.max_run); }},
        {"prompts", "", "no prompt twice", always,
         [](P p) { return asked_if(p.spec || p.options.unique_prompts); }, plain<PromptsRule>},
        {"first-blocks", "", "no two prompts share their first cache block", always,
         [](P p) { return asked_if(p.spec || p.options.unique_first_blocks); },
         [](P p) -> Made {
             return std::make_unique<FirstBlocksRule>(static_cast<std::size_t>(p.block_tokens()));
         }},
        {"body", "", "one prompt, and min_tokens not above max_tokens", always, by_default, plain<BodyRule>},
        {"sampling", "--spec or --body", "the members of bodies are exactly these",
         [](P p) { return p.body.has_value(); }, asked,
         [](P p) -> Made { return std::make_unique<SamplingRule>(*p.body, p.forbidden); }},
        {"forbidden", "", "no body has top_k or min_p, or what --forbid names",
         [](P p) { return !p.forbidden.empty(); },
         [](P p) { return asked_if(p.spec || !p.options.forbid.empty()); },
         [](P p) -> Made { return std::make_unique<ForbiddenRule>(p.forbidden); }},
        {"tokens", "--tokenizer", "stored token counts and buckets are those of a recount",
         [](P p) { return p.has_tokenizer; }, by_default,
         [](P p) -> Made {
             return std::make_unique<TokensRule>(detail::buckets(p),
                                                 p.spec.has_value() || detail::is_named(p, "tokens"));
         }},
        {"boundary", "--spec of a boundary set", "each category is there and keeps its promise",
         [](P p) { return p.is_boundary(); }, asked,
         [](P p) -> Made {
             return std::make_unique<BoundaryRule>(p.spec->categories, p.spec->prompt.entries);
         }},
        {"context", "--max-model-len, --spec or a --tokenizer that says it",
         "prompt and answer fit the context", [](P p) { return p.max_model_len > 0; }, asked,
         [](P p) -> Made { return std::make_unique<ContextRule>(p.max_model_len, p.max_model_len_from); }},
        {"hit-rate", "--cache-blocks and --tokenizer", "the prefix cache will serve this share of the tokens",
         [](P p) { return p.cache.has_value(); }, asked,
         [](P p) -> Made { return std::make_unique<HitRateRule>(*p.cache); }},
        {"rows", "", "rows enough", always, by_default,
         [](P p) -> Made { return std::make_unique<RowsRule>(p.needed_rows); }},
        {"shards", "--shards", "each shard of a run gets its share of the rows",
         [](P p) { return p.options.shards.has_value(); }, asked,
         [](P p) -> Made {
             return std::make_unique<ShardsRule>(*p.options.shards, p.options.share_tolerance);
         }},
        {"sample", "--sample-range", "a sample has its share of the rows, and rows enough",
         [](P p) { return p.is_sampled(); }, asked,
         [](P p) -> Made {
             const auto& range = p.options.sample_range;
             return std::make_unique<SampleRule>(range[0], range[1], p.options.share_tolerance,
                                                 p.needed_rows);
         }},
    };
    return table;
}

/// The table for people, one rule a line: its name, what it wants and what it needs.
inline std::string list_rules()
{
    std::string text;
    for (const auto& entry : rule_table()) {
        text += entry.name;
        text.append(14 - entry.name.size(), ' ').append(entry.wants);
        if (!entry.needs.empty())
            text.append(" (needs ").append(entry.needs).append(1, ')');
        text += '\n';
    }
    return text;
}

/// A rule that was chosen, and its name.
struct ChosenRule {
    std::string name;
    std::unique_ptr<Rule> rule;
    bool is_asked = false; ///< and not checked by default only
};

/// The rules that apply: those wanted, or those that --rule names besides the compulsory ones, less those
/// that --skip names. Throws UsageError for names of no rule and for rules that lack what they need.
inline std::vector<ChosenRule> choose_rules(const Plan& plan)
{
    const auto& only = plan.options.only;
    const auto& skip = plan.options.skip;
    const auto names = [](const std::vector<std::string>& list, std::string_view name) {
        return std::find(list.begin(), list.end(), name) != list.end();
    };
    for (const auto& [list, option] : {std::pair(&only, "--rule"), std::pair(&skip, "--skip")}) {
        for (const auto& name : *list) {
            const auto& table = rule_table();
            if (std::none_of(table.begin(), table.end(),
                             [&](const auto& entry) { return entry.name == name; }))
                throw UsageError(option, "no rule is called '" + printable(name, 40) + "'");
            if (list == &skip && is_compulsory(name))
                throw UsageError(option, name + " cannot be left out");
        }
    }
    std::vector<ChosenRule> chosen;
    for (const auto& entry : rule_table()) {
        const bool is_named = names(only, entry.name);
        if (is_named && !entry.is_possible(plan))
            throw UsageError("--rule", std::string(entry.name) + " needs " + std::string(entry.needs));
        auto wanted = is_named ? Wanted::asked : Wanted::no;
        if (only.empty() && entry.is_possible(plan))
            wanted = entry.wanted(plan);
        else if (!is_named && is_compulsory(entry.name))
            wanted = Wanted::by_default;
        if (wanted != Wanted::no && !names(skip, entry.name))
            chosen.push_back({std::string(entry.name), entry.make(plan), wanted == Wanted::asked});
    }
    return chosen;
}

} // namespace slo::verify

#endif
