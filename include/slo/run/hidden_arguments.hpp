// SPDX-License-Identifier: MIT
// Command line arguments that no process list shows.

#ifndef SLO_RUN_HIDDEN_ARGUMENTS_HPP
#define SLO_RUN_HIDDEN_ARGUMENTS_HPP

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace slo::run {

/// A copy of main's arguments; in the original, which ps shows, the value of one option is overwritten.
class HiddenArguments {
public:
    /// `option` is the long name, "--api-key"; its value stands behind it or behind a '='.
    HiddenArguments(int argc, char** argv, std::string_view option) : copies_(argv, argv + argc)
    {
        for (int i = 1; i < argc; ++i) {
            const std::string_view word = argv[i];
            if (word == option && i + 1 < argc)
                blot(argv[++i]);
            else if (word.starts_with(option) && word.size() > option.size() && word[option.size()] == '=')
                blot(argv[i] + option.size() + 1);
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
