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

/// A copy of main's arguments; in the original, which ps shows, the values of some options are overwritten.
class HiddenArguments {
public:
    /// `options` are names as they are written, "--api-key", "-H"; the value stands behind the name or, with
    /// a long one, behind a '=', with a short one right after it.
    HiddenArguments(int argc, char** argv, std::initializer_list<std::string_view> options)
        : copies_(argv, argv + argc)
    {
        for (int i = 1; i < argc; ++i) {
            const std::string_view word = argv[i];
            for (const auto option : options) {
                if (!word.starts_with(option))
                    continue;
                const auto rest = word.size() - option.size();
                if (rest == 0 && i + 1 < argc)
                    blot(argv[++i]);
                else if (rest > 0 && (!option.starts_with("--") || word[option.size()] == '='))
                    blot(argv[i] + option.size() + (option.starts_with("--") ? 1 : 0));
                break;
            }
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
    static void blot(char* text) noexcept { std::memset(text, 'x', std::strlen(text)); }

    std::vector<std::string> copies_;
    std::vector<char*> pointers_;
};

} // namespace slo::run

#endif
