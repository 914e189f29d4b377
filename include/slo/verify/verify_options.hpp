// SPDX-License-Identifier: MIT
// What route-verify is asked to check.

#ifndef SLO_VERIFY_VERIFY_OPTIONS_HPP
#define SLO_VERIFY_VERIFY_OPTIONS_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/record/timestamp.hpp>
#include <slo/tokens/tokenizer_options.hpp>
#include <slo/verify/conversations.hpp>
#include <slo/verify/count_rules.hpp>
#include <slo/verify/hit_rate_rule.hpp>
#include <slo/workload/quota_spec.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::verify {

/// The command line.
struct VerifyOptions {
    std::string spec;
    std::vector<std::string> only;
    std::vector<std::string> skip;
    std::string ts_unit;
    bool single_turn = false;
    bool strict_messages = false;
    bool strict_lines = false;
    bool unique_prompts = false;
    bool unique_first_blocks = false;
    std::string body;
    std::vector<std::string> forbid;
    std::optional<std::int64_t> max_run;
    std::optional<std::int64_t> max_model_len;
    std::optional<std::int64_t> cache_blocks;
    std::optional<std::int64_t> block_tokens;
    std::optional<std::int64_t> n;
    std::string hit_rate;
    std::uint64_t min_rows = 1;
    std::string for_run;
    std::optional<std::uint32_t> shards;
    std::array<double, 2> sample_range{0, 1};
    double share_tolerance = 0.2;
    tokens::TokenizerOptions tokenizer = tokens::TokenizerOptions::required();

    /// Adds the options to a table of the cli layer, which this layer does not know.
    template <class Table>
    void describe(Table& table)
    {
        table.section("Rules");
        table.add("spec", spec, "FILE", "what the route is to be: the file it was built from");
        table.add_repeatable("rule", only, "RULE", "check this rule; without it, all that apply");
        table.add_repeatable("skip", skip, "RULE", "leave this rule out");
        table.section("Times and conversations");
        table.add("ts-unit", ts_unit, "UNIT", "what ts counts: s, ms, us or ns; else told by magnitude");
        table.flag("single-turn", single_turn, "no conversation has two rows");
        table.section("Prompts and bodies");
        table.flag("strict-lines", strict_lines, "nothing but LF that any reader takes for a line's end");
        table.flag("strict-messages", strict_messages, "messages hold role and content alone");
        table.flag("unique-prompts", unique_prompts, "no prompt occurs twice");
        table.flag("unique-first-blocks", unique_first_blocks,
                   "no two prompts share their first cache block");
        table.add("body", body, "JSON", "all members of a body but the prompt, with their values");
        table.add_repeatable("forbid", forbid, "NAME", "no body has this member (with --spec: top_k, min_p)");
        table.section("Lengths and the cache");
        table.add("max-run", max_run, "COUNT", "rows of one bucket next to each other at most");
        table.add("max-model-len", max_model_len, "TOKENS", "prompt and answer fit this context");
        table.add("cache-blocks", cache_blocks, "COUNT",
                  "play the route through a prefix cache of that size");
        table.add("block-tokens", block_tokens, "TOKENS",
                  "tokens a cache block holds (else the spec's, or 16)");
        table.add("n", n, "COUNT", "answers to each request; else as its body says");
        table.add("hit-rate", hit_rate, "LOW:HIGH", "where the hit rate must lie, 0 to 1");
        table.section("Numbers of rows");
        table.add("min-rows", min_rows, "COUNT", "rows at least");
        table.add("for-run", for_run, "QPS,ROUNDS,SECONDS", "rows for that many rounds at that rate");
        table.add("shards", shards, "COUNT", "each of so many shards gets its share of the rows");
        table.add_pair("sample-range", sample_range, "START END", "the sample has its share of the rows");
        table.add("share-tolerance", share_tolerance, "FRACTION", "how far a share may be off");
        tokenizer.describe(table);
    }
};

/// The options, checked and with what the spec adds.
struct Plan {
    VerifyOptions options;
    std::optional<workload::QuotaSpec> spec;
    std::optional<record::TsUnit> ts_unit;
    std::optional<json::object> body; ///< as it must be
    std::vector<std::string> forbidden;
    std::int64_t max_run = 0;       ///< 0: any
    std::int64_t max_model_len = 0; ///< 0: not known
    std::string max_model_len_from; ///< who said it
    std::optional<HitRateOptions> cache;
    std::uint64_t needed_rows = 1;
    bool has_tokenizer = false;
    std::shared_ptr<Conversations> conversations = std::make_shared<Conversations>(); ///< of the one route

    bool is_quota() const { return spec && spec->kind == "quota"; }
    bool is_boundary() const { return spec && spec->kind == "boundary"; }
    bool is_sampled() const { return options.sample_range != std::array<double, 2>{0, 1}; }
    /// Takes the context that a tokenizer's description says, where nothing else does.
    void take_context(const json::object& tokenizer)
    {
        if (max_model_len > 0)
            return;
        max_model_len = std::max<std::int64_t>(integer_at(tokenizer, "max_model_len").value_or(0), 0);
        max_model_len_from = "--tokenizer";
    }
    std::int64_t block_tokens() const
    {
        return options.block_tokens.value_or(spec ? spec->block_tokens : engine::block_tokens);
    }
};

namespace detail {

inline void check_range(const std::optional<std::int64_t>& value, std::int64_t low, std::int64_t high,
                        const char* option)
{
    if (value && (*value < low || *value > high))
        throw UsageError(option, "must be from " + std::to_string(low) + " to " + std::to_string(high));
}

inline json::object parse_body(const std::string& text)
{
    try {
        auto value = parse_json(text);
        if (auto* object = value.if_object())
            return std::move(*object);
    } catch (const JsonError& error) {
        throw UsageError("--body", error.what());
    }
    throw UsageError("--body", "is no JSON object");
}

inline HitRateOptions cache_options(const Plan& plan)
{
    const auto& options = plan.options;
    HitRateOptions cache{*options.cache_blocks, plan.block_tokens(), options.n, 0, 1};
    if (options.hit_rate.empty())
        return cache;
    const auto colon = options.hit_rate.find(':');
    const auto low = parse_double(options.hit_rate.substr(0, colon));
    const auto high = colon == std::string::npos ? low : parse_double(options.hit_rate.substr(colon + 1));
    if (!low || !high || !(0 <= *low && *low <= *high && *high <= 1))
        throw UsageError("--hit-rate", "wants LOW:HIGH, 0 <= LOW <= HIGH <= 1");
    cache.low = *low;
    cache.high = *high;
    return cache;
}

} // namespace detail

/// Checks the options and reads the spec. Throws UsageError, IoError, InputError.
inline Plan make_plan(const VerifyOptions& options)
{
    Plan plan;
    plan.options = options;
    if (!options.spec.empty())
        plan.spec = workload::read_quota_spec(options.spec);
    if (!options.ts_unit.empty()) {
        plan.ts_unit = record::ts_unit_of(options.ts_unit);
        if (!plan.ts_unit)
            throw UsageError("--ts-unit", "wants s, ms, us or ns");
    }
    detail::check_range(options.max_run, 1, 1'000'000'000, "--max-run");
    detail::check_range(options.max_model_len, 1, 1'000'000'000, "--max-model-len");
    detail::check_range(options.cache_blocks, 1, 100'000'000, "--cache-blocks");
    detail::check_range(options.block_tokens, 1, 65536, "--block-tokens");
    detail::check_range(options.n, 1, 128, "--n");
    if (options.shards && (*options.shards < 1 || *options.shards > plan::ShardFilter::max_count))
        throw UsageError("--shards", "must be from 1 to 65536");
    if (!(options.share_tolerance > 0))
        throw UsageError("--share-tolerance", "must be above 0");
    plan::SampleRange(options.sample_range[0], options.sample_range[1]);

    if (!options.body.empty())
        plan.body = detail::parse_body(options.body);
    else if (plan.spec)
        plan.body = plan.spec->body;
    plan.forbidden = options.forbid;
    if (plan.forbidden.empty())
        plan.forbidden = {"top_k", "min_p"};
    if (plan.body)
        std::erase_if(plan.forbidden, [&](const std::string& name) { return find(*plan.body, name); });
    plan.max_run = options.max_run.value_or(plan.is_quota() ? plan.spec->longest_run : 0);
    if (options.max_model_len) {
        plan.max_model_len = *options.max_model_len;
        plan.max_model_len_from = "--max-model-len";
    } else if (plan.spec) {
        plan.max_model_len = plan.spec->max_model_len;
        plan.max_model_len_from = "--spec";
    }
    plan.has_tokenizer = !options.tokenizer.how.empty();
    if (!options.hit_rate.empty() && !options.cache_blocks)
        throw UsageError("--hit-rate", "needs --cache-blocks");
    if (options.n && !options.cache_blocks)
        throw UsageError("--n", "needs --cache-blocks");
    if (options.cache_blocks && !plan.has_tokenizer)
        throw UsageError("--cache-blocks", "needs --tokenizer");
    if (options.cache_blocks)
        plan.cache = detail::cache_options(plan);
    plan.needed_rows = options.min_rows;
    if (!options.for_run.empty())
        plan.needed_rows = std::max(plan.needed_rows, RunPlan::parse(options.for_run).rows());
    return plan;
}

} // namespace slo::verify

#endif
