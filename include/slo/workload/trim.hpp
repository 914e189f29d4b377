// SPDX-License-Identifier: MIT
// Takes the oldest messages off prompts until they fit a budget of tokens.

#ifndef SLO_WORKLOAD_TRIM_HPP
#define SLO_WORKLOAD_TRIM_HPP

#include <slo/workload/assembly.hpp>
#include <slo/workload/prompt_counter.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace slo::workload {

/// A draft on its way through the budget.
struct Trimming {
    Draft* draft = nullptr;
    std::int64_t limit = 0; ///< tokens it may have
    PromptCount count;      ///< at first of the whole draft, in the end of what is left
    bool fits = false;      ///< false in the end: not even without any history
};

namespace detail {

// Looks for the first message from which the rest fits. Tokens go by bytes nearly enough to guess it; a guess
// is worth nothing until it is counted, and so is its neighbour that must not fit.
class TrimSearch {
public:
    explicit TrimSearch(Trimming& trimming)
        : trimming_(trimming), full_tokens_(static_cast<double>(trimming.count.tokens)),
          too_long_(trimming.draft->start), fits_(trimming.draft->messages.size() + 1)
    {
        // bytes_[i]: of all messages before i.
        bytes_.push_back(0);
        for (const auto& message : trimming.draft->messages)
            bytes_.push_back(bytes_.back() + static_cast<double>(message.content.size() + 16));
        all_bytes_ = bytes_.back() + static_cast<double>(trimming.draft->system.size() + 64);
        too_long_tokens_ = full_tokens_;
    }

    bool done() const noexcept { return fits_ - too_long_ <= 1; }

    json::value prompt_from(std::size_t start) const { return trimming_.draft->prompt_from(start); }

    /// The starts to count next: one or two neighbours, between what is known.
    std::vector<std::size_t> next() const
    {
        const auto last = trimming_.draft->messages.size();
        const auto excess = too_long_tokens_ - static_cast<double>(trimming_.limit);
        const auto wanted = bytes_[too_long_] + excess * all_bytes_ / full_tokens_;
        const auto found = std::lower_bound(bytes_.begin(), bytes_.end(), wanted);
        auto guess = static_cast<std::size_t>(found - bytes_.begin());
        if (steps_ >= 4) // texts of very uneven density: halve what is left
            guess = too_long_ + (fits_ - too_long_) / 2;
        guess = std::clamp(guess, too_long_ + 1, std::min(fits_ - 1, last));
        if (guess - 1 > too_long_)
            return {guess - 1, guess};
        return {guess};
    }

    void learn(std::size_t start, const PromptCount& count)
    {
        ++steps_;
        if (count.tokens <= trimming_.limit) {
            if (start < fits_) {
                fits_ = start;
                fit_ = count;
            }
        } else if (start > too_long_) {
            too_long_ = start;
            too_long_tokens_ = static_cast<double>(count.tokens);
        }
    }

    void finish() const
    {
        trimming_.fits = fit_.has_value();
        trimming_.draft->start = std::min(fits_, trimming_.draft->messages.size());
        if (fit_)
            trimming_.count = *fit_;
    }

private:
    Trimming& trimming_;
    double full_tokens_;
    std::vector<double> bytes_;
    double all_bytes_ = 0;
    std::size_t too_long_; ///< known to be too long from here
    double too_long_tokens_ = 0;
    std::size_t fits_; ///< known to fit from here, or one past what can be left out
    std::optional<PromptCount> fit_;
    int steps_ = 0;
};

} // namespace detail

/// Sets the start of each draft to the first message from which the prompt has `limit` tokens or less; the
/// system message and the trigger always stay. `count` must hold the whole draft's. Throws Error.
inline void trim_histories(PromptCounter& counter, std::span<Trimming> trimmings)
{
    std::vector<detail::TrimSearch> searches;
    for (auto& trimming : trimmings) {
        trimming.fits = trimming.count.tokens <= trimming.limit;
        if (!trimming.fits && !trimming.draft->messages.empty())
            searches.emplace_back(trimming);
    }
    std::vector<detail::TrimSearch*> open;
    for (auto& search : searches)
        open.push_back(&search);
    while (!open.empty()) {
        std::vector<json::value> prompts;
        std::vector<std::pair<detail::TrimSearch*, std::size_t>> asked;
        for (auto* search : open) {
            for (const auto start : search->next()) {
                prompts.push_back(search->prompt_from(start));
                asked.emplace_back(search, start);
            }
        }
        const auto counts = counter.count(prompts);
        for (std::size_t i = 0; i < asked.size(); ++i)
            asked[i].first->learn(asked[i].second, counts[i]);
        std::erase_if(open, [](const auto* search) { return search->done(); });
    }
    for (const auto& search : searches)
        search.finish();
}

} // namespace slo::workload

#endif
