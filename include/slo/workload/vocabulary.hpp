// SPDX-License-Identifier: MIT
// Words that a tokenizer takes for one token each, wherever they stand.

#ifndef SLO_WORKLOAD_VOCABULARY_HPP
#define SLO_WORKLOAD_VOCABULARY_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/random.hpp>
#include <slo/tokens/tokenizer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::workload {

/// Which words a text is made of.
enum class Words {
    any,
    at_most_three_letters, ///< so that no longer word of another text can appear in it
};

namespace detail {

inline constexpr std::string_view short_words =
    "a i the and for you are but not all can had her was one our out day get has him his how man new now old "
    "see two way who boy did its let put say she too use any ask bad big buy car cut dog eat end eye far few "
    "fun got hot job key law lay led leg lie lot low map may men met mix net nor off oil own pay per pop ran "
    "red run sat sea set sit six sky son sun tax tea ten tie top try via web win yes yet add age ago "
    "aid aim air arm art bag bar bed bit box bus cat cup dry due ear egg fit fix fly gas guy hit "
    "ice joy kid lab lip mom mud odd pan pen pet pin pot raw rid row sad shy tip toe van wet wood "
    "am an as at be by do go he if in is it me my no of oh on or so to up us we act bay bid cap cow cry dad "
    "era fee gap ice inn jet log mid mod nut ore pie ray rod rub rug ski sum tag tap tow toy tub vet "
    "win zip arc ash ban bat bet bow cab dot ego elf fan fog fox fur gem gym ham hat hen hip hop hut ink";

inline constexpr std::string_view longer_words =
    "that with this have from they will what when your said each time which about other into some could them "
    "than then look only come over also back after work first well even want give most find here thing many "
    "tell call next keep feel hand part place case week group world area line seem head turn start might "
    "show "
    "hear play move like live hold bring write sit stand lose pay meet run set learn lead under watch stop "
    "speak read allow add spend grow open walk win offer love buy wait serve send build stay fall cut "
    "reach raise pass sell water house small large early young local early south north white black river "
    "stone light green paper table voice field night plant power music heart money story point month issue "
    "level order class force party value court until often later women child house state never while again "
    "right still being three under where those every great might small found thing house asked going point "
    "given taken known shown began whole above below along among since until upon near soon once both such";

inline std::vector<std::string> candidate_words(Words kind)
{
    std::set<std::string_view> known;
    std::vector<std::string> words;
    const auto add = [&](std::string_view list) {
        while (!list.empty()) {
            const auto end = std::min(list.find(' '), list.size());
            const auto word = list.substr(0, end);
            list.remove_prefix(std::min(end + 1, list.size()));
            if ((kind == Words::any || word.size() <= 3) && known.insert(word).second)
                words.push_back(" " + std::string(word));
        }
    };
    add(short_words);
    add(longer_words);
    return words;
}

inline void keep_where(std::vector<std::string>& words, const std::vector<char>& good)
{
    std::size_t kept = 0;
    for (std::size_t i = 0; i < words.size(); ++i)
        if (good[i])
            std::swap(words[kept++], words[i]);
    words.resize(kept);
}

// One token after itself and after others, and no two words the same token.
inline void keep_whole_words(tokens::Tokenizer& tokenizer, std::vector<std::string>& words)
{
    std::vector<std::string> texts;
    for (const auto& word : words)
        texts.push_back(word.substr(1) + word + word);
    const auto lists = tokenizer.encode_texts(texts);
    std::set<tokens::Token> seen;
    std::vector<char> good(words.size());
    for (std::size_t i = 0; i < words.size(); ++i)
        good[i] = lists[i].size() == 3 && lists[i][1] == lists[i][2] && seen.insert(lists[i][1]).second;
    keep_where(words, good);
}

// The same number of tokens as most others at the start of a message.
inline void keep_first_words(tokens::Tokenizer& tokenizer, std::vector<std::string>& words)
{
    std::vector<json::value> prompts;
    for (const auto& word : words)
        prompts.push_back(json::array{json::object{{"role", "user"}, {"content", word.substr(1) + word}}});
    std::vector<const json::value*> pointers;
    for (const auto& prompt : prompts)
        pointers.push_back(&prompt);
    const auto lists = tokenizer.encode_prompts(pointers);
    std::map<std::size_t, std::size_t> votes;
    for (const auto& list : lists)
        ++votes[list.size()];
    const auto most = std::max_element(votes.begin(), votes.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    std::vector<char> good(words.size());
    for (std::size_t i = 0; i < words.size(); ++i)
        good[i] = lists[i].size() == most->first;
    keep_where(words, good);
}

// Words in any order are as many tokens; those that are not, in whatever company, are left out.
inline bool keep_additive_words(tokens::Tokenizer& tokenizer, std::vector<std::string>& words)
{
    constexpr std::size_t neighbours = 12;
    Random random(1);
    std::vector<std::string> texts;
    for (const auto& word : words) {
        std::string text = word.substr(1);
        for (std::size_t i = 0; i < neighbours; ++i)
            text += words[random.bits() % words.size()] + word;
        texts.push_back(std::move(text));
    }
    const auto lists = tokenizer.encode_texts(texts);
    std::vector<char> good(words.size());
    for (std::size_t i = 0; i < words.size(); ++i)
        good[i] = lists[i].size() == 2 * neighbours + 1;
    const bool all = std::count(good.begin(), good.end(), 0) == 0;
    keep_where(words, good);
    return all;
}

} // namespace detail

/// Words, each with the space before it, of which any sequence is as many tokens as words, the first without
/// its space; at least 16. Asks the tokenizer a handful of times for some hundred texts. Throws Error where
/// it has no such words.
inline std::vector<std::string> find_vocabulary(tokens::Tokenizer& tokenizer, Words kind)
{
    constexpr std::size_t least = 16; // so that the words of one cache block tell 2^64 streams apart
    const auto check = [&](const std::vector<std::string>& words) {
        if (words.size() < least)
            throw Error("tokenizer", "has too few words that are one token each: texts of an exact length "
                                     "cannot be made for it");
    };
    auto words = detail::candidate_words(kind);
    detail::keep_whole_words(tokenizer, words);
    check(words);
    // Where a template runs into the text behind it, most prompts are a token off and have to be corrected.
    auto first_words = words;
    detail::keep_first_words(tokenizer, first_words);
    if (first_words.size() >= least)
        words = std::move(first_words);
    for (int round = 0; !detail::keep_additive_words(tokenizer, words); ++round) {
        check(words);
        if (round == 4)
            throw Error("tokenizer", "counts words differently in each company: texts of an exact length "
                                     "cannot be made for it");
    }
    return words;
}

} // namespace slo::workload

#endif
