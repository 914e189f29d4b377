// SPDX-License-Identifier: MIT
// Work in a process of its own that may crash, or hang so that not even SIGKILL ends it, without taking us
// along.

#ifndef SLO_SYS_FORKED_HPP
#define SLO_SYS_FORKED_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/io/fd.hpp>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::sys {

/// A forked process in a group of its own, with a pipe to it and one from it, and nothing on its stdin and
/// stdout. It dies with us. Not for use
/// where this process has threads.
class Forked {
public:
    static constexpr std::size_t most_output = std::size_t{4} << 20;

    /// `body` runs in the child, with the descriptors it reads from and writes to; its value is the exit
    /// status. `mask` (null: ours) is its signal mask. Throws IoError.
    explicit Forked(const std::function<int(int in, int out)>& body, const sigset_t* mask = nullptr)
    {
        int to_child[2], from_child[2];
        if (::pipe2(to_child, O_CLOEXEC) != 0)
            throw IoError("pipe", errno);
        io::Fd child_in(to_child[0]);
        input_ = io::Fd(to_child[1]);
        if (::pipe2(from_child, O_CLOEXEC) != 0)
            throw IoError("pipe", errno);
        output_ = io::Fd(from_child[0]);
        io::Fd child_out(from_child[1]);
        const auto parent = ::getpid();
        pid_ = ::fork();
        if (pid_ < 0)
            throw IoError("fork", errno);
        if (pid_ > 0) {
            ::setpgid(pid_, pid_);
            return;
        }
        ::setpgid(0, 0);
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent)
            ::_exit(1);
        if (mask)
            ::sigprocmask(SIG_SETMASK, mask, nullptr);
        input_ = io::Fd();
        output_ = io::Fd();
        const io::Fd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
        ::dup2(nothing.get(), STDIN_FILENO);
        ::dup2(nothing.get(), STDOUT_FILENO); // a library that prints must not print among our records
        int status = 1;
        try {
            status = body(child_in.get(), child_out.get());
        } catch (...) { // what it had to say, it said to the pipe
        }
        ::_exit(status);
    }
    Forked(const Forked&) = delete;
    Forked& operator=(const Forked&) = delete;
    ~Forked() { end(); }

    enum class Event { output, ended, timed_out, stopped };

    /// Waits for more output, its end, the monotonic time `until_ns`, or until `stop_fd` (-1: none) is
    /// readable.
    Event wait(std::int64_t until_ns, int stop_fd)
    {
        for (;;) {
            const auto left_ms = (until_ns - monotonic_ns()) / 1'000'000 + 1;
            pollfd events[2] = {{output_.get(), POLLIN, 0}, {stop_fd, POLLIN, 0}};
            const int ready =
                ::poll(events, 2, static_cast<int>(std::clamp<std::int64_t>(left_ms, 0, 60'000)));
            if (ready < 0 && errno != EINTR)
                throw IoError("poll", errno);
            if (ready > 0 && events[1].revents != 0)
                return Event::stopped;
            if (ready > 0 && events[0].revents != 0) {
                char block[65536];
                const auto got = io::read_some(output_, block, sizeof block, "output of a child");
                if (got == 0)
                    return Event::ended;
                text_.append(block, std::min(got, most_output - text_.size()));
                return Event::output;
            }
            if (monotonic_ns() >= until_ns)
                return Event::timed_out;
        }
    }

    /// What it wrote so far and nobody took, at most 4 MiB.
    std::string& text() noexcept { return text_; }

    /// Writes to it; a child that is gone takes nothing.
    void send(std::string_view text) const noexcept
    {
        [[maybe_unused]] const auto put = ::write(input_.get(), text.data(), text.size());
    }

    struct End {
        enum class Cause { exited, signalled, stuck } cause;
        int code; ///< exit status, or the number of the signal
    };

    /// Its end: waits `grace_s` for it, then kills its group. `stuck` when it does not even die of that.
    End finish(double grace_s)
    {
        if (!reaped(grace_s)) {
            ::kill(-pid_, SIGKILL);
            if (!reaped(kill_grace_s)) {
                pid_ = -1; // asleep in the kernel: nobody can wait for that
                return {End::Cause::stuck, 0};
            }
        }
        ::kill(-pid_, SIGKILL); // what it left behind
        pid_ = -1;
        if (WIFSIGNALED(status_))
            return {End::Cause::signalled, WTERMSIG(status_)};
        return {End::Cause::exited, WEXITSTATUS(status_)};
    }

private:
    static constexpr double kill_grace_s = 2;

    bool reaped(double within_s)
    {
        const auto until_ns = monotonic_ns() + to_ns(within_s);
        for (;;) {
            const auto got = ::waitpid(pid_, &status_, WNOHANG);
            if (got == pid_ || (got < 0 && errno != EINTR))
                return true;
            if (monotonic_ns() >= until_ns)
                return false;
            ::poll(nullptr, 0, 5);
        }
    }

    void end()
    {
        if (pid_ > 0)
            finish(0);
    }

    io::Fd input_, output_;
    pid_t pid_ = -1;
    int status_ = 0;
    std::string text_;
};

/// What came of a command that was given a time.
struct CommandAnswer {
    enum class Cause { exited, signalled, timed_out, stuck, stopped, not_found } cause;
    int code = 0;       ///< exit status, or the number of the signal
    std::string output; ///< stdout and stderr, at most 4 MiB
};

/// Where a command lies along PATH; empty where there is none that may be run.
inline std::string find_program(const std::string& name)
{
    if (name.find('/') != std::string::npos)
        return ::access(name.c_str(), X_OK) == 0 ? name : std::string();
    const char* path = std::getenv("PATH");
    std::string_view rest = path ? path : "/usr/local/bin:/usr/bin:/bin";
    for (;;) {
        const auto end = std::min(rest.find(':'), rest.size());
        const auto file = std::string(rest.substr(0, end)) + "/" + name;
        if (end > 0 && ::access(file.c_str(), X_OK) == 0)
            return file;
        if (end == rest.size())
            return {};
        rest.remove_prefix(end + 1);
    }
}

/// Runs `body` in a process of its own to its end, at most `timeout_s`; what it writes to `out` is the
/// answer. Throws IoError.
inline CommandAnswer run_forked(const std::function<int(int in, int out)>& body, double timeout_s,
                                int stop_fd, const sigset_t* mask)
{
    using Cause = CommandAnswer::Cause;
    Forked child(body, mask);
    const auto until_ns = monotonic_ns() + to_ns(timeout_s);
    auto event = Forked::Event::output;
    while (event == Forked::Event::output)
        event = child.wait(until_ns, stop_fd);
    const auto end = child.finish(event == Forked::Event::ended ? 1 : 0);
    const auto cause = event == Forked::Event::stopped           ? Cause::stopped
                       : end.cause == Forked::End::Cause::stuck  ? Cause::stuck
                       : event == Forked::Event::timed_out       ? Cause::timed_out
                       : end.cause == Forked::End::Cause::exited ? Cause::exited
                                                                 : Cause::signalled;
    return {cause, end.code, std::move(child.text())};
}

/// Runs a command to its end, at most `timeout_s`, with nothing on its stdin. Throws IoError.
inline CommandAnswer run_bounded(const std::vector<std::string>& argv, double timeout_s, int stop_fd,
                                 const sigset_t* mask)
{
    const auto program = argv.empty() ? std::string() : find_program(argv[0]);
    if (program.empty())
        return {CommandAnswer::Cause::not_found, 0, {}};
    const auto execute = [&](int, int out) {
        auto words = argv;
        std::vector<char*> pointers;
        for (auto& word : words)
            pointers.push_back(word.data());
        pointers.push_back(nullptr);
        ::dup2(out, STDOUT_FILENO);
        ::dup2(out, STDERR_FILENO);
        std::signal(SIGPIPE, SIG_DFL);
        ::execv(program.c_str(), pointers.data());
        const std::string_view reason = std::strerror(errno);
        [[maybe_unused]] const auto put = ::write(out, reason.data(), reason.size());
        return 126;
    };
    return run_forked(execute, timeout_s, stop_fd, mask);
}

} // namespace slo::sys

#endif
