// SPDX-License-Identifier: MIT
// One completion under way: from the tokens of its sequences to the bytes of its answer.

#ifndef SLO_SIM_COMPLETION_HPP
#define SLO_SIM_COMPLETION_HPP

#include <slo/engine/metrics.hpp>
#include <slo/engine/sequence.hpp>
#include <slo/engine/tokenizer.hpp>
#include <slo/sim/answer_writer.hpp>
#include <slo/sim/completion_request.hpp>
#include <slo/sim/connection.hpp>
#include <slo/sim/stop_filter.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slo::sim {

/// Gathers the answer and hands it to the connection, at most one write a step.
class Completion {
public:
    Completion(std::shared_ptr<Connection> connection, CompletionRequest request, AnswerWriter writer)
        : connection_(std::move(connection)), request_(std::move(request)), writer_(std::move(writer)),
          choices_(request_.choices(), Choice(request_.stop)), open_(choices_.size())
    {
        for (const auto& prompt : request_.prompts)
            usage_.prompt_tokens += prompt->tokens();
        if (request_.stream)
            connection_->begin_stream("text/event-stream; charset=utf-8");
    }
    Completion(const Completion&) = delete;
    Completion& operator=(const Completion&) = delete;

    /// The sequence that computes the next choice, in order.
    void add_sequence(engine::SequenceId id) { sequences_.push_back(id); }
    const std::vector<engine::SequenceId>& sequences() const noexcept { return sequences_; }

    /// What it comes to for the engine's metrics: aborted unless every choice has ended.
    engine::RequestEnd end() const
    {
        engine::RequestEnd end{static_cast<std::int64_t>(request_.n),
                               static_cast<std::int64_t>(request_.prompts.size()), 0, 0,
                               open_ == 0 ? *choices_.front().reason : engine::FinishReason::abort};
        for (const auto& prompt : request_.prompts) {
            end.prompt_tokens += prompt->tokens();
            end.reusable_tokens += (prompt->tokens() - 1) / engine::block_tokens * engine::block_tokens;
        }
        return end;
    }

    /// From this token on (counted over all choices) nothing is sent, and the connection is cut.
    void cut_after(std::int64_t tokens) { cut_after_ = tokens; }

    /// Takes one token in; true when a stop string ends the choice.
    bool push(std::size_t index, const engine::TokenEvent& event)
    {
        if (cut_after_ && usage_.completion_tokens >= *cut_after_) {
            cut_ = true;
            return false;
        }
        auto& choice = choices_[index];
        if (choice.reason)
            return false;
        ++usage_.completion_tokens;
        if (event.output_tokens == 1 && index % request_.n == 0)
            usage_.cached_tokens += event.cached_tokens;
        text_.clear();
        const bool stopped = choice.filter.push(engine::answer_words[event.word], text_);
        const bool last = event.finished || stopped;
        if (last) {
            choice.filter.finish(text_);
            choice.reason = stopped ? engine::FinishReason::stop : event.reason;
            --open_;
        }
        emit(index, choice, event.output_tokens == 1);
        return stopped;
    }

    /// Ends every choice before its first token.
    void finish_empty()
    {
        for (std::size_t i = 0; i < choices_.size(); ++i) {
            text_.clear();
            choices_[i].reason = engine::FinishReason::stop;
            emit(i, choices_[i], true);
        }
        open_ = 0;
    }

    /// Hands over what the step brought; true when the completion is over.
    bool flush()
    {
        const bool over = open_ == 0;
        if (request_.stream) {
            if (over && !cut_) {
                if (request_.include_usage)
                    writer_.usage(pending_, usage_);
                writer_.done(pending_);
            }
            connection_->stream(pending_);
            pending_.clear();
        }
        if (cut_) {
            connection_->cut();
            return true;
        }
        if (over && request_.stream)
            connection_->end_stream();
        else if (over)
            connection_->respond(200, "application/json", writer_.body(finished_choices(), usage_));
        return over;
    }

    /// True once since the last call: lets the caller note which completions a step touched.
    bool touch() { return !std::exchange(touched_, true); }
    void untouch() { touched_ = false; }

private:
    struct Choice {
        explicit Choice(const std::vector<std::string>& stop) : filter(stop) {}
        StopFilter filter;
        std::string text;
        std::optional<engine::FinishReason> reason;
    };

    void emit(std::size_t index, Choice& choice, bool first)
    {
        if (!request_.stream) {
            choice.text += text_;
            return;
        }
        const auto usage = request_.continuous_usage ? std::optional(usage_) : std::nullopt;
        if (first)
            writer_.open(pending_, index, usage);
        if (!text_.empty() || choice.reason)
            writer_.text(pending_, index, text_, choice.reason, usage);
    }

    std::vector<FinishedChoice> finished_choices()
    {
        std::vector<FinishedChoice> finished;
        for (auto& choice : choices_)
            finished.push_back({std::move(choice.text), *choice.reason});
        return finished;
    }

    std::shared_ptr<Connection> connection_;
    CompletionRequest request_;
    AnswerWriter writer_;
    std::vector<Choice> choices_;
    std::size_t open_;
    std::vector<engine::SequenceId> sequences_;
    Usage usage_;
    std::string pending_;
    std::string text_;
    std::optional<std::int64_t> cut_after_;
    bool cut_ = false;
    bool touched_ = false;
};

} // namespace slo::sim

#endif
