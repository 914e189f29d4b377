// SPDX-License-Identifier: MIT
// The options of "docker run" and "podman run", as far as one must know them to tell them from the image.

#ifndef SLO_PLAN_DOCKER_OPTIONS_HPP
#define SLO_PLAN_DOCKER_OPTIONS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::plan {

/// One option of a run command, as it was written.
struct DockerOption {
    std::string name; ///< "--ipc", "-e"; a short one stands alone, even from "-itd"
    std::optional<std::string> value;
    std::vector<std::string> words; ///< as they stood; of a cluster, rebuilt
};

namespace detail {

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& list)
{
    return std::find(list.begin(), list.end(), word) != list.end();
}

/// Options without a value; all others have one. Docker's and podman's lists do not contradict each other,
/// but for --pull, whose value is optional in podman.
inline bool is_docker_flag(std::string_view name, bool podman)
{
    constexpr std::array<std::string_view, 26> flags{"--detach",
                                                     "--disable-content-trust",
                                                     "--env-host",
                                                     "--help",
                                                     "--http-proxy",
                                                     "--init",
                                                     "--interactive",
                                                     "--no-healthcheck",
                                                     "--no-hosts",
                                                     "--no-hostname",
                                                     "--oom-kill-disable",
                                                     "--passwd",
                                                     "--privileged",
                                                     "--publish-all",
                                                     "--quiet",
                                                     "--read-only",
                                                     "--read-only-tmpfs",
                                                     "--replace",
                                                     "--rm",
                                                     "--rmi",
                                                     "--rootfs",
                                                     "--sig-proxy",
                                                     "--tls-verify",
                                                     "--tty",
                                                     "--unsetenv-all",
                                                     "--use-api-socket"};
    return is_one_of(name, flags) || (podman && name == "--pull");
}

inline bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

inline bool is_short_docker_flag(char letter)
{
    return std::string_view("diPtq").find(letter) != std::string_view::npos;
}

} // namespace detail

/// Takes the options at `words[at]`, which begins with '-', and moves `at` behind them; of a cluster of short
/// ones ("-itd") each is one. Nothing where that is no option, or its value is missing.
inline std::optional<std::vector<DockerOption>> take_docker_options(const std::vector<std::string>& words,
                                                                    std::size_t& at, bool podman)
{
    const std::string& word = words[at++];
    const auto next_word = [&]() -> std::optional<std::string> {
        return at < words.size() ? std::optional(words[at++]) : std::nullopt;
    };
    std::vector<DockerOption> options;
    if (word.starts_with("--")) {
        const auto equals = word.find('=');
        const auto name = word.substr(0, equals);
        if (equals != std::string::npos) {
            options.push_back({name, word.substr(equals + 1), {word}});
        } else if (detail::is_docker_flag(name, podman)) {
            options.push_back({name, std::nullopt, {word}});
        } else if (auto value = next_word()) {
            options.push_back({name, *value, {word, *value}});
        } else {
            return std::nullopt;
        }
        return options;
    }
    for (std::size_t i = 1; i < word.size(); ++i) {
        if (!detail::is_letter(word[i]))
            return std::nullopt;
        const std::string name{'-', word[i]};
        const bool with_equals = i + 1 < word.size() && word[i + 1] == '=';
        if (detail::is_short_docker_flag(word[i]) && !with_equals) {
            options.push_back({name, std::nullopt, {name}});
        } else if (i + 1 < word.size()) {
            options.push_back({name, word.substr(i + (with_equals ? 2 : 1)), {name + word.substr(i + 1)}});
            break;
        } else if (auto value = next_word()) {
            options.push_back({name, *value, {name, *value}});
        } else {
            return std::nullopt;
        }
    }
    return options;
}

} // namespace slo::plan

#endif
