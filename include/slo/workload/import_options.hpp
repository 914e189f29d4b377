// SPDX-License-Identifier: MIT
// The options of route-build import, read and checked.

#ifndef SLO_WORKLOAD_IMPORT_OPTIONS_HPP
#define SLO_WORKLOAD_IMPORT_OPTIONS_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/record/timestamp.hpp>
#include <slo/tokens/tokenizer_options.hpp>
#include <slo/workload/build.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::workload {

/// Options of the verb; what they mean stands in its help.
struct ImportOptions {
    static constexpr const char* verb = "import";
    static constexpr const char* synopsis = "--format FORMAT [OPTION]... [FILE]";
    static constexpr const char* summary = "Makes a route of a trace or data set that other tools use.";

    BuildOptions build;
    tokens::TokenizerOptions tokenizer = tokens::TokenizerOptions::required();
    std::vector<std::string> files{"-"};
    std::string format;
    std::string max_bad = "0";
    std::string turns = "all";
    std::string only_model;
    std::int64_t block_tokens = 0;
    std::string start_ts;
    std::string ts_unit = "ns";
    double spacing_s = 1;
    bool sort = false;
    bool raw_prompt = false;
    bool fixed_output = false;
    std::int64_t answer_tokens = 200;
    std::uint64_t seed = 1;
    std::int64_t min_prompt_tokens = 0;
    std::int64_t min_output_tokens = 0;
    std::int64_t max_prompt_tokens = 0;
    std::int64_t max_total_tokens = 0;

    template <class Table>
    void describe(Table& table)
    {
        table.section("Source");
        table.add(
            "format", format, "FORMAT",
            "sharegpt, mooncake, bailian, burstgpt, azure, vllm, sglang, aiperf, openai-batch or legacy");
        table.add("max-bad", max_bad, "N|P%", "how many malformed records may be passed over");
        table.add("turns", turns, "WHICH",
                  "of a conversation with answers: first, or all, each with what was said before");
        table.add("only-model", only_model, "NAME", "of a burstgpt trace, only the rows of this model");
        table.add("block-tokens", block_tokens, "N",
                  "tokens of a hash id's block; 0: as the format has it, 512 or 16");
        table.section("Times");
        table.add(
            "start-ts", start_ts, "SECONDS",
            "when the trace begins, since 1970; else 1760000000, and its own time where it has moments");
        table.add("ts-unit", ts_unit, "UNIT", "s, ms, us or ns: unit of the ts that are written");
        table.add("spacing", spacing_s, "SECONDS", "from one row to the next where the format has no times");
        table.flag("sort", sort, "write the rows in the order of their times; keeps them in memory");
        table.section("Prompts and answers");
        table.flag("raw-prompt", raw_prompt, "prompts are texts for /completions, not message lists");
        table.flag("fixed-output", fixed_output,
                   "add min_tokens and ignore_eos, so that answers have the length of the trace");
        table.add("answer-tokens", answer_tokens, "N",
                  "tokens of a made-up answer in a history where the trace tells no length");
        table.add("seed", seed, "N", "of the texts that are made up");
        table.section("Leave out, counted");
        table.add("min-prompt-tokens", min_prompt_tokens, "N", "shorter prompts (vLLM and SGLang: 4)");
        table.add("min-output-tokens", min_output_tokens, "N", "shorter answers (vLLM and SGLang: 4)");
        table.add("max-prompt-tokens", max_prompt_tokens, "N", "longer prompts (vLLM: 1024); 0: no bound");
        table.add("max-total-tokens", max_total_tokens, "N",
                  "longer prompt and answer together (vLLM: 2048); 0: no bound");
        tokenizer.describe(table);
        table.positional(files);
    }

    void run(Build& build) const;

    /// Throws UsageError for options that make no sense.
    void check() const
    {
        if (files.size() != 1)
            throw UsageError("import", "takes one FILE");
        if (turns != "first" && turns != "all")
            throw UsageError("--turns", "must be first or all");
        if (!record::ts_unit_of(ts_unit))
            throw UsageError("--ts-unit", "must be s, ms, us or ns");
        if (!(spacing_s > 0 && spacing_s <= 1e6))
            throw UsageError("--spacing", "must be above 0 and at most 1000000");
        if (block_tokens < 0 || block_tokens > 1'000'000)
            throw UsageError("--block-tokens", "must be from 0 to 1000000");
        if (answer_tokens < 1 || answer_tokens > 1'000'000)
            throw UsageError("--answer-tokens", "must be from 1 to 1000000");
        for (const auto bound : {min_prompt_tokens, min_output_tokens, max_prompt_tokens, max_total_tokens})
            if (bound < 0)
                throw UsageError("bounds of tokens", "must not be negative");
    }

    /// Counts texts that the trace has, where no option says who does.
    static constexpr const char* rough_tokenizer = "approx:4";

    /// Who counts those. Throws UsageError, Error.
    std::unique_ptr<tokens::Tokenizer> open_counter() const
    {
        auto counter = tokenizer;
        if (counter.how.empty())
            counter.how = rough_tokenizer;
        return counter.open();
    }

    /// --start-ts in nanoseconds. Throws UsageError.
    std::optional<std::int64_t> start_ns() const
    {
        if (start_ts.empty())
            return std::nullopt;
        const auto seconds = record::Timestamp::parse(start_ts);
        const auto time_ns = seconds ? seconds->to_ns(record::TsUnit::s) : std::nullopt;
        if (!time_ns)
            throw UsageError("--start-ts", "must be seconds since 1970");
        return time_ns;
    }
};

/// How many malformed records are too many.
class BadLimit {
public:
    /// "3" or "0.5%". Throws UsageError.
    explicit BadLimit(std::string_view text)
    {
        if (text.ends_with('%')) {
            percent_ = parse_double(text.substr(0, text.size() - 1));
            if (!percent_ || *percent_ < 0 || *percent_ > 100)
                throw UsageError("--max-bad", "a share must be from 0% to 100%");
            return;
        }
        const auto count = parse_integer<std::int64_t>(text);
        if (!count || *count < 0)
            throw UsageError("--max-bad", "must be a count or a share such as 0.5%");
        count_ = static_cast<std::uint64_t>(*count);
    }

    /// True as soon as `bad` are too many, however many records follow.
    bool exceeded(std::uint64_t bad) const noexcept { return !percent_ && bad > count_; }

    /// True when `bad` of all `records` are too many.
    bool exceeded(std::uint64_t bad, std::uint64_t records) const noexcept
    {
        return percent_ ? static_cast<double>(bad) * 100 > *percent_ * static_cast<double>(records)
                        : bad > count_;
    }

private:
    std::uint64_t count_ = 0;
    std::optional<double> percent_;
};

} // namespace slo::workload

#endif
