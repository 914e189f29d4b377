// SPDX-License-Identifier: MIT
// Unit test of plan/search.hpp: the policy rule by rule, the classic vectors, and every edge on many grids.

#include <slo/plan/search.hpp>

#define BOOST_TEST_MODULE plan_search
#include <boost/test/unit_test.hpp>

#include <slo/base/random.hpp>
#include <slo/io/jsonl.hpp>

#include <functional>
#include <set>
#include <string>
#include <variant>
#include <vector>

using namespace slo;
using namespace slo::plan;

namespace {

struct Trace {
    std::vector<double> asked;
    EndReason reason{};
    std::optional<double> best;
    std::optional<double> first_fail;
};

Search make_search(double low, double high, double precision, double slo_s = 6.5)
{
    const Grid grid(precision);
    SearchBounds bounds;
    bounds.low = grid.steps(low, "low");
    bounds.high = grid.steps(high, "high");
    bounds.ceiling = 64 * bounds.high;
    bounds.slo_s = slo_s;
    return {grid, bounds};
}

Trace run(Search search, const std::function<Outcome(double)>& probe)
{
    Trace trace;
    std::set<Rate> seen;
    for (;;) {
        const auto decision = search.decide(0);
        if (const auto* reason = std::get_if<EndReason>(&decision)) {
            trace.reason = *reason;
            break;
        }
        const auto rate = std::get<NextProbe>(decision).rate;
        BOOST_REQUIRE_MESSAGE(seen.insert(rate).second, "asked twice for " << search.grid().text(rate));
        BOOST_REQUIRE(rate >= 1);
        BOOST_REQUIRE(rate <= search.bounds().ceiling);
        trace.asked.push_back(search.grid().qps(rate));
        search.add(rate, probe(trace.asked.back()));
    }
    if (const auto best = search.best())
        trace.best = search.grid().qps(*best);
    if (const auto fail = search.first_fail())
        trace.first_fail = search.grid().qps(*fail);
    return trace;
}

Rate next_rate(const Search& search)
{
    return std::get<NextProbe>(search.decide(0)).rate;
}

/// The rate asked for after LOW and HIGH passed, HIGH with the latency given.
double after_high(double low, double high, double precision, std::optional<double> latency_s)
{
    auto search = make_search(low, high, precision, 10);
    search.add(search.bounds().low, {true, 1.0});
    search.add(search.bounds().high, {true, latency_s});
    return search.grid().qps(next_rate(search));
}

/// The rate asked for after LOW failed with the latency given.
double after_low(double low, double precision, std::optional<double> latency_s)
{
    auto search = make_search(low, 1000, precision, 10);
    search.add(search.bounds().low, {false, latency_s});
    return search.grid().qps(next_rate(search));
}

} // namespace

BOOST_AUTO_TEST_CASE(classic_vectors)
{
    // Equal wherever the classic program got an answer on a grid we accept. Ours differs on purpose in four
    // lines: LOW = HIGH and LOW > HIGH are usage errors before anything is probed; a passing HIGH is
    // extrapolated, not an error; bounds or a precision that are off the grid are refused, not silently
    // moved.
    io::LineReader reader("tests/data/search/classic.jsonl");
    int equal = 0, refused = 0, extrapolated = 0;
    while (const auto vector = io::next_object(reader)) {
        const double low = *number_at(*vector, "low"), high = *number_at(*vector, "high");
        const double edge = *number_at(*vector, "edge"), precision = *number_at(*vector, "precision");
        const auto* result = object_at(*vector, "result");
        const Grid grid(precision);
        if (low >= high || !grid.find(low) || !grid.find(high)) {
            BOOST_CHECK_THROW(make_search(low, high, precision), UsageError);
            ++refused;
            continue;
        }
        const auto trace = run(make_search(low, high, precision), [&](double qps) {
            return Outcome{qps <= edge, {}};
        });
        BOOST_TEST((trace.reason == EndReason::converged));
        BOOST_TEST(*trace.best == edge);
        if (!result) {
            ++extrapolated;
            continue;
        }
        ++equal;
        BOOST_TEST(*trace.best == *number_at(*result, "best_pass_qps"));
        BOOST_TEST(*trace.first_fail == *number_at(*result, "adjacent_fail_qps"));
        std::vector<double> asked;
        for (const auto& qps : *array_at(*vector, "asked"))
            asked.push_back(*as_number(&qps));
        BOOST_TEST(trace.asked == asked, boost::test_tools::per_element());
    }
    BOOST_TEST(equal == 3);
    BOOST_TEST(refused == 4);
    BOOST_TEST(extrapolated == 1);
}

BOOST_AUTO_TEST_CASE(grid_and_termination_b01)
{
    const auto trace = run(make_search(3, 6, 0.1), [](double qps) { return Outcome{qps <= 5.3, {}}; });
    BOOST_TEST((trace.reason == EndReason::converged));
    BOOST_TEST(*trace.best == 5.3);
    BOOST_TEST(*trace.first_fail == 5.4);
    BOOST_TEST(trace.asked.front() == 3.0);
    BOOST_TEST(trace.asked.size() <= 8u);
}

BOOST_AUTO_TEST_CASE(upward_jumps_by_slack)
{
    BOOST_TEST(after_high(1, 10, 0.1, 6.0) == 16.0);
    BOOST_TEST(after_high(1, 20, 0.1, 1.0) == 28.0);
    BOOST_TEST(after_high(1, 10, 0.1, 6.1) == 13.0);
    BOOST_TEST(after_high(1, 10, 0.1, 8.0) == 13.0);
    BOOST_TEST(after_high(1, 10, 0.1, 8.1) == 11.5);
    BOOST_TEST(after_high(1, 2, 0.1, 9.5) == 3.0);
    BOOST_TEST(after_high(1, 10, 0.1, 9.6) == 10.1);
    BOOST_TEST(after_high(1, 10, 0.1, std::nullopt) == 13.0);
    BOOST_TEST(after_high(1, 2.5, 0.1, 8.0) == 3.2); // 3.25, to the even tenth
    BOOST_TEST(after_high(100, 200, 100, 9.0) == 300.0);
}

BOOST_AUTO_TEST_CASE(downward_jumps_by_distance)
{
    BOOST_TEST(after_low(8, 0.1, 15.1) == 4.0);
    BOOST_TEST(after_low(8, 0.1, std::nullopt) == 4.0);
    BOOST_TEST(after_low(2.5, 0.1, 99.0) == 1.2); // 1.25, to the even tenth
    BOOST_TEST(after_low(8, 0.1, 15.0) == 5.6);
    BOOST_TEST(after_low(1, 0.1, 11.0) == 0.5);
    BOOST_TEST(after_low(0.5, 0.1, 11.0) == 0.1);
    BOOST_TEST(after_low(0.2, 0.1, 11.0) == 0.1);
    BOOST_TEST(after_low(200, 100, 11.0) == 100.0);
}

BOOST_AUTO_TEST_CASE(thin_slack_steps_until_a_fail)
{
    // Once the slack is below 5 % no jump follows, whatever later probes say.
    const auto trace = run(make_search(1, 2, 0.1, 10), [](double qps) {
        return Outcome{qps <= 2.3, qps == 2.0 ? 9.7 : 1.0};
    });
    const std::vector<double> asked{1.0, 2.0, 2.1, 2.2, 2.3, 2.4};
    BOOST_TEST(trace.asked == asked, boost::test_tools::per_element());
    BOOST_TEST(*trace.best == 2.3);
}

BOOST_AUTO_TEST_CASE(ends_at_floor_and_ceiling)
{
    const auto never = run(make_search(5, 9, 0.1), [](double) { return Outcome{false, {}}; });
    BOOST_TEST((never.reason == EndReason::below_floor));
    BOOST_TEST(!never.best);
    BOOST_TEST(*never.first_fail == 0.1);
    BOOST_TEST(never.asked.back() == 0.1);

    const auto always = run(make_search(5, 9, 0.1), [](double) { return Outcome{true, 0.1}; });
    BOOST_TEST((always.reason == EndReason::ceiling));
    BOOST_TEST(*always.best == 576.0);
    BOOST_TEST(!always.first_fail);
}

BOOST_AUTO_TEST_CASE(every_edge_is_found_exactly)
{
    for (const double precision : {0.1, 0.25, 1.0, 3.0}) {
        const Grid grid(precision);
        for (Rate edge = 0; edge <= 400; ++edge) {
            for (const double slo_s : {1.0, 7.3}) {
                SearchBounds bounds;
                bounds.low = 20;
                bounds.high = 60;
                bounds.ceiling = 64 * bounds.high;
                bounds.slo_s = slo_s;
                // A latency that meets the SLO at the edge and rises ever faster beyond it.
                const auto trace = run(Search(grid, bounds), [&](double qps) {
                    const double load = qps / grid.qps(edge + 1);
                    const double latency = slo_s * (load < 1 ? 0.3 + 0.69 * load : load * load);
                    return Outcome{*grid.find(qps) <= edge, latency};
                });
                if (edge == 0) {
                    BOOST_TEST((trace.reason == EndReason::below_floor));
                    continue;
                }
                BOOST_TEST((trace.reason == EndReason::converged));
                BOOST_REQUIRE_EQUAL(*trace.best, grid.qps(edge));
                BOOST_REQUIRE_EQUAL(*trace.first_fail, grid.qps(edge + 1));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(noise_neither_repeats_nor_hangs)
{
    // Verdicts and figures at random: whatever comes, the search ends, and its bracket is one step wide.
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        Random random(seed);
        const auto trace = run(make_search(2, 4, 0.1, 1), [&](double) {
            const bool pass = random.uniform() < 0.6;
            const bool figure = random.uniform() < 0.8;
            const double latency = 2 * random.uniform();
            return Outcome{pass, figure ? std::optional(latency) : std::nullopt};
        });
        if (trace.reason == EndReason::converged)
            BOOST_TEST(Grid(0.1).find(*trace.first_fail).value() - Grid(0.1).find(*trace.best).value() == 1);
    }
}

BOOST_AUTO_TEST_CASE(order_and_interruption_do_not_matter)
{
    const auto oracle = [](double qps) { return Outcome{qps <= 7.7, qps}; };
    const auto whole = run(make_search(2, 4, 0.1), oracle);
    for (std::size_t known = 0; known <= whole.asked.size(); ++known) {
        auto search = make_search(2, 4, 0.1);
        for (std::size_t i = known; i-- > 0;)
            search.add(*search.grid().find(whole.asked[i]), oracle(whole.asked[i]));
        const auto rest = run(search, oracle);
        BOOST_TEST(*rest.best == *whole.best);
        BOOST_TEST(rest.asked.size() == whole.asked.size() - known);
    }
}

BOOST_AUTO_TEST_CASE(budgets_end_a_search_before_its_next_probe)
{
    const Grid grid(0.1);
    SearchBounds bounds{20, 40, 2560, 6.5, 2, 60.0};
    Search search(grid, bounds);
    BOOST_TEST(next_rate(search) == 20);
    BOOST_TEST((std::get<EndReason>(search.decide(60.0)) == EndReason::max_time));
    search.add(20, {true, 1.0});
    search.add(40, {false, 9.0});
    BOOST_TEST((std::get<EndReason>(search.decide(0)) == EndReason::max_probes));
    BOOST_TEST(*search.best() == 20);
    BOOST_TEST(*search.first_fail() == 40);
}

BOOST_AUTO_TEST_CASE(results_that_contradict_are_noted_and_not_believed)
{
    auto search = make_search(1, 2, 0.1);
    search.add(10, {true, 1.0});
    search.add(20, {true, 1.0});
    search.add(15, {false, 9.0});
    BOOST_TEST(*search.best() == 10);
    BOOST_TEST(*search.first_fail() == 15);
    BOOST_TEST(search.notes().size() == 1u);
    BOOST_TEST(search.notes()[0] == "2.0 qps passed although 1.5 qps failed: not believed");
    search.add(10, {false, 8.0});
    BOOST_TEST(!search.best());
    BOOST_TEST(search.notes()[0] == "1.0 qps both passed and failed: counted as a fail");
    BOOST_TEST(next_rate(search) == 5);
}

BOOST_AUTO_TEST_CASE(probes_left_counts_down)
{
    auto search = make_search(1, 2, 0.1);
    BOOST_TEST(search.probes_left() == 6u);
    search.add(10, {true, 1.0});
    search.add(20, {false, 9.0});
    BOOST_TEST(search.probes_left() == 4u);
    search.add(15, {false, 9.0});
    search.add(14, {true, 9.0});
    BOOST_TEST(search.probes_left() == 0u);
}

BOOST_AUTO_TEST_CASE(bounds_that_make_no_sense_are_refused)
{
    const auto said = [](SearchBounds bounds) -> std::string {
        try {
            Search(Grid(0.1), bounds);
        } catch (const UsageError& error) {
            return error.what();
        }
        return "nothing thrown";
    };
    BOOST_TEST(said({20, 20, 40, 1, {}, {}}) == "low: 2.0 is not below high 2.0");
    BOOST_TEST(said({30, 20, 40, 1, {}, {}}) == "low: 3.0 is not below high 2.0");
    BOOST_TEST(said({10, 20, 19, 1, {}, {}}) == "ceiling: 1.9 is below high 2.0");
    BOOST_TEST(said({10, 20, 40, 0, {}, {}}) == "slo: must be above 0");
}
