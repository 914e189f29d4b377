// SPDX-License-Identifier: MIT
// Makes prompts exactly so many tokens long, with neutral words behind the system message.

#ifndef SLO_WORKLOAD_PAD_HPP
#define SLO_WORKLOAD_PAD_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/workload/assembly.hpp>
#include <slo/workload/prompt_counter.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace slo::workload {

/// A draft on its way to its length.
struct Padding {
    Draft* draft = nullptr;
    std::int64_t target = 0;        ///< tokens it shall have, not fewer than it has
    PromptCount count;              ///< at first of the draft as it is, in the end of the padded one
    bool exact = false;             ///< true in the end: it has them
    std::vector<std::int64_t> uses; ///< in the end: of each word of padding
};

/// Pads prompts with words of a list, the first for the bulk, the last for what is left. What a word costs is
/// measured; where words cost other than that in their places, the count says so and is put right.
class Padder {
public:
    /// Throws Error for a word that costs nothing.
    Padder(PromptCounter& counter, std::vector<std::string> words)
        : counter_(counter), words_(std::move(words))
    {
        constexpr std::size_t few = 32;
        std::vector<std::string> texts;
        for (const auto& word : words_) {
            texts.push_back(repeated(word, few));
            texts.push_back(repeated(word, 2 * few));
        }
        const auto lists = counter.tokenizer().encode_texts(texts);
        for (std::size_t i = 0; i < words_.size(); ++i) {
            const auto more =
                static_cast<double>(lists[2 * i + 1].size()) - static_cast<double>(lists[2 * i].size());
            if (more <= 0)
                throw Error("padding",
                            "the word '" + printable(words_[i], 40) + "' costs no tokens in this tokenizer");
            costs_.push_back(more / few);
        }
    }

    /// Pads all drafts and counts them anew. Throws Error.
    void pad(std::span<Padding> paddings)
    {
        std::vector<Padding*> open;
        for (auto& padding : paddings) {
            const auto missing = padding.target - padding.count.tokens;
            padding.uses = plan(std::max<std::int64_t>(0, missing));
            padding.exact = missing == 0;
            if (missing > 0)
                open.push_back(&padding);
        }
        for (int round = 0; round < most_rounds && !open.empty(); ++round) {
            std::vector<json::value> prompts;
            for (auto* padding : open) {
                padding->draft->padding = text(padding->uses);
                prompts.push_back(padding->draft->prompt());
            }
            auto counts = counter_.count(prompts);
            for (std::size_t i = 0; i < open.size(); ++i) {
                open[i]->count = std::move(counts[i]);
                const auto missing = open[i]->target - open[i]->count.tokens;
                open[i]->exact = missing == 0;
                correct(open[i]->uses, missing);
            }
            std::erase_if(open, [](const Padding* padding) { return padding->exact; });
        }
    }

    /// The words as often as `uses` says.
    std::string text(const std::vector<std::int64_t>& uses) const
    {
        std::string text;
        for (std::size_t i = 0; i < words_.size(); ++i)
            text += repeated(words_[i], static_cast<std::size_t>(uses[i]));
        return text;
    }

private:
    static constexpr int most_rounds = 10;

    static std::string repeated(const std::string& word, std::size_t count)
    {
        std::string text;
        text.reserve(word.size() * count);
        while (count-- > 0)
            text += word;
        return text;
    }

    std::vector<std::int64_t> plan(std::int64_t tokens) const
    {
        std::vector<std::int64_t> uses(words_.size(), 0);
        auto rest = static_cast<double>(tokens);
        for (std::size_t i = 0; i < words_.size(); ++i) {
            uses[i] = static_cast<std::int64_t>(std::floor(rest / costs_[i] + 1e-9));
            rest -= static_cast<double>(uses[i]) * costs_[i];
        }
        return uses;
    }

    // More or fewer words for so many tokens more or fewer, never by more than these cost: a word too many
    // would be taken away again, for ever.
    void correct(std::vector<std::int64_t>& uses, std::int64_t tokens) const
    {
        if (tokens > 0) {
            const auto more = plan(tokens);
            for (std::size_t i = 0; i < uses.size(); ++i)
                uses[i] += more[i];
            if (std::all_of(more.begin(), more.end(), [](auto count) { return count == 0; }))
                ++uses.back();
        } else if (tokens < 0) {
            shorten(uses, -static_cast<double>(tokens));
        }
    }

    void shorten(std::vector<std::int64_t>& uses, double excess) const
    {
        for (std::size_t i = 0; i < uses.size(); ++i) {
            const auto fewer =
                std::min(uses[i], static_cast<std::int64_t>(std::floor(excess / costs_[i] + 1e-9)));
            uses[i] -= fewer;
            excess -= static_cast<double>(fewer) * costs_[i];
        }
        if (excess < 1e-9)
            return;
        // A small excess: the cheapest word there is goes, and what it was too much comes back in smaller
        // ones.
        for (auto i = uses.size(); i-- > 0;) {
            if (uses[i] == 0)
                continue;
            --uses[i];
            auto rest = costs_[i] - excess;
            for (auto j = i + 1; j < uses.size() && rest > 0; ++j) {
                const auto more = static_cast<std::int64_t>(std::floor(rest / costs_[j] + 1e-9));
                uses[j] += more;
                rest -= static_cast<double>(more) * costs_[j];
            }
            return;
        }
    }

    PromptCounter& counter_;
    std::vector<std::string> words_;
    std::vector<double> costs_;
};

} // namespace slo::workload

#endif
