// SPDX-License-Identifier: MIT
// Summarizing and writing off the hot path: what has ended goes to a thread of its own.

#ifndef SLO_RUN_RECORDER_HPP
#define SLO_RUN_RECORDER_HPP

#include <slo/base/error.hpp>
#include <slo/io/fd.hpp>
#include <slo/io/priority.hpp>
#include <slo/run/run_sink.hpp>

#include <sys/eventfd.h>

#include <cerrno>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace slo::run {

/// Hands on to `target` on another thread, in the order of arrival, what any number of event loops hand to
/// it. A slow disk or a full pipe holds that thread up, never an event loop; what arrives meanwhile waits in
/// memory, about a kilobyte a request, without a bound: losing it would be worse.
class Recorder final : public RunSink {
public:
    /// `target` must outlive it. Throws IoError.
    explicit Recorder(RunSink& target)
        : target_(target), failed_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
          finished_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
          give_up_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
    {
        if (!failed_ || !finished_ || !give_up_)
            throw IoError("eventfd", errno);
        thread_ = std::thread([this] { work(); });
    }
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;
    ~Recorder() override
    {
        give_up();
        join();
    }

    /// Never blocks on the target. From any thread.
    void requests(std::vector<record::Request>&& batch) override { push(std::move(batch)); }

    /// Never blocks on the target. From any thread.
    void window(LaneWindow&& window) override { push(std::move(window)); }

    /// Nothing comes any more. Never blocks on the target, whose end() follows.
    void end() override
    {
        {
            const std::lock_guard lock(mutex_);
            ended_ = true;
        }
        changed_.notify_one();
    }

    /// Becomes readable when the target has thrown for the first time; it is called all the same for what
    /// comes later.
    int failure_fd() const noexcept { return failed_.get(); }

    /// Becomes readable after end(), when the target has had everything.
    int finished_fd() const noexcept { return finished_.get(); }

    /// Readable from give_up() on: for a target that would wait for ever,
    /// JsonlWriter::give_up_when_readable().
    int give_up_fd() const noexcept { return give_up_.get(); }

    /// Asks the target not to wait for readers that take nothing.
    void give_up() noexcept { ::eventfd_write(give_up_.get(), 1); }

    /// Waits until all is written; throws what the target threw.
    void finish()
    {
        join();
        if (failure_)
            std::rethrow_exception(std::exchange(failure_, nullptr));
    }

private:
    using Item = std::variant<std::vector<record::Request>, LaneWindow>;

    void push(Item&& item)
    {
        {
            const std::lock_guard lock(mutex_);
            queue_.push_back(std::move(item));
        }
        changed_.notify_one();
    }

    void join()
    {
        end();
        if (thread_.joinable())
            thread_.join();
    }

    void work()
    {
        io::defer_this_thread();
        std::deque<Item> items;
        while (wait_for(items)) {
            for (auto& item : items) {
                attempt([&] {
                    if (auto* batch = std::get_if<0>(&item))
                        target_.requests(std::move(*batch));
                    else
                        target_.window(std::move(std::get<1>(item)));
                });
                item = {}; // a stalled target holds no more than it must
            }
            items.clear();
        }
        attempt([&] { target_.end(); });
        ::eventfd_write(finished_.get(), 1);
    }

    // False when there is nothing left to come.
    bool wait_for(std::deque<Item>& items)
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return ended_ || !queue_.empty(); });
        items.swap(queue_);
        return !items.empty();
    }

    template <class Call>
    void attempt(Call call)
    {
        try {
            call();
        } catch (...) {
            if (std::exchange(has_failed_, true))
                return;
            failure_ = std::current_exception();
            ::eventfd_write(failed_.get(), 1);
        }
    }

    RunSink& target_;
    io::Fd failed_;
    io::Fd finished_;
    io::Fd give_up_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Item> queue_;
    std::exception_ptr failure_; // the thread's until it is joined
    bool has_failed_ = false;
    bool ended_ = false;
    std::thread thread_;
};

} // namespace slo::run

#endif
