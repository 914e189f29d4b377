// SPDX-License-Identifier: MIT
// Summarizing and writing off the hot path: finished windows go to a thread of their own.

#ifndef SLO_RUN_RECORDER_HPP
#define SLO_RUN_RECORDER_HPP

#include <slo/base/error.hpp>
#include <slo/io/fd.hpp>
#include <slo/run/collector.hpp>

#include <sys/eventfd.h>

#include <cerrno>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace slo::run {

/// Hands windows to `sink` on another thread, in order. A slow disk or a full pipe holds that thread up,
/// never the event loop.
class Recorder {
public:
    using Sink = std::function<void(FinishedWindow&&)>;

    /// Throws IoError.
    explicit Recorder(Sink sink)
        : sink_(std::move(sink)), failed_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
          finished_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
          give_up_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
    {
        if (!failed_ || !finished_ || !give_up_)
            throw IoError("eventfd", errno);
        thread_ = std::thread([this] { work(); });
    }
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;
    ~Recorder()
    {
        give_up();
        join();
    }

    /// Never blocks on the sink.
    void push(FinishedWindow&& window)
    {
        {
            const std::lock_guard lock(mutex_);
            queue_.push_back(std::move(window));
        }
        changed_.notify_one();
    }

    /// Becomes readable when the sink has thrown for the first time; it is called all the same for what comes
    /// later.
    int failure_fd() const noexcept { return failed_.get(); }

    /// No window comes any more. Never blocks on the sink.
    void close()
    {
        {
            const std::lock_guard lock(mutex_);
            ended_ = true;
        }
        changed_.notify_one();
    }

    /// Becomes readable after close(), when the sink has had all windows.
    int finished_fd() const noexcept { return finished_.get(); }

    /// Readable from give_up() on: for a sink that would wait for ever, JsonlWriter::give_up_when_readable().
    int give_up_fd() const noexcept { return give_up_.get(); }

    /// Asks the sink not to wait for readers that take nothing.
    void give_up() noexcept { ::eventfd_write(give_up_.get(), 1); }

    /// Waits until all is written; throws what the sink threw.
    void finish()
    {
        join();
        if (failure_)
            std::rethrow_exception(std::exchange(failure_, nullptr));
    }

private:
    void join()
    {
        close();
        if (thread_.joinable())
            thread_.join();
    }

    void work()
    {
        hand_on_all();
        ::eventfd_write(finished_.get(), 1);
    }

    void hand_on_all()
    {
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [this] { return ended_ || !queue_.empty(); });
            if (queue_.empty())
                return;
            auto window = std::move(queue_.front());
            queue_.pop_front();
            lock.unlock();
            std::exception_ptr thrown;
            try {
                sink_(std::move(window));
            } catch (...) {
                thrown = std::current_exception();
            }
            lock.lock();
            if (thrown && !failure_) {
                failure_ = thrown;
                ::eventfd_write(failed_.get(), 1);
            }
        }
    }

    Sink sink_;
    io::Fd failed_;
    io::Fd finished_;
    io::Fd give_up_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<FinishedWindow> queue_;
    std::exception_ptr failure_;
    bool ended_ = false;
    std::thread thread_;
};

} // namespace slo::run

#endif
