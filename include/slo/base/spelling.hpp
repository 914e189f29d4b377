// SPDX-License-Identifier: MIT
// What a misspelt name was meant to be.

#ifndef SLO_BASE_SPELLING_HPP
#define SLO_BASE_SPELLING_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo {

/// How many letters must be put in, left out or changed to make one word of the other (Levenshtein).
inline std::size_t edit_distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        row[j] = j;
    for (std::size_t i = 0; i < a.size(); ++i) {
        auto diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const auto changed = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, changed});
        }
    }
    return row.back();
}

/// The first of the `names` that is nearest to what was typed, where at most three letters and half of the
/// word differ; nothing for a word of more than 80 bytes.
template <class Names>
std::optional<std::string> nearest_name(std::string_view typed, const Names& names)
{
    constexpr std::size_t longest = 80;
    if (typed.size() > longest)
        return std::nullopt;
    auto least = std::min<std::size_t>(3, (typed.size() + 1) / 2) + 1;
    std::optional<std::string> nearest;
    for (const auto& name : names) {
        if (const auto distance = edit_distance(typed, name); distance < least) {
            least = distance;
            nearest = std::string(name);
        }
    }
    return nearest;
}

} // namespace slo

#endif
