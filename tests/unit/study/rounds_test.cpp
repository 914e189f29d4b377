// SPDX-License-Identifier: MIT

#include "../../study/rounds.hpp"

#define BOOST_TEST_MODULE study_rounds
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <numeric>

using namespace study;

namespace {

constexpr double qps = 2;

Cell rag(const char* objective = "e2e:p50<6")
{
    return cells_named({std::string("rag ") + (objective[0] == 'e' ? "e2e:p50<6" : "ttft:p99<2")}).front();
}

std::vector<Round> run(const Cell& cell, std::size_t most, std::size_t enough)
{
    return run_rounds(cell, qps, 3, most,
                      [&](std::span<const Round> rounds) { return rounds.size() < enough; });
}

} // namespace

BOOST_AUTO_TEST_CASE(hands_over_round_by_round_and_stops_when_told)
{
    const auto cell = rag();
    std::vector<std::size_t> seen;
    const auto rounds = run_rounds(cell, qps, 3, 6, [&](std::span<const Round> so_far) {
        seen.push_back(so_far.size());
        return so_far.size() < 4;
    });
    BOOST_TEST(seen == (std::vector<std::size_t>{1, 2, 3, 4}));
    BOOST_TEST(rounds.size() == 4);
}

BOOST_AUTO_TEST_CASE(an_early_end_changes_nothing_before_it)
{
    const auto cell = rag();
    const auto all = run(cell, 6, 6);
    const auto some = run(cell, 6, 3);
    BOOST_REQUIRE(all.size() == 6);
    BOOST_REQUIRE(some.size() == 3);
    for (std::size_t i = 0; i < some.size(); ++i) {
        BOOST_TEST(some[i].e2e_s == all[i].e2e_s);
        BOOST_TEST(some[i].missed == all[i].missed);
        BOOST_TEST(some[i].completed == all[i].completed);
    }
}

BOOST_AUTO_TEST_CASE(counts_every_request_once)
{
    const auto cell = rag();
    std::int64_t requests = 0;
    std::int64_t completed = 0;
    for (const auto& round : run(cell, 20, 20)) {
        std::int64_t late = 0;
        for (const double e2e_s : round.e2e_s) {
            BOOST_TEST(e2e_s > 0);
            late += e2e_s >= 6;
        }
        BOOST_TEST(round.missed == late);
        requests += round.requests();
        completed += round.completed;
    }
    // 1200 are expected; 5 standard deviations.
    BOOST_TEST(std::abs(static_cast<double>(requests) - qps * 20 * round_s) < 5 * std::sqrt(1200.0));
    // The last ones end after the last round.
    BOOST_TEST(completed < requests);
    BOOST_TEST(completed > requests - 30);
}

BOOST_AUTO_TEST_CASE(a_tail_of_ttft_limits_ttft)
{
    const auto cell = rag("ttft:p99<2");
    for (const auto& round : run(cell, 3, 3))
        for (std::size_t i = 0; i < round.e2e_s.size(); ++i)
            BOOST_TEST(round.limited_s[i] < round.e2e_s[i]);
}

BOOST_AUTO_TEST_CASE(a_workload_may_begin_anywhere)
{
    const auto cell = rag();
    const auto first = cell.route(0);
    const auto last = cell.route(cell.route_size() - 1);
    BOOST_TEST(first.size() == last.size());
    BOOST_TEST(last[1].prompt == first[0].prompt);
    BOOST_TEST(last[0].prompt == first[first.size() - 1].prompt);
    BOOST_CHECK_THROW(cells_named({"nonsense"}), UsageError);
    BOOST_TEST(cells_named({}).size() == 10);
}
