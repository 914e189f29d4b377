// SPDX-License-Identifier: MIT
// route-build anonymize: a route that loads a service like the original, and tells nothing of it.

#ifndef SLO_WORKLOAD_ANONYMIZE_HPP
#define SLO_WORKLOAD_ANONYMIZE_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/record/route.hpp>
#include <slo/tokens/tokenizer.hpp>
#include <slo/workload/anonymize_options.hpp>
#include <slo/workload/anonymous_text.hpp>
#include <slo/workload/build.hpp>
#include <slo/workload/prompt_texts.hpp>
#include <slo/workload/route_row.hpp>
#include <slo/workload/scrub.hpp>
#include <slo/workload/synthetic_text.hpp>
#include <slo/workload/system_base.hpp>
#include <slo/workload/text_positions.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace slo::workload {

namespace detail {

class Anonymizer {
public:
    Anonymizer(const AnonymizeOptions& options, Build& out)
        : options_(options), out_(out), tokenizer_(options.tokenizer.open()),
          words_(*tokenizer_, Words::at_most_three_letters),
          texts_(words_, options.key(), options.block_tokens()), positions_(words_)
    {
    }

    void run()
    {
        if (options_.files.size() != 1)
            throw UsageError("one FILE at most");
        record::RouteReader reader(out_.open(options_.files.front()));
        std::size_t bytes = 0;
        while (auto row = reader.next()) {
            try {
                bytes += batch_.take(std::move(*row));
            } catch (const record::RowError& error) {
                reader.reject(error.what());
            }
            if (batch_.rows.size() < batch_rows && bytes < batch_bytes)
                continue;
            write_batch(reader.name());
            bytes = 0;
        }
        write_batch(reader.name());
        if (reader.other_log_lines() > 0)
            out_.skip("log lines without a request", reader.other_log_lines());
        tell();
    }

private:
    static constexpr std::size_t batch_rows = 128;
    static constexpr std::size_t batch_bytes = 4 << 20;

    void write_batch(const std::string& file)
    {
        if (batch_.rows.empty())
            return;
        const auto prompt_texts = batch_.texts.size();
        collect_other_texts();
        const auto lists = tokenizer_->encode_texts(batch_.texts);
        lengths_.clear();
        for (std::size_t i = prompt_texts; i < lists.size(); ++i)
            lengths_[batch_.texts[i]] = static_cast<std::int64_t>(lists[i].size());
        Scrubber scrubber(
            [this](const std::string& text) {
                return as_long_as(text, texts_.alone(text, lengths_.at(text)));
            },
            [this](const std::string& name) { return texts_.identifier(name); });
        made_.clear();
        for (const auto& row : batch_.rows)
            made_.push_back(prompt_of(row, lists, scrubber));
        compare_lengths(file);
        for (std::size_t i = 0; i < made_.size(); ++i)
            write(batch_.rows[i], std::move(made_[i]), scrubber);
        for (const auto& [name, count] : scrubber.dropped())
            dropped_[name] += count;
        batch_.clear();
    }

    // A first pass over what is outside of prompts: all its texts are counted at once.
    void collect_other_texts()
    {
        std::unordered_map<std::string, bool> seen;
        Scrubber collector(
            [&](const std::string& text) {
                if (seen.emplace(text, true).second)
                    batch_.texts.push_back(text);
                return std::string();
            },
            [](const std::string&) { return std::string("x0000000000"); });
        for (const auto& row : batch_.rows) {
            collector.members(row.row.other, "row");
            collector.members(row.row.body, "body");
            if (const auto* messages = row.prompt.if_array())
                for (const auto& message : *messages)
                    collector.message(message.get_object());
        }
    }

    json::value prompt_of(const TakenRow& row, const std::vector<tokens::TokenList>& lists,
                          Scrubber& scrubber)
    {
        const auto* messages = row.prompt.if_array();
        const auto before = positions_.template_tokens_before(row.roles);
        AnonymousText::Prefix prefix;
        std::int64_t text_tokens = 0;
        json::array made;
        for (std::size_t m = 0; m < row.texts.size(); ++m) {
            AnonymousText::begin_message(prefix, messages ? row.roles[m] : "");
            std::vector<std::string> texts;
            for (auto i = row.texts[m].first; i < row.texts[m].second; ++i) {
                const bool joined = !texts.empty() && !lists[i - 1].empty();
                auto text = texts_.in_prompt(prefix, lists[i], before[m] + text_tokens, joined);
                texts.push_back(as_long_as(batch_.texts[i], std::move(text)));
                text_tokens += static_cast<std::int64_t>(lists[i].size());
            }
            if (!messages)
                return json_text(texts.front());
            const auto& original = (*messages)[m].get_object();
            auto message = scrubber.message(original);
            if (auto* content = message.if_contains("content"))
                *content = content_of(original, texts);
            made.push_back(std::move(message));
        }
        return made;
    }

    // Where length is all that counts, a part of a token counts too.
    std::string as_long_as(const std::string& original, std::string text) const
    {
        if (!words_.goes_by_length())
            return text;
        text.resize(std::min(text.size(), count_code_points(original)));
        if (text.ends_with(' '))
            text.back() = '0';
        return text;
    }

    static json::value content_of(const json::object& original, const std::vector<std::string>& texts)
    {
        const auto* content = find(original, "content");
        if (content->is_null())
            return nullptr;
        if (!content->is_array())
            return json_text(texts.front());
        json::array parts;
        for (const auto& text : texts)
            parts.push_back(json::object{{"type", "text"}, {"text", json_text(text)}});
        return parts;
    }

    void compare_lengths(const std::string& file)
    {
        std::vector<const json::value*> prompts;
        for (const auto& row : batch_.rows)
            prompts.push_back(&row.prompt);
        for (const auto& prompt : made_)
            prompts.push_back(&prompt);
        const auto lists = encode_or_name_row(prompts, file);
        for (std::size_t i = 0; i < made_.size(); ++i) {
            const auto was = static_cast<std::int64_t>(lists[i].size());
            const auto is = static_cast<std::int64_t>(lists[i + made_.size()].size());
            prompt_tokens_ += was;
            largest_difference_ = std::max<std::int64_t>(largest_difference_, std::llabs(is - was));
            different_ += is != was;
        }
    }

    std::vector<tokens::TokenList> encode_or_name_row(const std::vector<const json::value*>& prompts,
                                                      const std::string& file)
    {
        try {
            return tokenizer_->encode_prompts(prompts);
        } catch (const InputError&) {
            for (std::size_t i = 0; i < made_.size(); ++i) {
                try {
                    tokenizer_->encode_prompts({&prompts[i], 1});
                } catch (const InputError& error) {
                    throw InputError(file, batch_.rows[i].row.line, error.what());
                }
            }
            throw;
        }
    }

    void write(const TakenRow& row, json::value prompt, Scrubber& scrubber)
    {
        RouteRow line;
        line.ts = row.row.ts_text;
        if (!row.row.conv_id.empty())
            line.conv_id = options_.prefix_id + texts_.conversation(row.row.conv_id);
        line.other = scrubber.members(row.row.other, "row");
        if (!renew_system_base(row.row.other, line.other, old_system(row), new_system(prompt)))
            scrubber.drop("row.assembly", "system_base");
        line.body[row.prompt_name] = std::move(prompt);
        for (const auto& member : scrubber.members(row.row.body, "body"))
            line.body[member.key()] = member.value();
        out_.write(to_line(line));
    }

    // The text of a row's system message, before and after.
    std::optional<std::string_view> old_system(const TakenRow& row) const
    {
        if (row.roles.empty() || row.roles.front() != "system" ||
            row.texts.front().second != row.texts.front().first + 1)
            return std::nullopt;
        return batch_.texts[row.texts.front().first];
    }

    static std::optional<std::string_view> new_system(const json::value& prompt)
    {
        const auto* messages = prompt.if_array();
        return messages && !messages->empty() ? string_at(messages->front().get_object(), "content")
                                              : std::nullopt;
    }

    void tell()
    {
        if (batch_.other_prompts > 0)
            dropped_["body.messages beside a prompt"] += batch_.other_prompts;
        if (batch_.dropped_parts > 0)
            dropped_["message.content that is no text"] += batch_.dropped_parts;
        json::object dropped;
        std::string told;
        for (const auto& [name, count] : dropped_) {
            dropped[name] = count;
            told += (told.empty() ? "" : ", ") + name + " (" + std::to_string(count) + ")";
        }
        auto& facts = out_.facts();
        facts["tokenizer"] = tokenizer_->description();
        facts["key"] = options_.key_file.empty() ? "random, not kept" : "from a file";
        facts["prompt_tokens"] = prompt_tokens_;
        facts["lengths"] = {{"prompts", out_.rows()},
                            {"counted", out_.rows()},
                            {"different", different_},
                            {"largest_difference", largest_difference_}};
        facts["sharing"] = {{"block_tokens", options_.block},
                            {"indexed_pieces", texts_.kept_names()},
                            {"collisions", texts_.collisions()}};
        facts["dropped"] = std::move(dropped);
        if (!told.empty())
            out_.note("left out of rows: " + told);
        if (texts_.collisions() > 0)
            out_.note(std::to_string(texts_.collisions()) +
                      " short pieces of text are like others now: blocks may be shared that were not");
        if (different_ > 0)
            out_.note(std::to_string(different_) + " of " + std::to_string(out_.rows()) +
                      " prompts have another length, by " + std::to_string(largest_difference_) +
                      " tokens at most");
    }

    const AnonymizeOptions& options_;
    Build& out_;
    std::unique_ptr<tokens::Tokenizer> tokenizer_;
    SyntheticText words_;
    AnonymousText texts_;
    TextPositions positions_;
    PromptTexts batch_;
    std::vector<json::value> made_; // the prompts of the batch's rows anew
    std::unordered_map<std::string, std::int64_t> lengths_;
    std::map<std::string, std::uint64_t> dropped_;
    std::int64_t prompt_tokens_ = 0;
    std::uint64_t different_ = 0;
    std::int64_t largest_difference_ = 0;
};

} // namespace detail

inline void AnonymizeOptions::run(Build& out) const
{
    detail::Anonymizer(*this, out).run();
}

} // namespace slo::workload

#endif
