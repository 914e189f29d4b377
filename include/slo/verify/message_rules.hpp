// SPDX-License-Identifier: MIT
// Rules of message lists: who speaks when, and what a message holds.

#ifndef SLO_VERIFY_MESSAGE_RULES_HPP
#define SLO_VERIFY_MESSAGE_RULES_HPP

#include <slo/verify/rule.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace slo::verify {

namespace detail {

enum class Speaker { system, user, assistant, tool, unknown };

inline Speaker speaker_of(std::string_view role) noexcept
{
    if (role == "user")
        return Speaker::user;
    if (role == "assistant")
        return Speaker::assistant;
    if (role == "system" || role == "developer")
        return Speaker::system;
    return role == "tool" || role == "function" ? Speaker::tool : Speaker::unknown;
}

inline constexpr const char* no_messages = "no prompt is a list of messages";

} // namespace detail

/// Roles are known ones (system or developer, user, assistant, tool or function); a system message stands
/// first; after it user and assistant alternate, whoever begins; results of tools follow the assistant or one
/// another; the user, or a tool, speaks last. Prompts that are texts have no roles.
class RolesRule : public Rule {
public:
    /// With `needs_system` each prompt is a list that begins with a system message.
    explicit RolesRule(bool needs_system) : needs_system_(needs_system) {}

    void look(const Row& row) override
    {
        if (row.messages().empty()) {
            if (needs_system_)
                report_.findings.add(row.line(), "a text in place of messages");
            return;
        }
        ++lists_;
        const auto reason = broken_part(row);
        if (!reason.empty())
            report_.findings.add(row.line(), reason);
    }

    RuleReport report() override
    {
        report_.expected =
            std::string(needs_system_ ? "a system message first" : "a system message only first") +
            ", then user and assistant in turn, the user last";
        report_.seen =
            counted(report_.findings.count(), "bad list") + " of messages among " + std::to_string(lists_);
        if (lists_ == 0)
            report_.nothing_to_check = detail::no_messages;
        return std::move(report_);
    }

private:
    std::string broken_part(const Row& row) const
    {
        using detail::Speaker;
        auto before = Speaker::system;
        for (std::size_t i = 0; i < row.messages().size(); ++i) {
            const auto role = row.messages()[i].role;
            const auto speaker = detail::speaker_of(role);
            const auto at = [&] { return "message " + std::to_string(i + 1) + ": "; };
            if (speaker == Speaker::unknown)
                return at() + "unknown role " + printable(role, 40);
            if (needs_system_ && i == 0 && speaker != Speaker::system)
                return at() + printable(role, 40) + " in place of system";
            if (speaker == Speaker::system && i > 0)
                return at() + "a system message that is not the first";
            if (speaker == before && speaker != Speaker::tool && i > 0)
                return at() + printable(role, 40) + " twice in a row";
            if (speaker == Speaker::tool && before != Speaker::assistant && before != Speaker::tool)
                return at() + "the result of a tool that the assistant did not call";
            before = speaker;
        }
        if (before == Speaker::assistant || before == Speaker::system)
            return "the last message is of the " + printable(row.messages().back().role, 40);
        return {};
    }

    bool needs_system_;
    std::size_t lists_ = 0;
    RuleReport report_;
};

/// Each message holds `role` and `content` and nothing else, and the content is a text.
class MessagesRule : public Rule {
public:
    void look(const Row& row) override
    {
        lists_ += !row.messages().empty();
        for (std::size_t i = 0; i < row.messages().size(); ++i) {
            const auto& message = row.messages()[i];
            if (!message.has_other_members && message.has_text)
                continue;
            report_.findings.add_lazily(row.line(), [&] {
                return "message " + std::to_string(i + 1) +
                       (message.has_text ? " has other members than role and content"
                                         : ": content is no text");
            });
            return;
        }
    }

    RuleReport report() override
    {
        report_.expected = "messages of role and content, a text, alone";
        report_.seen = counted(report_.findings.count(), "row") + " with others";
        if (lists_ == 0)
            report_.nothing_to_check = detail::no_messages;
        return std::move(report_);
    }

private:
    std::size_t lists_ = 0;
    RuleReport report_;
};

/// Where a row says what its system message begins with (`assembly.system_base`), it does.
class SystemRule : public Rule {
public:
    void look(const Row& row) override
    {
        const auto base = string_at(row.assembly(), "system_base");
        if (!base)
            return;
        ++compared_;
        const bool is_system = !row.messages().empty() && row.messages().front().role == "system";
        if (!is_system || !row.first_content().starts_with(*base))
            report_.findings.add(row.line(),
                                 is_system ? "the system message does not begin with assembly.system_base"
                                           : "no system message, but an assembly.system_base");
    }

    RuleReport report() override
    {
        report_.expected = "the system message begins with assembly.system_base";
        report_.seen = counted(report_.findings.count(), "other system message") + " among " +
                       counted(compared_, "row") + " with one";
        if (compared_ == 0)
            report_.nothing_to_check = "no row has an assembly.system_base";
        return std::move(report_);
    }

private:
    std::uint64_t compared_ = 0;
    RuleReport report_;
};

} // namespace slo::verify

#endif
