// SPDX-License-Identifier: MIT
// Engine logs in files, to a hit rate.

#ifndef SLO_RUN_LOG_FILES_HPP
#define SLO_RUN_LOG_FILES_HPP

#include <slo/io/jsonl.hpp>
#include <slo/plan/log_hit_rate.hpp>
#include <slo/wire/engine_log.hpp>

#include <string>
#include <vector>

namespace slo::run {

/// The hit rate that engine logs tell of, all files together; "-" is stdin. Throws IoError, and InputError
/// for a line longer than 256 MiB.
inline plan::LogHitRate read_log_hit_rate(const std::vector<std::string>& paths)
{
    plan::LogHitRateMeter meter;
    for (const auto& path : paths) {
        io::LineReader lines(path);
        wire::EngineLogReader reader; // the tasks of one server are not those of another
        while (const auto line = lines.next())
            reader.take(*line, meter);
    }
    return meter.result();
}

} // namespace slo::run

#endif
