// SPDX-License-Identifier: MIT
// The prompts and lengths of an imported trace, made and counted in batches.

#ifndef SLO_WORKLOAD_IMPORT_PROMPTS_HPP
#define SLO_WORKLOAD_IMPORT_PROMPTS_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/engine/chat_tokens.hpp>
#include <slo/engine/tokenizer.hpp>
#include <slo/trace/request.hpp>
#include <slo/workload/exact_prompts.hpp>
#include <slo/workload/import_options.hpp>
#include <slo/workload/route_row.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace slo::workload {

/// A request on its way into the route.
struct ImportRow {
    trace::TraceRequest request;
    std::int64_t time_ns = 0;
    std::size_t line = 0;
    std::uint64_t record = 0;      ///< which of the trace, from 1
    const char* skipped = nullptr; ///< why it is left out: a constant
};

/// Completes requests: text for those that have only lengths, histories for those that say only what is new,
/// token counts for answers and bounds.
class ImportPrompts {
public:
    /// `block_tokens`: of a hash id's block.
    ImportPrompts(const ImportOptions& options, std::int64_t block_tokens)
        : options_(options), block_tokens_(block_tokens)
    {
    }

    /// Completes the rows of a batch, in the order of the trace, or says why they are left out. Throws Error.
    void complete(std::vector<ImportRow>& rows)
    {
        make_whole_prompts(rows);
        for (auto& row : rows) {
            if (!row.skipped && row.request.is_delta)
                row.skipped = extend(row.request);
            if (row.request.ends_conversation)
                histories_.erase(row.request.conversation);
            if (!row.skipped && options_.raw_prompt)
                row.skipped = make_text(row.request.prompt);
        }
        count_answers(rows);
        if (has_bounds())
            apply_bounds(rows);
        for (auto& row : rows)
            if (!row.skipped && row.request.output_tokens == 0)
                row.skipped = "no output tokens";
    }

    /// About the memory that the request's whole prompt takes, with the conversation so far.
    std::size_t prompt_bytes(const trace::TraceRequest& request) const
    {
        const auto history = request.is_delta ? histories_.find(request.conversation) : histories_.end();
        return bytes_of(request.prompt) + (history == histories_.end() ? 0 : history->second.bytes);
    }

    /// True where answers or bounds were counted by ImportOptions::rough_tokenizer.
    bool is_rough() const noexcept { return tokenizer_ && options_.tokenizer.how.empty(); }

    /// For the manifest: nothing where no token was counted.
    json::object facts() const
    {
        json::object facts;
        if (tokenizer_)
            facts["tokenizer"] = tokenizer_->description();
        if (exact_)
            facts["lengths"] = exact_->facts();
        return facts;
    }

private:
    tokens::Tokenizer& tokenizer()
    {
        if (!tokenizer_)
            tokenizer_ = options_.open_counter();
        return *tokenizer_;
    }

    // Throws UsageError where nobody says how to count.
    ExactPrompts& exact()
    {
        if (!exact_) {
            if (options_.tokenizer.how.empty())
                options_.tokenizer.open(); // says that it must be given
            exact_ = std::make_unique<ExactPrompts>(tokenizer(), Recount::sample);
        }
        return *exact_;
    }

    // Requests of which only the length is known: the whole prompt, template and all, gets that length.
    void make_whole_prompts(std::vector<ImportRow>& rows)
    {
        std::vector<PromptPlan> plans;
        std::vector<trace::TraceRequest*> planned;
        for (auto& row : rows) {
            auto& request = row.request;
            if (!request.prompt.is_null())
                continue;
            const auto roles =
                options_.raw_prompt ? std::vector<std::string>{} : std::vector<std::string>{"user"};
            const auto overhead = request.is_delta ? 0 : exact().words().template_overhead(roles);
            auto pieces = pieces_of(request, *request.input_tokens - overhead);
            if (pieces.empty()) {
                row.skipped =
                    *request.input_tokens == 0 ? "no input tokens" : "input shorter than the template";
            } else if (request.is_delta) {
                request.prompt = user_prompt(exact().words().text(pieces));
            } else {
                plans.push_back({{{"user", std::move(pieces)}}, options_.raw_prompt, *request.input_tokens});
                planned.push_back(&request);
            }
        }
        if (plans.empty())
            return;
        auto prompts = exact().make(plans);
        for (std::size_t i = 0; i < planned.size(); ++i)
            planned[i]->prompt = std::move(prompts[i]);
    }

    // A block of text for each hash id, equal for equal ids; of the last as much as is left. What the
    // template takes is missing at the end, so that shared blocks stay whole.
    std::vector<SyntheticText::Piece> pieces_of(const trace::TraceRequest& request, std::int64_t tokens)
    {
        std::vector<SyntheticText::Piece> pieces;
        if (tokens > 0 && request.hash_ids.empty())
            pieces.push_back({fresh_stream(), tokens});
        for (const auto id : request.hash_ids) {
            const auto part = std::min(tokens, block_tokens_);
            if (part <= 0)
                break;
            pieces.push_back({id ^ engine::mix64(options_.seed), part});
            tokens -= part;
        }
        return pieces;
    }

    std::uint64_t fresh_stream()
    {
        return engine::mix64(options_.seed ^ engine::mix64(0x696d706f72740000ULL + ++streams_));
    }

    // Puts the conversation so far before what is new; a made-up answer stands where a live one would.
    const char* extend(trace::TraceRequest& request)
    {
        auto& history = histories_[request.conversation];
        for (auto& message : request.prompt.get_array()) {
            history.bytes += message_bytes + bytes_of(message);
            history.messages.push_back(std::move(message));
        }
        const auto tokens = request.output_tokens.value_or(options_.answer_tokens);
        history.bytes += static_cast<std::size_t>(tokens) * 5;
        if (history.bytes > max_history_bytes) {
            history.messages = {}; // nothing of it comes again
            return "turn after a history of more than 8 MiB";
        }
        request.prompt = history.messages;
        if (tokens > 0 && !request.ends_conversation)
            history.messages.push_back(json::object{
                {"role", "assistant"}, {"content", json_text(exact().words().text(fresh_stream(), tokens))}});
        return nullptr;
    }

    static std::size_t bytes_of(const json::value& value)
    {
        std::size_t bytes = sizeof value;
        if (const auto* text = value.if_string())
            bytes += text->size();
        if (const auto* list = value.if_array())
            for (const auto& element : *list)
                bytes += bytes_of(element);
        if (const auto* object = value.if_object())
            for (const auto& member : *object)
                bytes += member.key().size() + bytes_of(member.value());
        return bytes;
    }

    // One message of the user as a text; why not, where it is anything else.
    static const char* make_text(json::value& prompt)
    {
        const auto* list = prompt.if_array();
        if (!list)
            return nullptr;
        const auto& first = list->front().get_object();
        const auto text = string_at(first, "content");
        if (list->size() > 1 || string_at(first, "role") != std::string_view("user") || !text)
            return "prompt that is more than one text of the user";
        prompt = json_text(*text);
        return nullptr;
    }

    void count_answers(std::vector<ImportRow>& rows)
    {
        std::vector<std::string> texts;
        std::vector<trace::TraceRequest*> counted;
        for (auto& row : rows) {
            if (row.skipped || !row.request.answer || row.request.output_tokens)
                continue;
            texts.push_back(std::move(*row.request.answer));
            counted.push_back(&row.request);
        }
        const auto lists = texts.empty() ? std::vector<tokens::TokenList>() : tokenizer().encode_texts(texts);
        for (std::size_t i = 0; i < counted.size(); ++i)
            counted[i]->output_tokens = static_cast<std::int64_t>(lists[i].size());
    }

    bool has_bounds() const noexcept
    {
        return options_.min_prompt_tokens > 0 || options_.min_output_tokens > 0 ||
               options_.max_prompt_tokens > 0 || options_.max_total_tokens > 0;
    }

    // Bounds count the text of all messages without the template, as the tools do that prune so.
    void apply_bounds(std::vector<ImportRow>& rows)
    {
        std::vector<std::string> texts;
        for (auto& row : rows)
            texts.push_back(row.skipped || has_own_length(row.request) ? "" : text_of(row));
        const auto lists = tokenizer().encode_texts(texts);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            auto& row = rows[i];
            if (!row.skipped)
                row.skipped =
                    outside(has_own_length(row.request) ? *row.request.input_tokens
                                                        : static_cast<std::int64_t>(lists[i].size()),
                            row.request.output_tokens);
        }
    }

    const char* outside(std::int64_t input, std::optional<std::int64_t> output) const noexcept
    {
        if (input < options_.min_prompt_tokens)
            return "prompt below --min-prompt-tokens";
        if (output && *output < options_.min_output_tokens)
            return "answer below --min-output-tokens";
        if (options_.max_prompt_tokens > 0 && input > options_.max_prompt_tokens)
            return "prompt above --max-prompt-tokens";
        if (options_.max_total_tokens > 0 && input + output.value_or(0) > options_.max_total_tokens)
            return "prompt and answer above --max-total-tokens";
        return nullptr;
    }

    static bool has_own_length(const trace::TraceRequest& request) noexcept
    {
        return request.input_tokens && !request.is_delta;
    }

    static std::string text_of(ImportRow& row)
    {
        const auto& prompt = row.request.prompt;
        if (const auto* text = prompt.if_string())
            return std::string(text->data(), text->size());
        std::string all;
        try {
            engine::for_each_message(prompt.get_array(),
                                     [&](std::string_view, std::string_view content) { all += content; });
        } catch (const InputError&) {
            row.skipped = "prompt that is not text alone";
        }
        return all;
    }

    struct History {
        json::array messages;
        std::size_t bytes = 0;
    };
    static constexpr std::size_t max_history_bytes = std::size_t{8} << 20;
    static constexpr std::size_t message_bytes = 128; // of a message beside its text

    const ImportOptions& options_;
    std::int64_t block_tokens_;
    std::unique_ptr<tokens::Tokenizer> tokenizer_;
    std::unique_ptr<ExactPrompts> exact_;
    std::unordered_map<std::string, History> histories_;
    std::uint64_t streams_ = 0;
};

} // namespace slo::workload

#endif
