// SPDX-License-Identifier: MIT
// Rules of uniqueness: no prompt twice, no first cache block twice.

#ifndef SLO_VERIFY_PROMPT_RULES_HPP
#define SLO_VERIFY_PROMPT_RULES_HPP

#include <slo/verify/rule.hpp>
#include <slo/verify/seen_rows.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace slo::verify {

/// No two prompts are equal, however they are written as JSON.
class PromptsRule : public Rule {
public:
    void look(const Row& row) override
    {
        const auto first = seen_.first_line(murmur3_128(row.prompt_key()), row.line());
        if (first)
            report_.findings.add_lazily(row.line(),
                                        [&] { return "the prompt of line " + std::to_string(*first); });
    }

    RuleReport report() override
    {
        report_.expected = "each prompt once";
        report_.seen = counted(report_.findings.count(), "repeated prompt");
        report_.figures["prompts"] = seen_.size();
        return std::move(report_);
    }

private:
    SeenRows seen_;
    RuleReport report_;
};

/// No two prompts share their first cache block, so that no request finds another's prefix in the cache.
/// Where tokens are counted, the block is that many tokens; else the first 4 bytes a token of roles and
/// contents stand for it.
class FirstBlocksRule : public Rule {
public:
    explicit FirstBlocksRule(std::size_t block_tokens) : block_tokens_(block_tokens) {}

    void look(const Row& row) override
    {
        const auto* tokens = row.tokens();
        is_counted_ = tokens != nullptr;
        const auto block = tokens ? bytes_of(*tokens) : row.prompt_key().substr(0, block_tokens_ * 4);
        const auto first = seen_.first_line(murmur3_128(block), row.line());
        if (first)
            report_.findings.add_lazily(row.line(),
                                        [&] { return "the first block of line " + std::to_string(*first); });
    }

    RuleReport report() override
    {
        report_.expected = is_counted_ ? "each first block of " + counted(block_tokens_, "token") + " once"
                                       : "each first " + counted(block_tokens_ * 4, "byte") +
                                             " once (no tokenizer was given)";
        report_.seen = counted(report_.findings.count(), "repeated first block");
        report_.figures["first_blocks"] = seen_.size();
        return std::move(report_);
    }

private:
    std::string_view bytes_of(const tokens::TokenList& tokens) const
    {
        // How the bytes of a number lie does not matter within one run.
        return {reinterpret_cast<const char*>(tokens.data()),
                std::min(tokens.size(), block_tokens_) * sizeof(tokens::Token)};
    }

    std::size_t block_tokens_;
    bool is_counted_ = false;
    SeenRows seen_;
    RuleReport report_;
};

} // namespace slo::verify

#endif
