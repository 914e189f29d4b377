// SPDX-License-Identifier: MIT
// Whole prompts of exactly so many tokens, counted by the tokenizer before they are used.

#ifndef SLO_WORKLOAD_EXACT_PROMPTS_HPP
#define SLO_WORKLOAD_EXACT_PROMPTS_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/tokens/tokenizer.hpp>
#include <slo/workload/distinct_prompts.hpp>
#include <slo/workload/synthetic_text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace slo::workload {

/// One message to be made.
struct PromptMessage {
    std::string role;
    std::vector<SyntheticText::Piece> pieces;
};

/// One prompt to be made: a list of messages, or with `raw` the text of a single one. With `tokens` above 0
/// the whole, template and all, has exactly these: the last piece of the last message is made to fit.
struct PromptPlan {
    std::vector<PromptMessage> messages;
    bool raw = false;
    std::int64_t tokens = 0;
    /// Its texts stay as planned, even where the tokenizer finds a few tokens more or fewer in the whole:
    /// other prompts begin with it.
    bool stays = false;
};

/// Which prompts are counted.
enum class Recount {
    all,
    sample, ///< the first 64 and one in 64; all, once one of these was off
};

/// Makes prompts in batches and has the tokenizer count them.
class ExactPrompts {
public:
    /// `tokenizer` must outlive this. Throws Error where it cannot be had exact.
    explicit ExactPrompts(tokens::Tokenizer& tokenizer, Recount recount = Recount::all)
        : text_(tokenizer), count_all_(recount == Recount::all || !text_.additive())
    {
    }

    /// From now on no prompt is like an earlier one, where its last piece leaves room: that is drawn from
    /// other streams, a bounded number of times, unless the prompt stays.
    void keep_distinct() { distinct_.emplace(text_.choices()); }

    /// Prompts since keep_distinct() that are like an earlier one all the same.
    std::uint64_t repeated() const noexcept { return repeated_; }

    /// False when there may be more of them: there is a bound to what is remembered.
    bool has_found_all_repeated() const noexcept { return !distinct_ || distinct_->remembers_all(); }

    /// The prompts of a batch, in order. A prompt that is counted and has not the tokens it should have is
    /// corrected in its last piece, unless it stays; throws Error where that does not help, and where a
    /// template leaves no room.
    std::vector<json::value> make(std::span<PromptPlan> plans)
    {
        std::vector<Draft> drafts(plans.size());
        for (std::size_t i = 0; i < plans.size(); ++i)
            drafts[i] = draft(plans[i], made_ + i + 1);
        counted_.assign(plans.size(), {});
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < plans.size(); ++i)
            if (to_be_counted(made_ + i))
                open.push_back(i);
        const bool sampled = open.size() < plans.size();
        counted_prompts_ += open.size();
        if (correct(plans, drafts, open) && sampled) {
            count_all_ = true;
            open.clear();
            for (std::size_t i = 0; i < plans.size(); ++i)
                if (counted_[i].empty())
                    open.push_back(i);
            counted_prompts_ += open.size();
            correct(plans, drafts, open);
        }
        made_ += plans.size();
        std::vector<json::value> prompts;
        for (auto& done : drafts) {
            if (done.is_new_text)
                done.repeats = is_repeated(done.prompt);
            repeated_ += done.repeats;
            prompts.push_back(std::move(done.prompt));
        }
        return prompts;
    }

    /// The tokens of the prompts of the last batch; none for those that were not counted.
    const std::vector<tokens::TokenList>& counted() const noexcept { return counted_; }

    /// By how many tokens a counted prompt that stays is off at most; the others are exact, or make() throws.
    std::int64_t largest_difference() const noexcept { return largest_difference_; }

    /// For the manifest: how many prompts were made, counted and corrected, and largest_difference().
    json::object facts() const
    {
        return {{"prompts", made_},
                {"counted", counted_prompts_},
                {"corrected", corrected_},
                {"largest_difference", largest_difference_}};
    }

    SyntheticText& words() noexcept { return text_; }

private:
    struct Draft {
        json::value prompt;
        std::int64_t wanted = 0;
        std::size_t extra_chars = 0;
        std::uint64_t number = 0;
        bool repeats = false;     // it is like an earlier prompt
        bool is_new_text = false; // whether it is has to be asked again
    };

    bool is_repeated(const json::value& prompt) { return !distinct_->insert(to_json(prompt)); }

    // Draws the last piece anew as long as the prompt is like an earlier one.
    void make_distinct(PromptPlan& plan, Draft& made)
    {
        constexpr std::uint64_t most_tries = 64;
        auto& last = plan.messages.back().pieces.back();
        const auto stream = last.stream;
        made.repeats = is_repeated(made.prompt);
        for (std::uint64_t i = 1; made.repeats && !plan.stays && i <= most_tries; ++i) {
            last.stream = engine::mix64(stream + i);
            made.prompt = render(plan, 0);
            made.repeats = is_repeated(made.prompt);
        }
    }

    bool to_be_counted(std::uint64_t index) const noexcept
    {
        return count_all_ || index < 64 || index % 64 == 0;
    }

    Draft draft(PromptPlan& plan, std::uint64_t number)
    {
        std::vector<std::string> roles;
        std::int64_t tokens = 0;
        for (const auto& message : plan.messages) {
            if (!plan.raw)
                roles.push_back(message.role);
            for (const auto& piece : message.pieces)
                tokens += piece.tokens;
        }
        Draft made;
        made.number = number;
        const auto overhead = text_.template_overhead(roles);
        made.wanted = plan.tokens > 0 ? plan.tokens : tokens + overhead;
        auto& last = plan.messages.back().pieces.back();
        last.tokens += made.wanted - tokens - overhead;
        if (last.tokens < 1)
            throw Error("prompt " + std::to_string(number),
                        std::to_string(made.wanted) +
                            " tokens leave no room for its text: template and earlier "
                            "text take " +
                            std::to_string(made.wanted - last.tokens));
        made.prompt = render(plan, 0);
        if (distinct_ && distinct_->matters(last.tokens))
            make_distinct(plan, made);
        return made;
    }

    json::value render(const PromptPlan& plan, std::size_t extra_chars) const
    {
        json::array messages;
        for (const auto& message : plan.messages) {
            auto content = text_.text(message.pieces);
            if (&message == &plan.messages.back())
                content.append(extra_chars, '0');
            if (plan.raw)
                return json_text(content);
            messages.push_back(
                json::object{{"role", json_text(message.role)}, {"content", json_text(content)}});
        }
        return messages;
    }

    // Counts the open ones until all are right; true if one was not at once.
    bool correct(std::span<PromptPlan> plans, std::vector<Draft>& drafts, std::vector<std::size_t> open)
    {
        constexpr int most_rounds = 24;
        bool any_off = false;
        for (int round = 0; !open.empty(); ++round) {
            std::vector<const json::value*> prompts;
            for (const auto i : open)
                prompts.push_back(&drafts[i].prompt);
            auto lists = text_.tokenizer().encode_prompts(prompts);
            std::vector<std::size_t> off;
            for (std::size_t k = 0; k < open.size(); ++k) {
                const auto i = open[k];
                const auto more = drafts[i].wanted - static_cast<std::int64_t>(lists[k].size());
                counted_[i] = std::move(lists[k]);
                any_off = any_off || more != 0;
                if (plans[i].stays)
                    largest_difference_ = std::max<std::int64_t>(largest_difference_, std::llabs(more));
                if (more == 0 || plans[i].stays)
                    continue;
                if (round == most_rounds || !adjust(plans[i], drafts[i], more, round))
                    throw Error("prompt " + std::to_string(drafts[i].number),
                                "has " + std::to_string(drafts[i].wanted - more) + " tokens instead of " +
                                    std::to_string(drafts[i].wanted) + ", whatever its text");
                off.push_back(i);
            }
            corrected_ += round == 0 ? off.size() : 0;
            open = std::move(off);
        }
        return any_off;
    }

    // Where whole words jump over the length that is wanted, single characters make it up.
    bool adjust(PromptPlan& plan, Draft& made, std::int64_t more, int round) const
    {
        auto& last = plan.messages.back().pieces.back();
        if (round < 4 || more < 0) {
            last.tokens += more;
            made.extra_chars = 0;
        } else {
            ++made.extra_chars;
        }
        if (last.tokens < 1)
            return false;
        made.prompt = render(plan, made.extra_chars);
        made.is_new_text = distinct_ && distinct_->matters(last.tokens);
        return true;
    }

    SyntheticText text_;
    bool count_all_;
    std::optional<DistinctPrompts> distinct_;
    std::uint64_t repeated_ = 0;
    std::uint64_t made_ = 0;
    std::uint64_t counted_prompts_ = 0;
    std::uint64_t corrected_ = 0;
    std::int64_t largest_difference_ = 0;
    std::vector<tokens::TokenList> counted_;
};

} // namespace slo::workload

#endif
