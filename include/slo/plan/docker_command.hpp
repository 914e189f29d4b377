// SPDX-License-Identifier: MIT
// "docker run" as it must be for a service that outlives its terminal.

#ifndef SLO_PLAN_DOCKER_COMMAND_HPP
#define SLO_PLAN_DOCKER_COMMAND_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/plan/docker_options.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::plan {

/// A run command, rewritten.
struct DockerRun {
    std::vector<std::string> engine; ///< "docker" and its global options: what other commands begin with
    std::vector<std::string> argv;   ///< the whole command, detached
    std::string name;                ///< of the container
    bool remove = false;             ///< --rm was asked for: to be done once its log is saved
    std::string image;
    std::vector<std::string> arguments; ///< behind the image: the service's own
    std::vector<std::string> published; ///< values of --publish
    bool host_network = false;
    std::vector<std::string> notes; ///< what was left out and why, one sentence each
};

namespace detail {

// Global options that take a word of their own.
inline bool takes_word(std::string_view option)
{
    constexpr std::array<std::string_view, 19> options{
        "-H",          "--host",    "-c",           "--context",        "--config",      "-l",
        "--log-level", "--url",     "--connection", "--identity",       "--root",        "--runroot",
        "--tlscacert", "--tlscert", "--tlskey",     "--storage-driver", "--storage-opt", "--cgroup-manager",
        "--tmpdir"};
    return is_one_of(option, options);
}

// Where the word "run" stands in a command of docker or podman.
inline std::optional<std::size_t> place_of_run(const std::vector<std::string>& words)
{
    if (words.empty())
        return std::nullopt;
    const auto program = std::string_view(words[0]).substr(words[0].rfind('/') + 1);
    if (program != "docker" && program != "podman")
        return std::nullopt;
    std::size_t at = 1;
    while (at < words.size() && words[at].starts_with('-'))
        at += takes_word(words[at]) ? 2 : 1;
    if (at < words.size() && words[at] == "container")
        ++at;
    return at < words.size() && words[at] == "run" ? std::optional(at) : std::nullopt;
}

inline bool is_off(const DockerOption& option)
{
    return option.value && (lower_case(*option.value) == "false" || *option.value == "0");
}

// Why an option cannot stay; empty when it can.
inline std::string_view why_dropped(const DockerOption& option)
{
    const auto& name = option.name;
    if (name == "--rm")
        return "the log of a container that died would go with it; serve-ctl removes it when it stops it";
    if (name == "-i" || name == "--interactive" || name == "-t" || name == "--tty")
        return "a service has no terminal";
    if (name == "-a" || name == "--attach" || name == "--sig-proxy")
        return "the container is detached";
    return {};
}

} // namespace detail

/// The rewriting of a plain "docker run" or "podman run" (also "container run"): detached, with a name
/// (`made_name` where the user gave none) and with --ipc=host and the ulimits that pinned memory needs where
/// they are missing; all else stays as and where it was. The values of `variables` the container gets from
/// the environment of the command. Nothing for any other command. Throws UsageError for a run command without
/// an image.
inline std::optional<DockerRun> rewrite_docker_run(const std::vector<std::string>& words,
                                                   const std::string& made_name,
                                                   const std::vector<std::string>& variables = {})
{
    const auto run = detail::place_of_run(words);
    if (!run)
        return std::nullopt;
    const bool podman = words[0].ends_with("podman");
    DockerRun result;
    const auto end_of_engine = words[*run - 1] == "container" ? *run - 1 : *run;
    result.engine.assign(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(end_of_engine));

    std::vector<std::string> kept;
    bool detached = false, ipc = false, memlock = false, stack = false;
    std::size_t at = *run + 1;
    while (at < words.size() && words[at].starts_with('-') && words[at] != "--" && words[at] != "-") {
        const auto options = take_docker_options(words, at, podman);
        if (!options)
            throw UsageError(printable(words[at - 1], 40), "no option, or one without its value");
        for (const auto& option : *options) {
            if (option.name == "-d" || option.name == "--detach") {
                if (!detail::is_off(option) && !std::exchange(detached, true))
                    kept.insert(kept.end(), option.words.begin(), option.words.end());
                continue;
            }
            if (const auto why = detail::why_dropped(option); !why.empty()) {
                if (detail::is_off(option))
                    continue;
                result.remove = result.remove || option.name == "--rm";
                result.notes.push_back(option.name + " left out: " + std::string(why));
                continue;
            }
            if (option.name == "--name" && (!option.value || option.value->empty()))
                continue;
            if (option.name == "--name")
                result.name = *option.value;
            if (option.name == "--restart" && option.value != "no")
                result.notes.push_back("--restart " + printable(option.value.value_or(""), 40) +
                                       " stays: a container that comes back by itself hides that it died");
            ipc = ipc || option.name == "--ipc";
            if ((option.name == "-p" || option.name == "--publish") && option.value)
                result.published.push_back(*option.value);
            if ((option.name == "--network" || option.name == "--net") && option.value == "host")
                result.host_network = true;
            if (option.name == "--ulimit" && option.value) {
                memlock = memlock || option.value->starts_with("memlock=");
                stack = stack || option.value->starts_with("stack=");
            }
            kept.insert(kept.end(), option.words.begin(), option.words.end());
        }
    }
    if (at < words.size() && words[at] == "--")
        ++at;
    if (at >= words.size() || words[at].empty() || words[at].starts_with("-"))
        throw UsageError(printable(words[0], 40) + " run", "no image given");
    result.image = words[at];
    result.arguments.assign(words.begin() + static_cast<std::ptrdiff_t>(at + 1), words.end());

    std::vector<std::string> added;
    if (!detached)
        added.emplace_back("-d");
    if (result.name.empty()) {
        result.name = made_name;
        added.insert(added.end(), {"--name", made_name});
    }
    if (!ipc)
        added.emplace_back("--ipc=host");
    if (!memlock)
        added.insert(added.end(), {"--ulimit", "memlock=-1"});
    if (!stack)
        added.insert(added.end(), {"--ulimit", "stack=67108864"});
    for (const auto& variable : variables)
        added.insert(added.end(), {"-e", variable});
    result.argv.assign(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(*run + 1));
    result.argv.insert(result.argv.end(), added.begin(), added.end());
    result.argv.insert(result.argv.end(), kept.begin(), kept.end());
    result.argv.insert(result.argv.end(), words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
    return result;
}

/// A name that docker takes for a container, made of any text.
inline std::string container_name(std::string_view text)
{
    std::string name;
    for (const char c : text.substr(0, 100)) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        name += letter || (!name.empty() && (c == '_' || c == '.' || c == '-')) ? c
                : name.empty()                                                  ? 's'
                                                                                : '-';
    }
    return name.empty() ? "service" : name;
}

} // namespace slo::plan

#endif
