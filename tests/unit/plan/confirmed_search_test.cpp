// SPDX-License-Identifier: MIT
// Unit test of plan/confirmed_search.hpp: what is claimed after how many runs, and what is not.

#include <slo/plan/confirmed_search.hpp>

#define BOOST_TEST_MODULE plan_confirmed_search
#include <boost/test/unit_test.hpp>

#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

using namespace slo::plan;

namespace {

struct End {
    EndReason reason;
    ConfirmedSearch search;
    std::vector<Rate> confirmed; ///< rates probed in the phase confirm, in order
};

/// Runs a search from 8.0 to 9.0 in tenths; `passes` is asked with the rate and the number of its run,
/// from 1.
End run(std::size_t confirm, const std::function<bool(Rate, std::size_t)>& passes, SearchBounds bounds = {})
{
    bounds.low = 80;
    bounds.high = 90;
    bounds.ceiling = 200;
    bounds.confirm = confirm;
    End end{EndReason::converged, ConfirmedSearch(Grid(0.1), bounds), {}};
    for (;;) {
        const auto decision = end.search.decide(0);
        if (const auto* reason = std::get_if<EndReason>(&decision)) {
            end.reason = *reason;
            return end;
        }
        const auto next = std::get<NextProbe>(decision);
        if (next.phase == Phase::confirm)
            end.confirmed.push_back(next.rate);
        BOOST_REQUIRE(end.search.probes_left() > 0);
        end.search.add(next.rate, {passes(next.rate, end.search.runs(next.rate) + 1), 4.0});
        BOOST_REQUIRE(end.search.probes() < 200);
    }
}

bool edge_at_85(Rate rate, std::size_t)
{
    return rate <= 85;
}

} // namespace

BOOST_AUTO_TEST_CASE(without_confirmation_it_is_the_plain_search)
{
    const auto end = run(0, edge_at_85);
    BOOST_TEST((end.reason == EndReason::converged));
    BOOST_TEST(*end.search.best() == 85);
    BOOST_TEST(end.confirmed.empty());
}

BOOST_AUTO_TEST_CASE(the_best_rate_and_its_neighbour_are_run_again)
{
    const auto end = run(3, edge_at_85);
    BOOST_TEST((end.reason == EndReason::converged));
    BOOST_TEST(*end.search.best() == 85);
    BOOST_TEST(end.confirmed == (std::vector<Rate>{85, 85, 85, 86, 86, 86}),
               boost::test_tools::per_element());
    BOOST_TEST(end.search.unstable().empty());
    BOOST_TEST(end.search.probes_left() == 0);
}

// Spec 7.3: 8.2 passed once and failed once, 8.1 passed three more times: 8.1 is claimed, 8.2 is not.
BOOST_AUTO_TEST_CASE(a_rate_that_passes_once_and_fails_once_is_not_claimed)
{
    const auto end =
        run(3, [](Rate rate, std::size_t run) { return rate <= 81 || (rate == 82 && run == 1); });
    BOOST_TEST((end.reason == EndReason::unstable_edge));
    BOOST_TEST(*end.search.best() == 81);
    BOOST_TEST(*end.search.first_fail() == 82);
    BOOST_TEST(end.search.unstable() == (std::vector<Rate>{82}), boost::test_tools::per_element());
    BOOST_TEST(end.search.runs(81) == 4);
    BOOST_TEST(end.search.runs(82) == 2); // what is known to be unstable is not run again
}

BOOST_AUTO_TEST_CASE(a_neighbour_that_passes_later_is_unstable_and_ends_it)
{
    const auto end = run(2, [](Rate rate, std::size_t run) { return rate <= 85 || (rate == 86 && run > 1); });
    BOOST_TEST((end.reason == EndReason::unstable_edge));
    BOOST_TEST(*end.search.best() == 85);
    BOOST_TEST(end.search.unstable() == (std::vector<Rate>{86}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(several_unstable_rates_are_gone_down_by_one)
{
    const auto end = run(2, [](Rate rate, std::size_t run) { return rate <= 83 || (rate <= 85 && run < 3); });
    BOOST_TEST((end.reason == EndReason::unstable_edge));
    BOOST_TEST(*end.search.best() == 83);
    BOOST_TEST(end.search.unstable() == (std::vector<Rate>{84, 85}), boost::test_tools::per_element());
}

// The search took a chance pass for the edge; the next lower rate fails at its first run.
BOOST_AUTO_TEST_CASE(a_first_run_below_that_fails_takes_the_search_up_again)
{
    const auto end =
        run(2, [](Rate rate, std::size_t run) { return rate <= 82 || (rate == 85 && run == 1); });
    BOOST_TEST((end.reason == EndReason::converged || end.reason == EndReason::unstable_edge));
    BOOST_TEST(*end.search.best() == 82);
    BOOST_TEST(end.search.runs(82) == 3);
    BOOST_TEST(*end.search.first_fail() == 83);
}

BOOST_AUTO_TEST_CASE(a_service_that_is_nowhere_stable_ends_it_without_an_answer)
{
    const auto end = run(1, [](Rate rate, std::size_t run) { return rate <= 85 && run == 1; });
    BOOST_TEST((end.reason == EndReason::unstable));
    BOOST_TEST(end.search.unstable().size() ==
               static_cast<std::size_t>(ConfirmedSearch::most_steps_down + 1));
}

BOOST_AUTO_TEST_CASE(budgets_count_confirmations)
{
    SearchBounds bounds;
    bounds.max_probes = 8;
    const auto end = run(3, edge_at_85, bounds);
    BOOST_TEST((end.reason == EndReason::max_probes));
    BOOST_TEST(end.search.probes() == 8);
    BOOST_TEST(*end.search.best() == 85);
    bounds.max_probes.reset();
    bounds.max_time_s = 1;
    ConfirmedSearch search(Grid(0.1), {1, 2, 4, 6.5, {}, 1.0, 1});
    search.add(1, {true, 1.0});
    search.add(2, {false, 9.0});
    BOOST_TEST((std::get<EndReason>(search.decide(1)) == EndReason::max_time));
    BOOST_TEST(std::get<NextProbe>(search.decide(0.5)).rate == 1);
}

BOOST_AUTO_TEST_CASE(it_goes_on_from_any_record_of_itself)
{
    const auto unsteady = [](Rate rate, std::size_t run) { return rate <= 83 || (rate <= 85 && run < 2); };
    SearchBounds bounds;
    bounds.low = 80;
    bounds.high = 90;
    bounds.ceiling = 200;
    bounds.confirm = 2;
    std::vector<std::pair<Rate, bool>> record;
    ConfirmedSearch whole(Grid(0.1), bounds);
    for (auto decision = whole.decide(0); std::holds_alternative<NextProbe>(decision);
         decision = whole.decide(0)) {
        const auto rate = std::get<NextProbe>(decision).rate;
        // Taken up again before every single probe.
        ConfirmedSearch again(Grid(0.1), bounds);
        for (const auto& [known, pass] : record)
            again.add(known, {pass, 4.0});
        BOOST_TEST(std::get<NextProbe>(again.decide(0)).rate == rate);
        record.emplace_back(rate, unsteady(rate, whole.runs(rate) + 1));
        whole.add(rate, {record.back().second, 4.0});
    }
    BOOST_TEST(*whole.best() == 83);
}

BOOST_AUTO_TEST_CASE(floor_and_ceiling_are_not_confirmed)
{
    const auto none = run(3, [](Rate, std::size_t) { return false; });
    BOOST_TEST((none.reason == EndReason::below_floor));
    const auto all = run(3, [](Rate, std::size_t) { return true; });
    BOOST_TEST((all.reason == EndReason::ceiling));
    BOOST_TEST(all.confirmed.empty());
}
