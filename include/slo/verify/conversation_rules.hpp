// SPDX-License-Identifier: MIT
// Rules of conversations: no row twice, no later turn before an earlier one.

#ifndef SLO_VERIFY_CONVERSATION_RULES_HPP
#define SLO_VERIFY_CONVERSATION_RULES_HPP

#include <slo/verify/conversations.hpp>
#include <slo/verify/rule.hpp>
#include <slo/verify/seen_rows.hpp>
#include <slo/workload/quota_spec.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo::verify {

namespace detail {

inline constexpr const char* no_conversation = "no row has a conv_id";

// The same for the same time, however it is written ("1", "1.0", "1e0"), and number of messages.
inline Digest128 turn_digest(const Row& row) noexcept
{
    using record::TsUnit;
    std::array<std::int64_t, 3> key{row.ts().whole(), 0, static_cast<std::int64_t>(row.messages().size())};
    for (const auto unit : {TsUnit::s, TsUnit::ms, TsUnit::us}) {
        if (const auto ns = row.ts().to_ns(unit)) {
            key[1] = *ns;
            break;
        }
    }
    return murmur3_128({reinterpret_cast<const char*>(key.data()), sizeof key});
}

} // namespace detail

/// No row is there twice: the same conversation at the same time is a duplicate, unless its prompt has
/// another number of messages (a trace with coarse times may hold two turns at one). With `single_turn` each
/// conversation has one row only. Rows without a conversation are not compared.
class IdsRule : public Rule {
public:
    IdsRule(std::shared_ptr<Conversations> conversations, bool single_turn)
        : conversations_(std::move(conversations)), single_turn_(single_turn)
    {
    }

    void look(const Row& row) override
    {
        if (row.conv_id().empty()) {
            ++without_;
            return;
        }
        const auto turn = detail::turn_digest(row);
        const auto [conversation, is_new] = conversations_->of(row);
        if (is_new) {
            conversation->first_turn = turn[0];
            return;
        }
        // Most conversations have one row: the others' turns are kept apart.
        const auto& id = row.conversation_digest();
        const auto earlier = conversation->first_turn == turn[0]
                                 ? std::optional<std::size_t>(conversation->line)
                                 : later_turns_.first_line({id[0] ^ turn[0], id[1] ^ turn[1]}, row.line());
        if (earlier)
            add(row, "the same conversation at the same time as in line ", *earlier);
        else if (single_turn_)
            add(row, "the conversation of line ", conversation->line);
    }

    RuleReport report() override
    {
        report_.expected = single_turn_ ? "one row a conversation" : "no row twice";
        report_.seen = counted(report_.findings.count(), "repeated row") + ", " +
                       counted(conversations_->size(), "conversation");
        report_.figures["conversations"] = conversations_->size();
        report_.figures["rows_without_conversation"] = without_;
        if (conversations_->size() == 0)
            report_.nothing_to_check = detail::no_conversation;
        return std::move(report_);
    }

private:
    void add(const Row& row, const char* what, std::size_t line)
    {
        report_.findings.add_lazily(row.line(), [&] {
            return "conv_id " + printable(row.conv_id(), 80) + ": " + what + std::to_string(line);
        });
    }

    std::shared_ptr<Conversations> conversations_;
    bool single_turn_;
    SeenRows later_turns_;
    std::uint64_t without_ = 0;
    RuleReport report_;
};

/// Each row has a conversation id as a spec makes them: its prefix and a number from 1 on, of at least so
/// many digits.
class IdFormRule : public Rule {
public:
    explicit IdFormRule(workload::QuotaSpec spec) : spec_(std::move(spec)) {}

    void look(const Row& row) override
    {
        if (!is_of_form(row.conv_id()))
            report_.findings.add_lazily(row.line(), [&] {
                return row.conv_id().empty() ? std::string("no conv_id")
                                             : "conv_id " + printable(row.conv_id(), 80);
            });
    }

    RuleReport report() override
    {
        report_.expected = "ids as " + printable(spec_.id(1), 80);
        report_.seen = counted(report_.findings.count(), "row") + " with another";
        return std::move(report_);
    }

private:
    bool is_of_form(std::string_view id) const
    {
        if (!id.starts_with(spec_.id_prefix))
            return false;
        const auto number = parse_integer<std::int64_t>(id.substr(spec_.id_prefix.size()));
        return number && *number >= 1 && id == spec_.id(*number);
    }

    workload::QuotaSpec spec_;
    RuleReport report_;
};

/// The turns of a conversation come in their order: a prompt that begins as an earlier one did (up to the end
/// of the user's first message) has no fewer messages. Where a history was cut at its front, the beginnings
/// differ, and nothing is said.
class TurnsRule : public Rule {
public:
    explicit TurnsRule(std::shared_ptr<Conversations> conversations)
        : conversations_(std::move(conversations))
    {
    }

    void look(const Row& row) override
    {
        if (row.conv_id().empty())
            return;
        const auto beginning = static_cast<std::uint32_t>(murmur3_128(row.prompt_beginning())[0]);
        const auto messages = static_cast<std::uint32_t>(
            std::min<std::size_t>(row.messages().size(), std::numeric_limits<std::uint32_t>::max()));
        const auto [conversation, is_new] = conversations_->of(row);
        further_rows_ += !is_new;
        if (!is_new && conversation->beginning == beginning && messages < conversation->messages) {
            report_.findings.add_lazily(row.line(), [&, longest = conversation->messages] {
                return "conv_id " + printable(row.conv_id(), 80) + ": a turn of " +
                       counted(messages, "message") + " after one of " + std::to_string(longest);
            });
            return;
        }
        conversation->beginning = beginning;
        conversation->messages = messages;
    }

    RuleReport report() override
    {
        report_.expected = "a later turn comes after an earlier one";
        report_.seen = counted(further_rows_, "further row") + " of conversations, " +
                       std::to_string(report_.findings.count()) + " out of turn";
        report_.figures["further_rows"] = further_rows_;
        if (conversations_->size() == 0)
            report_.nothing_to_check = detail::no_conversation;
        return std::move(report_);
    }

private:
    std::shared_ptr<Conversations> conversations_;
    std::uint64_t further_rows_ = 0;
    RuleReport report_;
};

} // namespace slo::verify

#endif
