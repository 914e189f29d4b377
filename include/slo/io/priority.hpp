// SPDX-License-Identifier: MIT
// A thread whose moments matter goes before others, one that can wait behind.

#ifndef SLO_IO_PRIORITY_HPP
#define SLO_IO_PRIORITY_HPP

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

namespace slo::io {

/// Asks the system to run the calling thread as soon as it has something to do, before all threads of
/// ordinary priority (real-time round robin of the lowest priority; threads and processes it starts are
/// ordinary again). For threads that mostly sleep. False where that is not permitted: then nothing has
/// changed.
inline bool prefer_this_thread() noexcept
{
    sched_param lowest{};
    lowest.sched_priority = ::sched_get_priority_min(SCHED_RR);
    return ::sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &lowest) == 0;
}

/// Lets the calling thread, and threads that it starts, run behind others that want the same processor: at a
/// tenth of their share. For work that may wait.
inline void defer_this_thread() noexcept
{
    constexpr int niceness = 10;
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), niceness);
}

} // namespace slo::io

#endif
