// SPDX-License-Identifier: MIT
// A child process in a group of its own, with a guard that ends the group should this process die.

#ifndef SLO_SYS_CHILD_HPP
#define SLO_SYS_CHILD_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/io/fd.hpp>
#include <slo/sys/environment.hpp>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace slo::sys {

/// A program with its arguments, and what is added to the environment.
struct Command {
    std::vector<std::string> argv;
    std::vector<std::pair<std::string, std::string>> environment;
    std::vector<std::string> removed{}; ///< variables of ours that it does not inherit
};

/// Leads a process group and ends it (SIGTERM, a second later SIGKILL) when this process dies, be it by kill
/// -9. It inherits our open files, so a file lock held here is held until the group is gone.
class GroupGuard {
public:
    /// Throws IoError.
    GroupGuard()
    {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0)
            throw IoError("pipe", errno);
        const io::Fd watched(ends[0]);
        lifeline_ = io::Fd(ends[1]);
        pid_ = ::fork();
        if (pid_ < 0)
            throw IoError("fork", errno);
        if (pid_ == 0)
            stand_guard(ends[0], ends[1]);
        ::setpgid(pid_, pid_);
    }
    GroupGuard(const GroupGuard&) = delete;
    GroupGuard& operator=(const GroupGuard&) = delete;
    ~GroupGuard()
    {
        lifeline_ = io::Fd();
        ::waitpid(pid_, nullptr, 0);
    }

    pid_t group() const noexcept { return pid_; }

    /// Lets the group live on without a guard.
    void dismiss() noexcept { ::kill(pid_, SIGKILL); }

private:
    // Runs in the forked process: nothing but async-signal-safe calls.
    [[noreturn]] static void stand_guard(int watched, int lifeline)
    {
        ::setpgid(0, 0);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE})
            ::signal(signal, SIG_IGN);
        ::close(lifeline);
        for (int standard = 0; standard <= 2; ++standard)
            if (standard != watched)
                ::close(standard);
        char byte;
        while (::read(watched, &byte, 1) < 0 && errno == EINTR) {
        }
        ::kill(0, SIGTERM);
        ::poll(nullptr, 0, 1000);
        ::kill(0, SIGKILL);
        ::_exit(0);
    }

    io::Fd lifeline_;
    pid_t pid_ = -1;
};

/// A running command: stdin empty, stdout a pipe to us, stderr ours. Destroying it ends its process group,
/// unless release() was called.
class Child {
public:
    /// Starts the command, found along PATH, with the signal mask `mask` (null: ours). Throws IoError; Error
    /// "COMMAND: not found" and the like.
    Child(const Command& command, const sigset_t* mask)
    {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0)
            throw IoError("pipe", errno);
        output_ = io::Fd(ends[0]);
        const io::Fd write_end(ends[1]);
        spawn(command, mask, write_end.get());
        pidfd_ = io::Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child()
    {
        if (!reaped_) {
            signal_group(SIGKILL);
            ::waitpid(pid_, nullptr, 0);
        }
    }

    const io::Fd& output_fd() const noexcept { return output_; }
    int output() const noexcept { return output_.get(); }

    /// Readable when the child has ended; negative where the kernel does not offer it.
    int pidfd() const noexcept { return pidfd_.get(); }

    /// Sends a signal to every process of the group.
    void signal_group(int signal) const noexcept { ::kill(-guard_.group(), signal); }

    /// True once the child has ended; never blocks.
    bool reap()
    {
        if (!reaped_) {
            const auto got = ::waitpid(pid_, &status_, WNOHANG);
            if (got < 0 && errno != EINTR)
                throw IoError("waitpid", errno);
            reaped_ = got == pid_;
        }
        return reaped_;
    }

    /// Whether a signal ended it; its exit status, or that signal's number. Meaningful once reap() is true.
    bool signalled() const noexcept { return WIFSIGNALED(status_); }
    int exit_code() const noexcept { return signalled() ? WTERMSIG(status_) : WEXITSTATUS(status_); }

    /// Leaves what the child started in the background alone.
    void release() noexcept { guard_.dismiss(); }

private:
    void spawn(const Command& command, const sigset_t* mask, int write_end)
    {
        posix_spawn_file_actions_t actions;
        posix_spawnattr_t attributes;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawnattr_init(&attributes);
        ::posix_spawn_file_actions_adddup2(&actions, write_end, STDOUT_FILENO);
        ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF;
        ::posix_spawnattr_setpgroup(&attributes, guard_.group());
        sigset_t defaults;
        ::sigemptyset(&defaults);
        ::sigaddset(&defaults, SIGPIPE);
        ::posix_spawnattr_setsigdefault(&attributes, &defaults);
        if (mask) {
            flags |= POSIX_SPAWN_SETSIGMASK;
            ::posix_spawnattr_setsigmask(&attributes, mask);
        }
        ::posix_spawnattr_setflags(&attributes, flags);
        const int error = spawn(command, actions, attributes);
        ::posix_spawnattr_destroy(&attributes);
        ::posix_spawn_file_actions_destroy(&actions);
        if (error != 0)
            guard_.dismiss();
        const auto name = printable(command.argv.empty() ? "" : command.argv[0]);
        if (error == ENOENT)
            throw Error(name, "not found");
        if (error == EACCES)
            throw Error(name, "not executable");
        if (error != 0)
            throw IoError(name, error);
    }

    int spawn(const Command& command, const posix_spawn_file_actions_t& actions,
              const posix_spawnattr_t& attributes)
    {
        auto entries = environment_with(command.environment, command.removed);
        auto words = command.argv;
        const auto environment = exec_pointers(entries);
        const auto argv = exec_pointers(words);
        if (words.empty() || words[0].empty())
            return ENOENT;
        return ::posix_spawnp(&pid_, argv[0], &actions, &attributes, argv.data(), environment.data());
    }

    GroupGuard guard_;
    io::Fd output_;
    io::Fd pidfd_;
    pid_t pid_ = -1;
    int status_ = 0;
    bool reaped_ = false;
};

} // namespace slo::sys

#endif
