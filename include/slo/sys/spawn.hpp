// SPDX-License-Identifier: MIT
// A program started to stay: in a session of its own, out of reach of our terminal and of our end.

#ifndef SLO_SYS_SPAWN_HPP
#define SLO_SYS_SPAWN_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/sys/child.hpp>
#include <slo/sys/environment.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>

namespace slo::sys {

/// How a program is started; its stdin is empty.
struct SpawnOptions {
    std::string folder;      ///< where it runs; empty: where we do
    int output = -1;         ///< its stdout; -1: ours
    int errors = -1;         ///< its stderr; -1: ours
    bool new_session = true; ///< it leads a session of its own, whose number is its process id
};

/// Starts a program, found along our PATH, never through a shell, with all signals at their defaults, and
/// returns its process id at once. Throws Error "COMMAND: not found" and the like; IoError.
inline pid_t spawn(const Command& command, const SpawnOptions& options)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (options.output >= 0)
        ::posix_spawn_file_actions_adddup2(&actions, options.output, STDOUT_FILENO);
    if (options.errors >= 0)
        ::posix_spawn_file_actions_adddup2(&actions, options.errors, STDERR_FILENO);
    if (!options.folder.empty())
        ::posix_spawn_file_actions_addchdir_np(&actions, options.folder.c_str());
    sigset_t defaults;
    ::sigfillset(&defaults);
    ::posix_spawnattr_setsigdefault(&attributes, &defaults);
    sigset_t none;
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    const int flags =
        POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | (options.new_session ? POSIX_SPAWN_SETSID : 0);
    ::posix_spawnattr_setflags(&attributes, static_cast<short>(flags));

    auto entries = environment_with(command.environment);
    auto words = command.argv;
    const auto environment = exec_pointers(entries);
    const auto argv = exec_pointers(words);
    pid_t pid = -1;
    const int error = words.empty() || words[0].empty() ? ENOENT
                                                        : ::posix_spawnp(&pid, argv[0], &actions, &attributes,
                                                                         argv.data(), environment.data());
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    const auto name = printable(words.empty() ? "" : words[0]);
    if (error == ENOENT)
        throw Error(name, "not found");
    if (error == EACCES)
        throw Error(name, "not executable");
    if (error != 0)
        throw IoError(name, error);
    return pid;
}

} // namespace slo::sys

#endif
