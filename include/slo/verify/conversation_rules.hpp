// SPDX-License-Identifier: MIT
// Rules of conversations: no row twice, no later turn before an earlier one.

#ifndef SLO_VERIFY_CONVERSATION_RULES_HPP
#define SLO_VERIFY_CONVERSATION_RULES_HPP

#include <slo/verify/rule.hpp>
#include <slo/verify/seen_rows.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace slo::verify {

namespace detail {

// The same text for the same time, however it is written ("1", "1.0", "1e0").
inline std::string time_key(record::Timestamp ts)
{
    using record::TsUnit;
    for (const auto unit : {TsUnit::s, TsUnit::ms, TsUnit::us}) {
        if (const auto ns = ts.to_ns(unit))
            return std::to_string(static_cast<int>(unit)) + ":" + std::to_string(*ns);
    }
    return std::to_string(ts.whole());
}

} // namespace detail

/// No row is there twice: the same conversation at the same time is a duplicate, unless its prompt has
/// another number of messages (a trace with coarse times may hold two turns at one). With `single_turn` each
/// conversation has one row only. Rows without a conversation are not compared.
class IdsRule : public Rule {
public:
    explicit IdsRule(bool single_turn) : single_turn_(single_turn) {}

    void look(const Row& row) override
    {
        if (row.conv_id().empty()) {
            ++without_;
            return;
        }
        key_ = row.conv_id();
        const auto first_of_conversation = conversations_.first_line(murmur3_128(key_), row.line());
        key_.append(1, '\0').append(detail::time_key(row.ts())).append(1, ' ');
        key_ += std::to_string(row.messages().size());
        const auto first = rows_.first_line(murmur3_128(key_), row.line());
        if (first)
            add(row, "the same conversation at the same time as in line ", *first);
        else if (single_turn_ && first_of_conversation)
            add(row, "the conversation of line ", *first_of_conversation);
    }

    RuleReport report() override
    {
        report_.expected = single_turn_ ? "one row a conversation" : "no row twice";
        report_.seen = counted(report_.findings.count(), "repeated row") + ", " +
                       counted(conversations_.size(), "conversation");
        report_.figures["conversations"] = conversations_.size();
        report_.figures["rows_without_conversation"] = without_;
        return std::move(report_);
    }

private:
    void add(const Row& row, const char* what, std::size_t line)
    {
        report_.findings.add_lazily(row.line(), [&] {
            return "conv_id " + printable(row.conv_id(), 80) + ": " + what + std::to_string(line);
        });
    }

    bool single_turn_;
    SeenRows conversations_;
    SeenRows rows_;
    std::string key_;
    std::uint64_t without_ = 0;
    RuleReport report_;
};

/// The turns of a conversation come in their order: a prompt that begins as an earlier one did (up to the end
/// of the user's first message) has no fewer messages. Where a history was cut at its front, the beginnings
/// differ, and nothing is said.
class TurnsRule : public Rule {
public:
    void look(const Row& row) override
    {
        if (row.conv_id().empty())
            return;
        const auto digest = murmur3_128(row.conv_id());
        const auto beginning = static_cast<std::uint32_t>(murmur3_128(row.prompt_beginning())[0]);
        const auto messages = narrow(row.messages().size());
        const auto [entry, is_new] =
            longest_.try_emplace(digest, Turn{beginning, messages, narrow(row.line())});
        if (is_new)
            return;
        ++later_turns_;
        auto& turn = entry->second;
        if (turn.beginning == beginning && messages < turn.messages) {
            report_.findings.add_lazily(row.line(), [&] {
                return "conv_id " + printable(row.conv_id(), 80) + ": a turn of " +
                       counted(messages, "message") + " after one of " + std::to_string(turn.messages) +
                       " in line " + std::to_string(turn.line);
            });
        } else {
            turn = {beginning, messages, narrow(row.line())};
        }
    }

    RuleReport report() override
    {
        report_.expected = "a later turn comes after an earlier one";
        report_.seen = counted(later_turns_, "later turn") + ", " + std::to_string(report_.findings.count()) +
                       " too late";
        report_.figures["later_turns"] = later_turns_;
        return std::move(report_);
    }

private:
    struct Turn {
        std::uint32_t beginning;
        std::uint32_t messages;
        std::uint32_t line;
    };

    struct DigestHash {
        std::size_t operator()(const Digest128& digest) const noexcept { return digest[0]; }
    };

    static std::uint32_t narrow(std::size_t number) noexcept
    {
        return static_cast<std::uint32_t>(
            std::min<std::size_t>(number, std::numeric_limits<std::uint32_t>::max()));
    }

    boost::unordered_flat_map<Digest128, Turn, DigestHash> longest_;
    std::uint64_t later_turns_ = 0;
    RuleReport report_;
};

} // namespace slo::verify

#endif
