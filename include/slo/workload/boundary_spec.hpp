// SPDX-License-Identifier: MIT
// The categories of a boundary set, as a spec file says them.

#ifndef SLO_WORKLOAD_BOUNDARY_SPEC_HPP
#define SLO_WORKLOAD_BOUNDARY_SPEC_HPP

#include <slo/config/section.hpp>
#include <slo/workload/promise.hpp>

#include <cstdint>
#include <string>

namespace slo::workload {

/// Histories that are made up instead of taken from the pool: message i repeats the word with i behind it.
struct MadeHistory {
    std::int64_t turns = 0; ///< 0: none is made up
    std::string word;
    Range words{1, 1}; ///< in each message: the least that keeps the category's promise
};

/// Which conversations a category takes.
struct Selection {
    std::int64_t min_turns = 0;        ///< messages in the history, at least
    bool same_role_neighbours = false; ///< only those that have two messages of one role in a row
    std::string language_not;          ///< none of this language; empty: any
};

/// One category of a boundary set.
struct Category {
    std::string name;
    std::int64_t rows = 0;
    std::int64_t target = 0;        ///< tokens to which its prompts are padded
    std::string entry;              ///< of all rows; empty: by the conversation's turn
    std::int64_t history_last = -1; ///< instead of the prompt's; negative: that
    MadeHistory made;
    Selection where;
    Promise promise;
};

/// Reads one category. Throws InputError.
inline Category read_category(config::Section& section)
{
    constexpr std::int64_t most_tokens = 100'000'000;
    Category category;
    category.name = section.text("name");
    if (category.name.empty())
        throw section.error("name", "is empty");
    category.rows = section.integer("rows", 1, 10'000'000);
    category.target = section.integer("target", 1, most_tokens);
    category.entry = section.text("entry", "");
    category.history_last = section.integer("history_last", 0, 100'000, -1);
    if (section.has("made_history")) {
        auto made = section.section("made_history");
        category.made.turns = made.integer("turns", 1, 10'000);
        category.made.word = made.text("word");
        category.made.words = read_range(made, "words");
        if (category.made.word.empty() || category.made.word.size() > 100)
            throw made.error("word", "is no word of 1 to 100 bytes");
        if (category.made.words.low < 1 || category.made.words.high > 100'000)
            throw made.error("words", "is not from 1 to 100000");
        // With a blank and a number of four digits at each word.
        const auto word_bytes = static_cast<std::int64_t>(category.made.word.size()) + 5;
        if (category.made.turns * category.made.words.high * word_bytes > std::int64_t{8} << 20)
            throw made.error("words", "make a history of more than 8 MiB");
        made.finish();
    }
    if (section.has("where")) {
        auto where = section.section("where");
        category.where.min_turns = where.integer("min_turns", 0, 100'000, 0);
        category.where.same_role_neighbours = where.flag("same_role_neighbours", false);
        category.where.language_not = where.text("language_not", "");
        where.finish();
    }
    if (section.has("expect"))
        category.promise = read_promise(section.section("expect"));
    section.finish();
    return category;
}

} // namespace slo::workload

#endif
