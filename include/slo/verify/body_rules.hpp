// SPDX-License-Identifier: MIT
// Rules of request bodies: the fields that shape the answers.

#ifndef SLO_VERIFY_BODY_RULES_HPP
#define SLO_VERIFY_BODY_RULES_HPP

#include <slo/verify/rule.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::verify {

namespace detail {

inline bool is_prompt_member(const record::RowMember& member)
{
    return member.is("prompt") || member.is("messages");
}

// 0.7 and 0.70 and 7e-1 are one number.
inline bool is_same_value(const json::value& a, const json::value& b)
{
    const auto number_a = as_number(&a);
    const auto number_b = as_number(&b);
    return number_a && number_b ? *number_a == *number_b : a == b;
}

} // namespace detail

/// A body asks for what a server can give: it has one prompt, not `prompt` and `messages`, and no more
/// `min_tokens` than an answer may have.
class BodyRule : public Rule {
public:
    void look(const Row& row) override
    {
        if (has(row, "prompt") && has(row, "messages"))
            report_.findings.add(row.line(), "both prompt and messages");
        const auto least = number(row, "min_tokens");
        if (!least)
            return;
        for (const auto* name : {"max_tokens", "max_completion_tokens"}) {
            const auto most = number(row, name);
            if (most && *least > *most)
                return report_.findings.add_lazily(row.line(), [&] {
                    return "min_tokens " + printable(row.body_member("min_tokens")->value, 40) + " above " +
                           name + " " + printable(row.body_member(name)->value, 40);
                });
        }
    }

    RuleReport report() override
    {
        report_.expected = "one prompt, and min_tokens not above max_tokens";
        report_.seen = counted(report_.findings.count(), "body", "bodies") + " a server refuses";
        return std::move(report_);
    }

private:
    static bool has(const Row& row, std::string_view name)
    {
        const auto* member = row.body_member(name);
        return member && member->value != "null";
    }

    static std::optional<double> number(const Row& row, std::string_view name)
    {
        const auto* member = row.body_member(name);
        return member ? parse_double(member->value) : std::nullopt;
    }

    RuleReport report_;
};

/// Besides its prompt a body has exactly these members, with these values. Members of ForbiddenRule are left
/// to that.
class SamplingRule : public Rule {
public:
    SamplingRule(const json::object& body, std::vector<std::string> forbidden)
        : expected_(to_json(body)), forbidden_(std::move(forbidden))
    {
        for (const auto& member : body)
            wanted_.push_back({std::string(member.key().data(), member.key().size()), member.value(), {}});
    }

    void look(const Row& row) override
    {
        for (auto& field : wanted_) {
            const auto* member = row.body_member(field.name);
            if (!member)
                return report_.findings.add(row.line(), field.name + " is missing");
            if (!is_met(field, member->value))
                return report_.findings.add_lazily(row.line(), [&] {
                    return field.name + " is " + printable(member->value, 60) + ", not " +
                           to_json(field.value);
                });
        }
        if (row.body_members().size() == wanted_.size() + 1)
            return;
        for (const auto& member : row.body_members()) {
            if (!detail::is_prompt_member(member) && !is_named(member, forbidden_) && !is_wanted(member))
                return report_.findings.add(row.line(), "unexpected " + printable(member.key, 60));
        }
    }

    RuleReport report() override
    {
        report_.expected = expected_;
        report_.seen = counted(report_.findings.count(), "other body", "other bodies");
        return std::move(report_);
    }

private:
    struct Field {
        std::string name;
        json::value value;
        std::string as_written; // the JSON text that last was equal
    };

    static bool is_met(Field& field, std::string_view written)
    {
        if (written == field.as_written)
            return true;
        if (!detail::is_same_value(parse_json(written), field.value))
            return false;
        field.as_written = written;
        return true;
    }

    static bool is_named(const record::RowMember& member, const std::vector<std::string>& names)
    {
        return std::any_of(names.begin(), names.end(),
                           [&](const std::string& name) { return member.is(name); });
    }

    bool is_wanted(const record::RowMember& member) const
    {
        return std::any_of(wanted_.begin(), wanted_.end(),
                           [&](const Field& field) { return member.is(field.name); });
    }

    std::string expected_;
    std::vector<std::string> forbidden_;
    std::vector<Field> wanted_;
    RuleReport report_;
};

/// No body has one of these members: engines take sampling fields of their own silently, and a route that
/// has them measures another load.
class ForbiddenRule : public Rule {
public:
    explicit ForbiddenRule(std::vector<std::string> names) : names_(std::move(names)) {}

    void look(const Row& row) override
    {
        for (const auto& name : names_) {
            if (row.body_member(name))
                return report_.findings.add(row.line(), "the body has " + name);
        }
    }

    RuleReport report() override
    {
        report_.expected = "no";
        for (const auto& name : names_)
            report_.expected += (&name == &names_.front() ? " " : " or ") + name;
        report_.expected += " in a body";
        report_.seen = counted(report_.findings.count(), "body", "bodies") + " with one";
        return std::move(report_);
    }

private:
    std::vector<std::string> names_;
    RuleReport report_;
};

} // namespace slo::verify

#endif
