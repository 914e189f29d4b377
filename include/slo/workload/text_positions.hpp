// SPDX-License-Identifier: MIT
// Where in the tokens of a prompt the texts of its messages stand.

#ifndef SLO_WORKLOAD_TEXT_POSITIONS_HPP
#define SLO_WORKLOAD_TEXT_POSITIONS_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/engine/tokenizer.hpp>
#include <slo/tokens/tokenizer.hpp>
#include <slo/workload/synthetic_text.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace slo::workload {

/// Finds out how many tokens of the chat template stand before a message's text, by comparing prompts that
/// differ from there on. Each sequence of roles is asked for once; 16 bytes and some are kept for it.
class TextPositions {
public:
    explicit TextPositions(const SyntheticText& words) : words_(words) {}

    /// For each message of these roles, the template's tokens before its text. No role: a prompt that is a
    /// text. A template that refuses a sequence is taken to add four tokens a message. Throws Error.
    std::vector<std::int64_t> template_tokens_before(const std::vector<std::string>& roles)
    {
        const auto names = names_of(roles);
        std::vector<json::value> pairs;
        std::vector<std::size_t> missing;
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (known_.contains(names[i]))
                continue;
            missing.push_back(i);
            pairs.push_back(prompt(roles, i, 1));
            pairs.push_back(prompt(roles, i, 2));
        }
        ask(names, missing, pairs);
        std::vector<std::int64_t> before;
        for (const auto name : names)
            before.push_back(known_[name]);
        return before;
    }

private:
    static std::vector<std::uint64_t> names_of(const std::vector<std::string>& roles)
    {
        if (roles.empty())
            return {0};
        std::vector<std::uint64_t> names;
        std::uint64_t name = 1;
        for (const auto& role : roles)
            names.push_back(name = engine::mix64(name ^ std::uint64_t{engine::token_of(role)} << 16));
        return names;
    }

    // The messages up to `last`, a word in each, the last with a word of its own.
    json::value prompt(const std::vector<std::string>& roles, std::size_t last, std::uint64_t stream) const
    {
        if (roles.empty())
            return json_text(words_.text(stream, 1));
        json::array messages;
        for (std::size_t i = 0; i <= last; ++i)
            messages.push_back(json::object{{"role", json_text(roles[i])},
                                            {"content", json_text(words_.text(i < last ? 0 : stream, 1))}});
        return messages;
    }

    void ask(const std::vector<std::uint64_t>& names, const std::vector<std::size_t>& missing,
             const std::vector<json::value>& pairs)
    {
        std::vector<const json::value*> prompts;
        for (const auto& one : pairs)
            prompts.push_back(&one);
        try {
            const auto lists = words_.tokenizer().encode_prompts(prompts);
            for (std::size_t k = 0; k < missing.size(); ++k)
                known_[names[missing[k]]] = common(lists[2 * k], lists[2 * k + 1]) -
                                            static_cast<std::int64_t>(missing[k]); // one word each before it
        } catch (const IoError&) {
            throw;
        } catch (const Error&) {
            for (const auto i : missing)
                known_[names[i]] = 4 * static_cast<std::int64_t>(i + 1) - 1;
        }
    }

    static std::int64_t common(const tokens::TokenList& a, const tokens::TokenList& b)
    {
        return std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
    }

    const SyntheticText& words_;
    boost::unordered_flat_map<std::uint64_t, std::int64_t> known_;
};

} // namespace slo::workload

#endif
