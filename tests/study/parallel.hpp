// SPDX-License-Identifier: MIT
// Work on every core, with results that do not depend on how many there are.

#ifndef SLO_TESTS_STUDY_PARALLEL_HPP
#define SLO_TESTS_STUDY_PARALLEL_HPP

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace study {

/// Calls make(i) for each i below `count` on `jobs` threads and returns what it made, in order. `done` is
/// told after each how many are done; by one thread at a time. The first exception ends all and is passed on.
template <class Result, class Make, class Done>
std::vector<Result> make_all(std::size_t count, std::size_t jobs, Make make, Done done)
{
    std::vector<Result> results(count);
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::size_t finished = 0;
    std::exception_ptr failure;
    const auto work = [&] {
        for (std::size_t i; (i = next++) < count;) {
            try {
                results[i] = make(i);
                const std::lock_guard lock(mutex);
                done(++finished);
            } catch (...) {
                const std::lock_guard lock(mutex);
                if (!failure)
                    failure = std::current_exception();
                next = count;
            }
        }
    };
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(jobs, count); ++i)
        others.emplace_back(work);
    work();
    others.clear();
    if (failure)
        std::rethrow_exception(failure);
    return results;
}

} // namespace study

#endif
