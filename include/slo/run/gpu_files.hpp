// SPDX-License-Identifier: MIT
// Files that tell what GPUs did, of whichever kind, to one account.

#ifndef SLO_RUN_GPU_FILES_HPP
#define SLO_RUN_GPU_FILES_HPP

#include <slo/plan/gpu_activity.hpp>
#include <slo/record/gpu_files.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace slo::run {

/// What files tell of GPUs, in the order of time, see record::read_gpu_files(). Throws IoError, InputError.
inline plan::GpuActivity read_gpu_activity(const std::vector<std::string>& paths)
{
    plan::GpuActivity activity;
    record::read_gpu_files(paths, activity,
                           [](std::string_view name) { return plan::gpu_source_of(name) != nullptr; });
    return activity;
}

} // namespace slo::run

#endif
