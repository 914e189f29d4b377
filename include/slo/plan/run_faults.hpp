// SPDX-License-Identifier: MIT
// Whether files of rounds are one run: each shard once, each file of one run, all with the same load.

#ifndef SLO_PLAN_RUN_FAULTS_HPP
#define SLO_PLAN_RUN_FAULTS_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/plan/shard_filter.hpp>
#include <slo/record/round.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slo::plan {

namespace detail {

// By what the records themselves say of the shards of their run.
inline void check_shards(const std::vector<record::RoundFile>& files, std::vector<std::string>& faults)
{
    std::map<std::uint32_t, std::size_t> files_of;
    std::uint32_t count = 0;
    for (const auto& file : files) {
        if (file.rounds.empty() || file.rounds.front().shard.empty())
            continue;
        try {
            const auto shard = ShardFilter::parse(file.rounds.front().shard);
            if (count != 0 && shard.count() != count)
                faults.push_back(printable(file.name) + " is a shard of another number of shards");
            count = shard.count();
            ++files_of[shard.index()];
        } catch (const UsageError&) {
            faults.push_back(printable(file.name) + " names a shard that is none");
        }
    }
    for (const auto& [index, number] : files_of)
        if (number > 1)
            faults.push_back("shard " + std::to_string(index) + "/" + std::to_string(count) + " is there " +
                             std::to_string(number) + " times");
    if (files_of.size() < count)
        faults.push_back(std::to_string(count - files_of.size()) + " of " + std::to_string(count) +
                         " shards are missing");
}

inline void check_numbers_go_up(const record::RoundFile& file, std::vector<std::string>& faults)
{
    std::optional<std::int64_t> last;
    for (const auto& round : file.rounds) {
        if (last && round.measurement_round && *round.measurement_round <= *last) {
            faults.push_back(printable(file.name) +
                             " holds more than one run: measurement_round starts again");
            return;
        }
        last = round.measurement_round ? round.measurement_round : last;
    }
}

// By number: rounds that are not there in every file are told elsewhere.
inline void check_same_load(const std::vector<record::RoundFile>& files, std::vector<std::string>& faults)
{
    std::map<std::int64_t, const record::Round*> first;
    bool same_target = true;
    bool same_basis = true;
    for (const auto& file : files)
        for (const auto& round : file.rounds) {
            if (!round.measurement_round)
                continue;
            const auto& other = *first.try_emplace(*round.measurement_round, &round).first->second;
            same_target &= round.target_qps == other.target_qps;
            same_basis &= round.from_send == other.from_send;
        }
    if (!same_target)
        faults.emplace_back("the files differ in target_qps");
    if (!same_basis)
        faults.emplace_back("the files differ in latency_basis");
}

} // namespace detail

/// Why the files are not the rounds of one run, in words; empty when nothing speaks against it.
inline std::vector<std::string> find_run_faults(const std::vector<record::RoundFile>& files)
{
    std::vector<std::string> faults;
    detail::check_shards(files, faults);
    for (const auto& file : files)
        detail::check_numbers_go_up(file, faults);
    if (faults.empty())
        detail::check_same_load(files, faults);
    return faults;
}

} // namespace slo::plan

#endif
