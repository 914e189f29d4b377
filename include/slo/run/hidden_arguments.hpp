// SPDX-License-Identifier: MIT
// Command line arguments that no process list shows.

#ifndef SLO_RUN_HIDDEN_ARGUMENTS_HPP
#define SLO_RUN_HIDDEN_ARGUMENTS_HPP

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace slo::run {

/// A copy of main's arguments; in the original, which ps shows, the values of some options are overwritten,
/// and user names and passwords in URLs.
class HiddenArguments {
public:
    /// `options` are names as they are written, "--api-key", "-H". The value stands behind the name, or in
    /// the same word: after a long one and '=', or right after a short one, before which flags may stand
    /// ("-qH").
    HiddenArguments(int argc, char** argv, std::initializer_list<std::string_view> options)
        : copies_(argv, argv + argc)
    {
        // What is hidden needlessly does no harm: the letter in the value of another short option, or a value
        // that looks like a name.
        for (std::size_t i = 1; i < copies_.size(); ++i) {
            for (const auto option : options) {
                const auto value = value_in(copies_[i], option);
                if (value == copies_[i].size() && i + 1 < copies_.size())
                    blot(argv[i + 1], 0, copies_[i + 1].size());
                else if (value < copies_[i].size())
                    blot(argv[i], value, copies_[i].size());
            }
            blot_credentials(argv[i], copies_[i]);
        }
        for (auto& copy : copies_)
            pointers_.push_back(copy.data());
        pointers_.push_back(nullptr);
    }
    HiddenArguments(const HiddenArguments&) = delete;
    HiddenArguments& operator=(const HiddenArguments&) = delete;

    /// The arguments as they were.
    char** argv() const noexcept { return const_cast<char**>(pointers_.data()); }

private:
    static constexpr auto none = std::string_view::npos;

    // Where the value of `option` begins in `word`: at its end when that is the next word.
    static std::size_t value_in(std::string_view word, std::string_view option) noexcept
    {
        if (option.starts_with("--")) {
            if (!word.starts_with(option))
                return none;
            if (word.size() == option.size())
                return word.size();
            return word[option.size()] == '=' ? option.size() + 1 : none;
        }
        const auto letter = word.starts_with('-') && !word.starts_with("--") ? word.find(option[1], 1) : none;
        return letter == none ? none : letter + 1;
    }

    // user:password in scheme://user:password@host/
    static void blot_credentials(char* shown, std::string_view word) noexcept
    {
        const auto scheme = word.find("://");
        if (scheme == none)
            return;
        const auto begin = scheme + 3;
        const auto authority = word.substr(begin, word.find_first_of("/?#", begin) - begin);
        if (const auto at = authority.rfind('@'); at != none)
            blot(shown, begin, begin + at);
    }

    static void blot(char* text, std::size_t begin, std::size_t end) noexcept
    {
        std::memset(text + begin, 'x', end - begin);
    }

    std::vector<std::string> copies_;
    std::vector<char*> pointers_;
};

} // namespace slo::run

#endif
