// SPDX-License-Identifier: MIT
// The rows of a load that is made up: what all such verbs of route-build have in common.

#ifndef SLO_WORKLOAD_GENERATED_ROWS_HPP
#define SLO_WORKLOAD_GENERATED_ROWS_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/random.hpp>
#include <slo/base/text.hpp>
#include <slo/engine/tokenizer.hpp>
#include <slo/tokens/tokenizer_options.hpp>
#include <slo/workload/build.hpp>
#include <slo/workload/cache_expectation.hpp>
#include <slo/workload/exact_prompts.hpp>
#include <slo/workload/route_row.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::workload {

/// Rows a verb makes up at most: what a route may have is a matter of the disk, this of a slip of the hand.
inline constexpr std::int64_t most_rows = 100'000'000;

/// Throws UsageError unless 1 <= count <= most.
inline void check_count(const std::string& option, std::int64_t count, std::int64_t most = most_rows)
{
    if (count < 1 || count > most)
        throw UsageError(option, "must be from 1 to " + std::to_string(most));
}

/// The options that all verbs have which make up a load.
struct GeneratedOptions {
    explicit GeneratedOptions(std::string ids) : prefix_id(std::move(ids)) {}

    tokens::TokenizerOptions tokenizer = tokens::TokenizerOptions::required();
    std::int64_t seed = 1;
    std::string prefix_id;
    std::int64_t start_ts = 1760000000;
    std::optional<double> qps;
    std::string body;
    bool fixed_output = false;
    bool raw_prompt = false;
    std::string recount = "all";

    /// Adds the options to a table of the cli layer, which this layer does not know.
    template <class Table>
    void describe(Table& table, bool has_times = true)
    {
        table.section("Rows");
        table.add("seed", seed, "N", "another one, another route");
        table.add("prefix-id", prefix_id, "TEXT", "conversation ids are this and a number");
        table.add("start-ts", start_ts, "SECONDS", "time of the first row, since 1970");
        if (has_times)
            table.add("qps", qps, "RATE", "rows a second, times in ns; else a row each second, in s");
        table.add("body", body, "JSON", "members for each row's body");
        table.flag("fixed-output", fixed_output,
                   "ask for exactly the answer's length: min_tokens, ignore_eos");
        table.flag("raw-prompt", raw_prompt, "prompts are texts for /completions, without a template");
        table.add("recount", recount, "WHICH", "prompts to count anew when made: all or sample");
        tokenizer.describe(table);
    }
};

/// Turns plans into rows, in batches that are counted before they are written.
class GeneratedRows {
public:
    /// `expects_cache`: say in the manifest what a prefix cache can save. Throws UsageError, and what opening
    /// the tokenizer throws.
    GeneratedRows(const GeneratedOptions& options, Build& build, bool expects_cache)
        : options_(options), build_(build), body_(extra_body(options)),
          body_tokens_(tokens_of(body_, options.fixed_output)), tokenizer_(options.tokenizer.open()),
          prompts_(*tokenizer_, recount_of(options))
    {
        if (options.start_ts < 1'000'000'000 || options.start_ts > 9'000'000'000)
            throw UsageError("--start-ts", "must be from 1000000000 to 9000000000");
        if (options.qps && !(*options.qps >= 1e-6 && *options.qps <= 1e6))
            throw UsageError("--qps", "must be from 0.000001 to 1000000");
        if (expects_cache && recount_of(options) == Recount::all)
            cache_.emplace();
        prompts_.keep_distinct();
    }

    /// A stream of text that no other `name` and `number` of this route have; those of another seed differ.
    std::uint64_t stream(std::string_view name, std::uint64_t number) const noexcept
    {
        const auto seed = engine::mix64(static_cast<std::uint64_t>(options_.seed) ^
                                        (std::uint64_t{engine::token_of(name)} << 32));
        return engine::mix64(seed + 0x9e3779b97f4a7c15ULL * (number + 1));
    }

    /// One row, with an id of its own and the next time.
    void add(PromptPlan plan, std::int64_t output_tokens)
    {
        const auto index = added_;
        add(std::move(plan), output_tokens, index + 1, next_ts(index));
    }

    /// One row of the conversation with this number, at this time in ns since 1970.
    void add_at(PromptPlan plan, std::int64_t output_tokens, std::uint64_t conversation, std::int64_t ts_ns)
    {
        add(std::move(plan), output_tokens, conversation, std::to_string(ts_ns));
    }

    /// Writes what is left, and what the manifest says of the rows.
    void finish()
    {
        write_batch();
        build_.facts()["tokenizer"] = tokenizer_->description();
        build_.facts()["lengths"] = prompts_.facts();
        build_.facts()["repeated_prompts"] = prompts_.repeated();
        build_.facts()["output_tokens"] = output_tokens_;
        if (cache_)
            build_.facts()["prefix_cache"] = cache_->facts();
        if (const auto repeated = prompts_.repeated(); repeated > 0)
            build_.note((prompts_.has_found_all_repeated() ? "" : "at least ") + std::to_string(repeated) +
                        " prompts are like an earlier one: so few tokens leave no room for more");
    }

    ExactPrompts& prompts() noexcept { return prompts_; }

    /// The tokens that a row asks for whose answer was to have `drawn`: what --body says goes first.
    std::int64_t asked_tokens(std::int64_t drawn) const noexcept { return body_tokens_.value_or(drawn); }

private:
    static constexpr std::size_t batch_rows = 256;
    static constexpr std::int64_t batch_tokens = 1 << 20;

    struct Pending {
        std::string ts;
        std::uint64_t conversation = 0;
        std::int64_t output_tokens = 0;
    };

    static json::object extra_body(const GeneratedOptions& options)
    {
        if (options.body.empty())
            return {};
        try {
            auto value = parse_json(options.body);
            auto* object = value.if_object();
            if (!object)
                throw UsageError("--body", "is no JSON object");
            for (const auto* name : {"prompt", "messages"})
                if (object->contains(name))
                    throw UsageError("--body", "must not have a prompt of its own");
            return std::move(*object);
        } catch (const JsonError& error) {
            throw UsageError("--body", error.what());
        }
    }

    // The answer's length that the body itself asks for.
    static std::optional<std::int64_t> tokens_of(const json::object& body, bool is_fixed)
    {
        std::optional<std::int64_t> tokens;
        for (const std::string name : {"max_tokens", "max_completion_tokens"}) {
            const auto* member = find(body, name);
            if (!member)
                continue;
            const auto count = integer_at(body, name);
            if (!count || *count < 1)
                throw UsageError("--body", name + " must be 1 or more tokens");
            if (tokens && *tokens != *count)
                throw UsageError("--body", "max_tokens and max_completion_tokens contradict each other");
            tokens = count;
        }
        for (const std::string name : {"min_tokens", "ignore_eos"})
            if (is_fixed && body.contains(name))
                throw UsageError("--body", name + " is what --fixed-output sets");
        return tokens;
    }

    static Recount recount_of(const GeneratedOptions& options)
    {
        if (options.recount == "all")
            return Recount::all;
        if (options.recount == "sample")
            return Recount::sample;
        throw UsageError("--recount", "'" + printable(options.recount, 40) + "' is neither all nor sample");
    }

    std::string next_ts(std::uint64_t index) const
    {
        if (!options_.qps)
            return std::to_string(options_.start_ts + static_cast<std::int64_t>(index));
        const auto offset_ns = static_cast<double>(index) * 1e9 / *options_.qps;
        if (offset_ns > 2e17)
            throw UsageError("--qps", "is so low that the route would last for more than six years");
        return std::to_string(options_.start_ts * 1'000'000'000 + std::llround(offset_ns));
    }

    void add(PromptPlan plan, std::int64_t output_tokens, std::uint64_t conversation, std::string ts)
    {
        plan.raw = options_.raw_prompt;
        if (plan.raw)
            join_messages(plan);
        planned_tokens_ += plan.tokens;
        for (const auto& message : plan.messages)
            for (const auto& piece : message.pieces)
                planned_tokens_ += piece.tokens;
        plans_.push_back(std::move(plan));
        pending_.push_back({std::move(ts), conversation, output_tokens});
        ++added_;
        output_tokens_ += asked_tokens(output_tokens);
        if (plans_.size() == batch_rows || planned_tokens_ >= batch_tokens)
            write_batch();
    }

    static void join_messages(PromptPlan& plan)
    {
        auto& all = plan.messages.front().pieces;
        for (std::size_t i = 1; i < plan.messages.size(); ++i)
            all.insert(all.end(), plan.messages[i].pieces.begin(), plan.messages[i].pieces.end());
        plan.messages.resize(1);
    }

    void write_batch()
    {
        auto prompts = prompts_.make(plans_);
        for (std::size_t i = 0; i < prompts.size(); ++i) {
            if (cache_)
                cache_->add(prompts_.counted()[i]);
            write(pending_[i], std::move(prompts[i]));
        }
        plans_.clear();
        pending_.clear();
        planned_tokens_ = 0;
    }

    void write(const Pending& pending, json::value prompt)
    {
        RouteRow row;
        row.ts = pending.ts;
        auto number = std::to_string(pending.conversation);
        row.conv_id =
            options_.prefix_id + std::string(6 - std::min<std::size_t>(6, number.size()), '0') + number;
        row.body["prompt"] = std::move(prompt);
        if (!body_.contains("max_completion_tokens"))
            row.body["max_tokens"] = asked_tokens(pending.output_tokens);
        if (options_.fixed_output) {
            row.body["min_tokens"] = asked_tokens(pending.output_tokens);
            row.body["ignore_eos"] = true;
        }
        for (const auto& member : body_)
            row.body[member.key()] = member.value();
        build_.write(to_line(row));
    }

    const GeneratedOptions& options_;
    Build& build_;
    json::object body_;
    std::optional<std::int64_t> body_tokens_;
    std::unique_ptr<tokens::Tokenizer> tokenizer_;
    ExactPrompts prompts_;
    std::optional<CacheExpectation> cache_;
    std::vector<PromptPlan> plans_;
    std::vector<Pending> pending_;
    std::int64_t planned_tokens_ = 0;
    std::uint64_t added_ = 0;
    std::int64_t output_tokens_ = 0;
};

/// Puts `items` in a random order, the same for a seed from every compiler (Fisher and Yates).
template <class T>
void shuffle_by(Random& random, std::vector<T>& items)
{
    for (auto i = items.size(); i > 1; --i) {
        const auto other = static_cast<std::size_t>(random.uniform() * static_cast<double>(i));
        std::swap(items[i - 1], items[std::min(other, i - 1)]);
    }
}

} // namespace slo::workload

#endif
