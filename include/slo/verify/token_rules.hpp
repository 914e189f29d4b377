// SPDX-License-Identifier: MIT
// Rules of token counts: those stored are right, and every prompt leaves room for its answer.

#ifndef SLO_VERIFY_TOKEN_RULES_HPP
#define SLO_VERIFY_TOKEN_RULES_HPP

#include <slo/verify/bucket_rules.hpp>
#include <slo/verify/rule.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slo::verify {

/// The stored count of tokens and, where buckets are given, the stored bucket are those of a recount. With
/// `must_have` each row stores a count.
class TokensRule : public Rule {
public:
    TokensRule(std::vector<Bucket> buckets, bool must_have)
        : buckets_(std::move(buckets)), must_have_(must_have)
    {
    }

    void look(const Row& row) override
    {
        if (!row.tokens())
            return;
        const auto stored = row.stored_tokens();
        const auto counted_tokens = static_cast<std::int64_t>(row.tokens()->size());
        total_ += counted_tokens;
        if (!stored) {
            if (must_have_)
                report_.findings.add(row.line(), "no model.prompt_tokens_chat_template");
            return;
        }
        ++compared_;
        if (*stored != counted_tokens)
            report_.findings.add_lazily(row.line(), [&] {
                return std::to_string(*stored) + " tokens stored, " + std::to_string(counted_tokens) +
                       " counted";
            });
        else if (!buckets_.empty())
            compare_bucket(row);
    }

    RuleReport report() override
    {
        report_.expected = "the stored token counts are those of a recount";
        report_.seen =
            counted(compared_, "row") + " compared, " + std::to_string(report_.findings.count()) + " off";
        report_.figures["compared"] = compared_;
        report_.figures["prompt_tokens"] = total_;
        return std::move(report_);
    }

private:
    void compare_bucket(const Row& row)
    {
        const auto* bucket = workload::find_bucket(buckets_, static_cast<std::int64_t>(row.tokens()->size()));
        const auto stored = string_at(row.model(), "bucket").value_or("");
        if (bucket ? stored != bucket->name : !stored.empty())
            report_.findings.add(row.line(), "bucket " + printable(stored, 40) + " stored, " +
                                                 (bucket ? bucket->name : "none") + " counted");
    }

    std::vector<Bucket> buckets_;
    bool must_have_;
    std::uint64_t compared_ = 0;
    std::int64_t total_ = 0;
    RuleReport report_;
};

/// Prompt tokens, counted or stored, are below the model's context, and the longest answer fits behind them.
class ContextRule : public Rule {
public:
    /// `said_by`: who gave the limit, for the report.
    ContextRule(std::int64_t max_model_len, std::string said_by)
        : max_model_len_(max_model_len), said_by_(std::move(said_by))
    {
    }

    void look(const Row& row) override
    {
        const auto prompt = row.prompt_tokens();
        if (!prompt)
            return report_.findings.add(row.line(), "nothing says how many tokens the prompt has");
        auto answer = row.body_count("max_tokens");
        if (!answer)
            answer = row.body_count("max_completion_tokens");
        const auto answer_tokens = std::max<std::int64_t>(answer.value_or(0), 0);
        longest_ = std::max(longest_, *prompt);
        // An answer may be of any size that fits 64 bits: no sum.
        if (*prompt < 0 || *prompt >= max_model_len_ || answer_tokens > max_model_len_ - *prompt)
            report_.findings.add_lazily(row.line(), [&] {
                return std::to_string(*prompt) + " prompt tokens and up to " + std::to_string(answer_tokens) +
                       " of the answer";
            });
    }

    RuleReport report() override
    {
        report_.expected =
            "prompt and answer within " + counted(static_cast<std::uint64_t>(max_model_len_), "token");
        report_.seen = "the longest prompt has " + counted(static_cast<std::uint64_t>(longest_), "token") +
                       ", " + counted(report_.findings.count(), "row") + " too long";
        report_.figures["longest_prompt_tokens"] = longest_;
        report_.figures["max_model_len"] = max_model_len_;
        report_.figures["max_model_len_from"] = json_text(said_by_);
        return std::move(report_);
    }

private:
    std::int64_t max_model_len_;
    std::string said_by_;
    std::int64_t longest_ = 0;
    RuleReport report_;
};

} // namespace slo::verify

#endif
