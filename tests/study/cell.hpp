// SPDX-License-Identifier: MIT
// What the study searches on: simulated engines under workloads made up here, each with two objectives.

#ifndef SLO_TESTS_STUDY_CELL_HPP
#define SLO_TESTS_STUDY_CELL_HPP

#include <slo/base/error.hpp>
#include <slo/base/random.hpp>
#include <slo/engine/named_profile.hpp>
#include <slo/engine/simulate.hpp>
#include <slo/stats/arrival.hpp>
#include <slo/stats/objective.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace study {

using namespace slo;

/// An engine, a workload and an objective: one line of the study's tables.
struct Cell {
    std::string engine; ///< "chat", "rag", "n3", "prefix", "bursty"
    engine::Profile profile;
    stats::Arrival arrival; ///< its rate does not count
    stats::Objective objective;
    std::vector<engine::WorkRequest> rows; ///< the workload twice over, so that a load may begin anywhere

    /// "chat e2e:p50<4".
    std::string name() const { return engine + " " + stats::to_text(objective); }

    std::size_t route_size() const { return rows.size() / 2; }

    /// The whole workload, beginning with a row that the seed chooses: a search that always began with the
    /// same row would see the same few rows again and again, and be off by what these have on the others.
    std::span<const engine::WorkRequest> route(std::uint64_t seed) const
    {
        return std::span(rows).subspan(seed % route_size(), route_size());
    }
};

/// How the requests of a workload are drawn. Tokens are random numbers: an engine tells them apart, no more.
struct WorkloadLaw {
    double median_tokens = 300; ///< of the part of a prompt that is its own; lognormal
    double sigma = 0.8;
    int choices = 1;
    int shared_tokens = 0; ///< at the beginning of each prompt of a group
    int groups = 1;
};

namespace detail {

inline std::vector<engine::WorkRequest> draw_rows(const WorkloadLaw& law)
{
    constexpr int rows = 2000;
    constexpr std::uint64_t seed = 7;
    constexpr std::uint64_t first_group_seed = 1000;
    Random random(seed);
    std::vector<engine::WorkRequest> route;
    for (int i = 0; i < rows; ++i) {
        const double length = random.lognormal(std::log(law.median_tokens), law.sigma);
        std::vector<engine::Token> tokens;
        Random group(first_group_seed + static_cast<std::uint64_t>(i % law.groups));
        for (int k = 0; k < law.shared_tokens; ++k)
            tokens.push_back(static_cast<engine::Token>(group.bits()));
        for (auto own = std::llround(std::clamp(length, 8.0, 6000.0)); own > 0; --own)
            tokens.push_back(static_cast<engine::Token>(random.bits()));
        engine::WorkRequest request;
        request.prompt = std::make_shared<engine::Prompt>(tokens);
        request.choices = law.choices;
        route.push_back(std::move(request));
    }
    auto twice = route;
    twice.insert(twice.end(), route.begin(), route.end());
    return twice;
}

} // namespace detail

/// All cells; of each engine first the one with the median, then the one with the tail.
inline std::vector<Cell> all_cells()
{
    struct Kind {
        const char* name;
        const char* profile;
        WorkloadLaw law;
        stats::Process process;
        double burstiness;
        const char* median;
        const char* tail;
    };
    using stats::Process;
    const Kind kinds[]{
        {"chat", "chat", {300, 0.8, 1, 0, 1}, Process::poisson, 1, "e2e:p50<4", "ttft:p99<0.5"},
        {"rag", "rag", {2500, 0.5, 1, 0, 1}, Process::poisson, 1, "e2e:p50<6", "ttft:p99<2"},
        {"n3", "chat", {300, 0.8, 3, 0, 1}, Process::poisson, 1, "e2e:p50<6", "ttft:p99<1"},
        {"prefix", "chat", {150, 0.8, 1, 1500, 40}, Process::poisson, 1, "e2e:p50<4", "ttft:p99<0.5"},
        {"bursty", "chat", {300, 0.8, 1, 0, 1}, Process::gamma, 0.5, "e2e:p50<4", "ttft:p99<1"}};
    std::vector<Cell> cells;
    for (const auto& kind : kinds) {
        const auto rows = detail::draw_rows(kind.law);
        for (const char* objective : {kind.median, kind.tail}) {
            Cell cell{
                kind.name, *engine::named_profile(kind.profile), {}, stats::parse_objective(objective), rows};
            cell.arrival.process = kind.process;
            cell.arrival.burstiness = kind.burstiness;
            cells.push_back(std::move(cell));
        }
    }
    return cells;
}

/// The cells whose engine, or whose name in full, is among `names`, or all where that is empty. Throws
/// UsageError for a name that no cell has.
inline std::vector<Cell> cells_named(const std::vector<std::string>& names)
{
    auto cells = all_cells();
    const auto is_name_of = [](const Cell& cell, const std::string& name) {
        return cell.engine == name || cell.name() == name;
    };
    for (const auto& name : names)
        if (std::none_of(cells.begin(), cells.end(),
                         [&](const auto& cell) { return is_name_of(cell, name); }))
            throw UsageError("--cells", "no cell '" + printable(name, 60) + "'");
    if (!names.empty())
        std::erase_if(cells, [&](const auto& cell) {
            return std::none_of(names.begin(), names.end(),
                                [&](const auto& name) { return is_name_of(cell, name); });
        });
    return cells;
}

} // namespace study

#endif
