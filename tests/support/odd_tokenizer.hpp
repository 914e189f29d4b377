// SPDX-License-Identifier: MIT
// A tokenizer for tests that counts how it is asked, and may count words in an odd way.

#ifndef SLO_TESTS_SUPPORT_ODD_TOKENIZER_HPP
#define SLO_TESTS_SUPPORT_ODD_TOKENIZER_HPP

#include <slo/tokens/sim_tokenizer.hpp>
#include <slo/tokens/tokenizer.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace slo::test {

/// engine-sim's tokens, but a run of equal tokens of any length is cut to `longest_run` of them.
class OddTokenizer final : public tokens::Tokenizer {
public:
    explicit OddTokenizer(std::size_t longest_run = static_cast<std::size_t>(-1)) : longest_run_(longest_run)
    {
    }

    std::vector<tokens::TokenList> encode_texts(std::span<const std::string> texts) override
    {
        return shortened(sim_.encode_texts(texts));
    }

    std::vector<tokens::TokenList> encode_prompts(std::span<const json::value* const> prompts) override
    {
        ++calls;
        asked += prompts.size();
        largest_batch = std::max(largest_batch, prompts.size());
        return shortened(sim_.encode_prompts(prompts));
    }

    json::object description() const override { return {{"kind", "odd"}, {"model", "m1"}}; }

    std::size_t calls = 0;
    std::size_t asked = 0;
    std::size_t largest_batch = 0;

private:
    std::vector<tokens::TokenList> shortened(std::vector<tokens::TokenList> lists) const
    {
        for (auto& list : lists) {
            tokens::TokenList kept;
            std::size_t run = 0;
            for (std::size_t i = 0; i < list.size(); ++i) {
                run = i > 0 && list[i] == list[i - 1] ? run + 1 : 1;
                if (run <= longest_run_)
                    kept.push_back(list[i]);
            }
            list = std::move(kept);
        }
        return lists;
    }

    std::size_t longest_run_;
    tokens::SimTokenizer sim_;
};

} // namespace slo::test

#endif
