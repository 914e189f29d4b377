// SPDX-License-Identifier: MIT
// A well-formed row of a route, as the rules look at it.

#ifndef SLO_VERIFY_ROW_HPP
#define SLO_VERIFY_ROW_HPP

#include <slo/base/json.hpp>
#include <slo/record/route.hpp>
#include <slo/record/row_scan.hpp>
#include <slo/tokens/tokenizer.hpp>
#include <slo/verify/seen_rows.hpp>
#include <slo/wire/json_skip.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::verify {

/// One message of a prompt.
struct Message {
    std::string_view role;          ///< decoded; "user" for a bare text in a list
    bool has_text = true;           ///< its content is a text
    bool has_other_members = false; ///< besides role and content
};

/// A view of the row that a scanner has just read. Kept and filled anew for each row, so that its buffers are
/// used again.
class Row {
public:
    /// Takes the row that `scanner` holds; `line` is 1-based. Throws RowError where the prompt is none or one
    /// of its messages is malformed.
    void assign(const record::RowScanner& scanner, std::size_t line)
    {
        scanner_ = &scanner;
        line_ = line;
        messages_.clear();
        escaped_roles_.clear();
        key_.clear();
        conversation_.reset();
        model_.reset();
        assembly_.reset();
        tokens_ = nullptr;
        read_prompt();
    }

    std::size_t line() const noexcept { return line_; }
    record::Timestamp ts() const { return scanner_->ts(); }
    std::string_view ts_text() const { return scanner_->ts_text(); }
    /// The time is a log line's stamp, in nanoseconds since 1970.
    bool is_utc() const { return scanner_->is_log_line(); }
    /// Empty where there is none.
    std::string_view conv_id() const { return scanner_->conv_id(); }

    Digest128 conversation_digest() const
    {
        if (!conversation_)
            conversation_ = murmur3_128(conv_id());
        return *conversation_;
    }

    /// The messages of the prompt; none where it is a text.
    const std::vector<Message>& messages() const noexcept { return messages_; }

    /// Bytes that are the same for equal prompts only, however they are written as JSON: all roles and
    /// contents one after the other, then their lengths.
    std::string_view prompt_key() const
    {
        if (key_.empty())
            make_key();
        return key_;
    }

    /// The content of the first message; empty where it is no text.
    std::string first_content() const
    {
        if (messages_.empty() || !messages_.front().has_text || scanner_->messages().front().is_text())
            return {};
        std::string scratch;
        return std::string(wire::json_string_text(scanner_->messages().front().content, scratch));
    }

    /// The part of prompt_key() up to the end of the first message of the user; all of a text.
    std::string_view prompt_beginning() const { return prompt_key().substr(0, beginning_bytes_); }

    /// The prompt as a tokenizer takes it. Throws JsonError never, as the row is well-formed.
    json::value prompt() const
    {
        auto value = parse_json(scanner_->prompt());
        if (auto* list = value.if_array()) {
            for (auto& message : *list)
                if (message.is_string())
                    message = json::object{{"role", "user"}, {"content", std::move(message)}};
        }
        return value;
    }

    /// All members of the body as they stand, the prompt too.
    const std::vector<record::RowMember>& body_members() const { return scanner_->body_members(); }

    const record::RowMember* body_member(std::string_view name) const { return scanner_->find_in_body(name); }

    /// A member of the body as a whole number, or nothing.
    std::optional<std::int64_t> body_count(std::string_view name) const
    {
        const auto* member = body_member(name);
        return member ? parse_integer<std::int64_t>(member->value) : std::nullopt;
    }

    /// What the builder of the route noted of the model's view: `model`, empty where there is none.
    const json::object& model() const { return member_object("model", model_); }
    /// How the prompt was assembled: `assembly`, empty where there is none.
    const json::object& assembly() const { return member_object("assembly", assembly_); }

    /// Tokens of the prompt as the builder counted them (`model.prompt_tokens_chat_template`).
    std::optional<std::int64_t> stored_tokens() const
    {
        const auto* count = find(model(), "prompt_tokens_chat_template");
        return count && count->is_int64() ? std::optional(count->get_int64()) : std::nullopt;
    }

    /// The tokens of the prompt, where they were asked for.
    const tokens::TokenList* tokens() const noexcept { return tokens_; }
    void set_tokens(const tokens::TokenList& tokens) noexcept { tokens_ = &tokens; }

    /// Tokens of the prompt: counted, else as stored, else nothing.
    std::optional<std::int64_t> prompt_tokens() const
    {
        return tokens_ ? static_cast<std::int64_t>(tokens_->size()) : stored_tokens();
    }

private:
    void read_prompt()
    {
        const auto prompt = scanner_->prompt();
        if (prompt.empty())
            throw record::RowError("body has neither prompt nor messages");
        if (prompt == "\"\"" || (prompt.front() == '[' && scanner_->messages().empty()))
            throw record::RowError("the prompt is empty");
        if (prompt.front() != '"' && prompt.front() != '[')
            throw record::RowError("the prompt is neither text nor a list of messages");
        for (const auto& message : scanner_->messages())
            read_message(message);
    }

    void read_message(const record::RowMessage& message)
    {
        const bool is_text_list = scanner_->messages().front().is_text();
        if (is_text_list ? !message.is_text() : !message.is_object())
            throw record::RowError("the prompt is neither text nor a list of messages");
        if (is_text_list) {
            messages_.push_back({"user", true, false});
            return;
        }
        const auto number = [&] { return "message " + std::to_string(messages_.size() + 1); };
        if (!wire::is_json_string(message.role.empty() ? " " : message.role))
            throw record::RowError(number() + (message.role.empty() ? " has no role" : ": role is no text"));
        if (message.content.empty() && message.members < 2)
            throw record::RowError(number() + " has no content");
        auto& scratch = escaped_roles_.emplace_back();
        const auto role = wire::json_string_text(message.role, scratch);
        if (scratch.empty())
            escaped_roles_.pop_back();
        messages_.push_back({role, !message.content.empty() && wire::is_json_string(message.content),
                             message.members != 1 + std::uint32_t{!message.content.empty()}});
    }

    void make_key() const
    {
        lengths_.clear();
        beginning_bytes_ = 0;
        if (messages_.empty()) {
            append(wire::json_string_text(scanner_->prompt(), scratch_));
            beginning_bytes_ = key_.size();
        }
        for (std::size_t i = 0; i < messages_.size(); ++i) {
            append(messages_[i].role);
            append_content(scanner_->messages()[i], messages_[i]);
            if (beginning_bytes_ == 0 && messages_[i].role == "user")
                beginning_bytes_ = key_.size();
        }
        if (beginning_bytes_ == 0)
            beginning_bytes_ = key_.size();
        for (const auto length : lengths_) {
            std::array<char, sizeof length> bytes{};
            std::memcpy(bytes.data(), &length, sizeof length);
            key_.append(bytes.data(), bytes.size());
        }
    }

    void append_content(const record::RowMessage& message, const Message& read) const
    {
        if (message.is_text())
            append(wire::json_string_text(message.raw, scratch_));
        else if (read.has_text && !read.has_other_members)
            append(wire::json_string_text(message.content, scratch_));
        else
            append(to_json(parse_json(message.raw)));
    }

    void append(std::string_view part) const
    {
        key_ += part;
        lengths_.push_back(part.size());
    }

    const json::object& member_object(std::string_view name, std::optional<json::object>& kept) const
    {
        if (!kept) {
            const auto* member = scanner_->find(name);
            kept.emplace();
            if (member && member->value.starts_with('{'))
                *kept = parse_json(member->value).get_object();
        }
        return *kept;
    }

    const record::RowScanner* scanner_ = nullptr;
    std::size_t line_ = 0;
    std::vector<Message> messages_;
    std::deque<std::string> escaped_roles_;
    const tokens::TokenList* tokens_ = nullptr;
    // Made when asked for.
    mutable std::optional<Digest128> conversation_;
    mutable std::string key_;
    mutable std::string scratch_;
    mutable std::vector<std::uint64_t> lengths_;
    mutable std::size_t beginning_bytes_ = 0;
    mutable std::optional<json::object> model_;
    mutable std::optional<json::object> assembly_;
};

} // namespace slo::verify

#endif
