// SPDX-License-Identifier: MIT
// A thread whose moments matter goes before others.

#ifndef SLO_IO_PRIORITY_HPP
#define SLO_IO_PRIORITY_HPP

#include <sched.h>

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

} // namespace slo::io

#endif
