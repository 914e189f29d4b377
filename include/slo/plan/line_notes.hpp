// SPDX-License-Identifier: MIT
// What a verdict says of the lines it could not read.

#ifndef SLO_PLAN_LINE_NOTES_HPP
#define SLO_PLAN_LINE_NOTES_HPP

#include <slo/base/text.hpp>
#include <slo/record/round.hpp>
#include <slo/record/verdict.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace slo::plan {

namespace detail {

// "1 round", "2 rounds".
inline std::string counted(std::size_t number, const std::string& what)
{
    return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

} // namespace detail

/// Counts the malformed lines of all files in `verdict`, and notes where the first of them stand.
inline void note_lines(record::Verdict& verdict, const std::vector<record::RoundFile>& files)
{
    constexpr std::size_t most_shown = 5;
    std::size_t malformed = 0;
    std::size_t others = 0;
    std::string places;
    std::size_t shown = 0;
    for (const auto& file : files) {
        malformed += file.malformed_lines;
        others += file.other_records;
        for (const auto line : file.malformed_at)
            if (shown++ < most_shown)
                places += (places.empty() ? "" : ", ") + printable(file.name) + ":" + std::to_string(line);
    }
    verdict.malformed_lines = static_cast<std::int64_t>(malformed);
    if (malformed > 0)
        verdict.notes.push_back(detail::counted(malformed, "malformed line") + " skipped (" + places +
                                (malformed > most_shown ? ", …)" : ")"));
    if (others > 0 && verdict.rounds_seen == 0)
        verdict.notes.push_back("no round record, but " + detail::counted(others, "record") +
                                " of another kind");
}

} // namespace slo::plan

#endif
