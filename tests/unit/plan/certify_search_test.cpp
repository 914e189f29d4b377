// SPDX-License-Identifier: MIT
// Unit test of plan/certify_search.hpp: every end that a search can come to, that it always comes to one, and
// how often it is right on a synthetic engine.

#include <slo/plan/certify_search.hpp>

#define BOOST_TEST_MODULE plan_certify_search
#include <boost/test/unit_test.hpp>

#include <slo/base/random.hpp>
#include <slo/plan/certain_verdict.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using namespace slo::plan;

namespace {

const Grid grid(0.01);

SearchBounds bounds_of(double low_qps, double high_qps, double ceiling_qps)
{
    SearchBounds bounds;
    bounds.low = grid.steps(low_qps, "low");
    bounds.high = grid.steps(high_qps, "high");
    bounds.ceiling = grid.steps(ceiling_qps, "ceiling");
    return bounds;
}

Outcome outcome_of(Said said, double rounds, std::vector<Margin> margins = {})
{
    Outcome outcome;
    outcome.pass = said == Said::pass;
    outcome.said = said;
    outcome.rounds = rounds;
    outcome.margins = std::move(margins);
    return outcome;
}

struct Probe {
    NextProbe next;
    Outcome outcome;
};

/// What an engine makes of a probe; told also how many came before.
using Engine = std::function<Outcome(double qps, const NextProbe& next, std::size_t number)>;

struct End {
    EndReason reason = EndReason::converged;
    CertifySearch search;
    std::vector<Probe> probes;

    Certified found() const { return search.certified().value(); }
};

End run(const SearchBounds& bounds, const Engine& engine, const CertifyOptions& options = {})
{
    End end{EndReason::converged, CertifySearch(grid, bounds, options), {}};
    for (;;) {
        const auto decision = end.search.decide(0);
        if (const auto* reason = std::get_if<EndReason>(&decision)) {
            end.reason = *reason;
            return end;
        }
        const auto& next = std::get<NextProbe>(decision);
        BOOST_REQUIRE(next.rate >= 1);
        BOOST_REQUIRE(next.rate <= bounds.ceiling);
        BOOST_REQUIRE(!next.looks.empty());
        BOOST_REQUIRE(end.probes.size() < 61);
        const auto outcome = engine(grid.qps(next.rate), next, end.probes.size());
        end.probes.push_back({next, outcome});
        end.search.add(next.rate, outcome);
    }
}

double rounds_of(const NextProbe& next)
{
    return static_cast<double>(next.looks.back());
}

/// Says pass below the edge and fail above it, with the exact margin.
Engine exact(double edge_qps)
{
    return [edge_qps](double qps, const NextProbe& next, std::size_t) {
        const double margin = 4 * std::log(qps / edge_qps);
        const double error = 0.4 / std::sqrt(rounds_of(next));
        const auto said = std::abs(margin) < 2.5 * error ? Said::open : margin < 0 ? Said::pass : Said::fail;
        return outcome_of(said, rounds_of(next), {{"e2e:p50<1", margin, error}});
    };
}

/// An engine in virtual time: the log odds of a request to miss grow with the logarithm of the rate and have
/// noise from round to round; judged by CertainJudge, look by look.
class Synthetic {
public:
    Synthetic(double edge_qps, double noise, std::uint64_t seed)
        : edge_qps_(edge_qps), noise_(noise), random_(seed)
    {
    }

    Outcome operator()(double qps, const NextProbe& next, std::size_t)
    {
        const auto& judge = judge_of(next);
        std::vector<CertainRound> rounds;
        std::optional<slo::record::Verdict> verdict;
        while (!verdict) {
            rounds.push_back(round(qps));
            verdict = judge.judge(rounds, rounds.size() >= next.looks.back());
        }
        using slo::record::VerdictStatus;
        const auto said = verdict->status == VerdictStatus::pass      ? Said::pass
                          : verdict->status == VerdictStatus::fail    ? Said::fail
                          : verdict->status == VerdictStatus::invalid ? Said::invalid
                                                                      : Said::open;
        const auto& objective = verdict->objectives.at(0);
        return outcome_of(said, static_cast<double>(rounds.size()),
                          {{objective.objective, objective.margin, objective.margin_error}});
    }

private:
    static const CertainJudge& judge_of(const NextProbe& next)
    {
        static std::map<std::pair<std::vector<std::size_t>, Phase>, CertainJudge> judges;
        const auto key = std::pair(next.looks, next.phase);
        const auto at = judges.find(key);
        if (at != judges.end())
            return at->second;
        CertainOptions options;
        options.objectives = {slo::stats::parse_objective("e2e:p50<1")};
        options.looks = next.looks;
        if (next.phase != Phase::locate)
            options.spending = slo::stats::Spending::obrien_fleming;
        return judges.emplace(key, CertainJudge(options)).first->second;
    }

    CertainRound round(double qps)
    {
        constexpr double slope = 4;
        constexpr double window_s = 30;
        const double asked = qps * window_s;
        const double requests = std::max(1.0, std::round(random_.normal(asked, std::sqrt(asked))));
        const double odds = slope * std::log(qps / edge_qps_ * requests / asked) + random_.normal(0, noise_);
        ObjectiveRound objective;
        objective.requests = requests;
        objective.missed_least = objective.missed_most = std::round(requests / (1 + std::exp(-odds)));
        objective.surplus = requests / asked - 1;
        objective.distance = -odds / 4;
        CertainRound seen;
        seen.objectives = {objective};
        seen.requests = requests;
        seen.level = odds / 4;
        return seen;
    }

    double edge_qps_;
    double noise_;
    slo::Random random_;
};

Engine always(Said said)
{
    return [said](double, const NextProbe& next, std::size_t) { return outcome_of(said, rounds_of(next)); };
}

std::string reason_of(const End& end)
{
    return std::string(name_of(end.reason));
}

bool has_phase(const End& end, Phase phase)
{
    for (const auto& probe : end.probes)
        if (probe.next.phase == phase)
            return true;
    return false;
}

} // namespace

BOOST_AUTO_TEST_CASE(bounds_and_looks_are_checked)
{
    BOOST_CHECK_THROW(CertifySearch(grid, bounds_of(9, 8, 100)), slo::UsageError);
    BOOST_CHECK_THROW(CertifySearch(grid, bounds_of(8, 8, 100)), slo::UsageError);
    BOOST_CHECK_THROW(CertifySearch(grid, bounds_of(8, 9, 8.5)), slo::UsageError);
    auto bounds = bounds_of(8, 9, 100);
    bounds.low = 0;
    BOOST_CHECK_THROW(CertifySearch(grid, bounds), slo::UsageError);
    CertifyOptions options;
    options.certify_looks.clear();
    BOOST_CHECK_THROW(CertifySearch(grid, bounds_of(8, 9, 100), options), slo::UsageError);
}

BOOST_AUTO_TEST_CASE(before_the_first_probe)
{
    const CertifySearch search(grid, bounds_of(5, 10, 100));
    const auto decision = search.decide(0);
    const auto& next = std::get<NextProbe>(decision);
    BOOST_TEST((next.phase == Phase::locate));
    BOOST_TEST(grid.qps(next.rate) > 5);
    BOOST_TEST(grid.qps(next.rate) < 10);
    BOOST_TEST(!search.certified()->point_qps.has_value());
    BOOST_TEST(!search.best().has_value());
    BOOST_TEST(search.probes_left() > 0U);
    BOOST_TEST(search.notes().empty());
}

BOOST_AUTO_TEST_CASE(converged_around_a_known_edge)
{
    for (const double edge : {0.5, 7.0, 7.77, 12.0, 60.0}) {
        const auto end = run(bounds_of(5, 10, 100), exact(edge));
        BOOST_TEST(reason_of(end) == "converged");
        const auto found = end.found();
        BOOST_TEST(found.point_qps.value() == edge, boost::test_tools::tolerance(0.03));
        BOOST_TEST(grid.qps(found.certified.value()) <= edge);
        BOOST_TEST(grid.qps(found.rejected.value()) >= edge);
        BOOST_TEST(std::log(grid.qps(*found.rejected) / grid.qps(*found.certified)) < 0.16);
        BOOST_TEST(found.likely_low_qps.value() <= found.point_qps.value());
        BOOST_TEST(found.likely_high_qps.value() >= found.point_qps.value());
        BOOST_TEST(!found.non_monotone);
        BOOST_TEST((end.search.best() == found.certified));
        BOOST_TEST((end.search.first_fail() == found.rejected));
        BOOST_TEST(end.search.probes_left() == 0U);
        BOOST_TEST(found.rounds <= 184); // the bound of tightening, and the verdicts of both ends beyond it
    }
}

BOOST_AUTO_TEST_CASE(the_probabilistic_strategy_only_locates)
{
    CertifyOptions options;
    options.certify = false;
    const auto end = run(bounds_of(5, 10, 100), exact(7), options);
    BOOST_TEST(reason_of(end) == "converged");
    BOOST_TEST(!has_phase(end, Phase::certify));
    BOOST_TEST(!end.found().certified.has_value());
    BOOST_TEST(end.found().point_qps.value() == 7.0, boost::test_tools::tolerance(0.03));
}

BOOST_AUTO_TEST_CASE(below_the_floor)
{
    const auto end = run(bounds_of(5, 10, 100), always(Said::fail));
    BOOST_TEST(reason_of(end) == "below_floor");
    BOOST_TEST((end.search.first_fail() == Rate{1}));
    BOOST_TEST(!end.search.best().has_value());
}

BOOST_AUTO_TEST_CASE(up_to_the_ceiling)
{
    const auto end = run(bounds_of(5, 10, 100), always(Said::pass));
    BOOST_TEST(reason_of(end) == "ceiling");
    BOOST_TEST((end.search.best() == grid.steps(100, "")));
    BOOST_TEST(!end.search.first_fail().has_value());
}

BOOST_AUTO_TEST_CASE(open_at_the_floor_or_the_ceiling_is_not_resolved)
{
    // Certain of where it is, but never sure of a verdict there.
    for (const double edge : {0.01, 1e4}) {
        const auto end = run(bounds_of(5, 10, 100), [&](double qps, const NextProbe& next, std::size_t) {
            const double margin = 4 * std::log(qps / edge);
            return outcome_of(Said::open, rounds_of(next), {{"e2e:p50<1", margin, 0.1}});
        });
        BOOST_TEST(reason_of(end) == "not_resolved");
    }
}

BOOST_AUTO_TEST_CASE(verdicts_that_stay_open_are_not_resolved)
{
    const auto end = run(bounds_of(5, 10, 100), always(Said::open));
    BOOST_TEST(reason_of(end) == "not_resolved");
    BOOST_TEST(has_phase(end, Phase::certify));
    BOOST_TEST(!end.search.best().has_value());
}

BOOST_AUTO_TEST_CASE(invalid_probes_end_it)
{
    BOOST_TEST(run(bounds_of(5, 10, 100), always(Said::invalid)).probes.size() == 3U);
    BOOST_TEST(reason_of(run(bounds_of(5, 10, 100), always(Said::invalid))) == "invalid");
    // Two in a row do not.
    const auto good = exact(7);
    const auto end = run(bounds_of(5, 10, 100), [&](double qps, const NextProbe& next, std::size_t number) {
        return number % 3 == 0 ? good(qps, next, number) : outcome_of(Said::invalid, rounds_of(next));
    });
    BOOST_TEST(reason_of(end) != "invalid");
}

BOOST_AUTO_TEST_CASE(budgets)
{
    auto bounds = bounds_of(5, 10, 100);
    bounds.max_probes = 3;
    const auto few = run(bounds, exact(7));
    BOOST_TEST(reason_of(few) == "max_probes");
    BOOST_TEST(few.probes.size() == 3U);
    bounds.max_probes.reset();
    bounds.max_time_s = 10;
    const CertifySearch search(grid, bounds);
    BOOST_TEST(std::holds_alternative<NextProbe>(search.decide(9.9)));
    BOOST_TEST((std::get<EndReason>(search.decide(10)) == EndReason::max_time));
}

BOOST_AUTO_TEST_CASE(rounds_are_never_more_than_allowed)
{
    for (const double most : {3.0, 4.0, 20.0, 45.0, 70.0}) {
        auto bounds = bounds_of(5, 10, 100);
        bounds.max_rounds = most;
        const auto end = run(bounds, Synthetic(7, 0.4, 3));
        BOOST_TEST(reason_of(end) == "max_rounds");
        BOOST_TEST(end.found().rounds <= most);
    }
}

BOOST_AUTO_TEST_CASE(a_dip_is_non_monotone)
{
    CertifySearch search(grid, bounds_of(5, 10, 100));
    search.add(*grid.find(8), outcome_of(Said::pass, 20, {{"e2e:p50<1", -3, 0.5}}));
    BOOST_TEST(std::holds_alternative<NextProbe>(search.decide(0)));
    search.add(*grid.find(6), outcome_of(Said::fail, 20, {{"e2e:p50<1", 3, 0.5}}));
    BOOST_TEST((std::get<EndReason>(search.decide(0)) == EndReason::non_monotone));
    BOOST_TEST(search.certified()->non_monotone);
    BOOST_REQUIRE(search.notes().size() == 1);
    BOOST_TEST(search.notes()[0].find("although") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_rate_that_nobody_asked_for_certifies_nothing)
{
    CertifySearch search(grid, bounds_of(5, 10, 100));
    search.add(50, outcome_of(Said::pass, 8));
    search.add(5000, outcome_of(Said::fail, 8));
    BOOST_TEST(!search.best().has_value());
    BOOST_TEST(!search.first_fail().has_value());
    BOOST_TEST(search.runs(50) == 1U);
    BOOST_TEST(search.probes() == 2U);
}

BOOST_AUTO_TEST_CASE(without_confidence_nothing_is_certified)
{
    const auto good = exact(7);
    const auto end = run(bounds_of(5, 10, 100), [&](double qps, const NextProbe& next, std::size_t number) {
        auto outcome = good(qps, next, number);
        outcome.stated = false;
        return outcome;
    });
    BOOST_TEST(reason_of(end) == "not_resolved");
    BOOST_TEST(!end.search.best().has_value());
    BOOST_TEST(!end.search.first_fail().has_value());
    BOOST_TEST(end.found().point_qps.value() == 7.0, boost::test_tools::tolerance(0.03));
}

BOOST_AUTO_TEST_CASE(several_objectives_the_least_edge_binds)
{
    const auto end = run(bounds_of(5, 10, 100), [](double qps, const NextProbe& next, std::size_t) {
        const double a = 5 * std::log(qps / 9);
        const double b = 3 * std::log(qps / 6);
        const double error = 0.3 / std::sqrt(rounds_of(next));
        const double worst = std::max(a, b);
        const auto said = std::abs(worst) < 2.5 * error ? Said::open : worst < 0 ? Said::pass : Said::fail;
        return outcome_of(said, rounds_of(next), {{"a", a, error}, {"b", b, error}});
    });
    BOOST_TEST(reason_of(end) == "converged");
    BOOST_TEST(end.found().point_qps.value() == 6.0, boost::test_tools::tolerance(0.03));
}

BOOST_AUTO_TEST_CASE(told_the_same_it_does_the_same)
{
    const auto end = run(bounds_of(5, 10, 100), Synthetic(7.3, 0.5, 5));
    CertifySearch again(grid, bounds_of(5, 10, 100));
    for (const auto& probe : end.probes) {
        const auto copy = again.clone();
        for (const Strategy* search :
             {static_cast<const Strategy*>(&again), static_cast<const Strategy*>(copy.get())}) {
            const auto decision = search->decide(0);
            const auto& next = std::get<NextProbe>(decision);
            BOOST_TEST_REQUIRE(next.rate == probe.next.rate);
            BOOST_TEST_REQUIRE((next.phase == probe.next.phase));
            BOOST_TEST_REQUIRE((next.looks == probe.next.looks));
        }
        again.add(probe.next.rate, probe.outcome);
    }
    BOOST_TEST((std::get<EndReason>(again.decide(0)) == end.reason));
    BOOST_TEST(again.certified()->point_qps.value() == end.found().point_qps.value());
    BOOST_TEST((again.best() == end.search.best()));
    // A copy goes its own way.
    auto copy = again.clone();
    copy->add(1, outcome_of(Said::fail, 4));
    BOOST_TEST(copy->probes() == again.probes() + 1);
}

BOOST_AUTO_TEST_CASE(seeds_are_fresh_unless_common_numbers_are_wanted)
{
    CertifyOptions options;
    CertifySearch search(grid, bounds_of(5, 10, 100), options);
    const NextProbe locate{700, Phase::locate};
    const NextProbe certify{700, Phase::certify};
    BOOST_TEST(search.seed_offset(locate) == 0U);
    search.add(700, outcome_of(Said::open, 8));
    BOOST_TEST(search.seed_offset(locate) == 1U);
    options.common_numbers = true;
    CertifySearch common(grid, bounds_of(5, 10, 100), options);
    common.add(700, outcome_of(Said::open, 8));
    BOOST_TEST(common.seed_offset({701, Phase::locate}) == 0U);
    BOOST_TEST(common.seed_offset(locate) == 1U);
    BOOST_TEST(common.seed_offset(certify) == 1U);
}

BOOST_AUTO_TEST_CASE(whatever_it_is_told_it_ends)
{
    slo::Random random(23);
    constexpr double most = std::numeric_limits<double>::max();
    const std::vector<double> figures{0, 1e-300, 0.1, 1, 3, 50, 1e12, 1e300, most};
    const std::vector<double> rounds{0, 0, 1, 4, 8, 32, 1e9, -5};
    const auto pick = [&](const auto& from) {
        return from[static_cast<std::size_t>(random.uniform() * static_cast<double>(from.size()))];
    };
    std::size_t longest = 0;
    for (int search = 0; search < 45; ++search) {
        // Some searches are told one kind of thing far more often than the others.
        const double bias = random.uniform();
        const int favourite = static_cast<int>(random.uniform() * 4);
        const bool with_margins = random.uniform() < 0.5;
        const auto bounds = search % 3 == 0   ? bounds_of(5, 10, 640)
                            : search % 3 == 1 ? bounds_of(0.01, 0.02, 0.02)
                                              : bounds_of(1, 1e5, 1e6);
        Rate last = 0;
        const auto end = run(bounds, [&](double, const NextProbe& next, std::size_t) {
            BOOST_TEST_REQUIRE(
                (next.phase == Phase::locate || next.phase == Phase::certify || next.phase == Phase::reject));
            last = next.rate;
            const int kind = random.uniform() < bias ? favourite : static_cast<int>(random.uniform() * 4);
            auto outcome = outcome_of(static_cast<Said>(kind), pick(rounds));
            if (with_margins)
                for (int i = 0; i < 2; ++i)
                    outcome.margins.push_back({i == 0 ? "a" : "b",
                                               pick(figures) * (random.uniform() < 0.5 ? -1 : 1),
                                               pick(figures) + 1e-300});
            return outcome;
        });
        BOOST_TEST_REQUIRE(end.probes.size() <= CertifySearch::most_probes);
        longest = std::max(longest, end.probes.size());
        const auto found = end.found();
        if (found.point_qps)
            BOOST_TEST_REQUIRE(std::isfinite(*found.point_qps));
    }
    BOOST_TEST(longest > 10U);
}

BOOST_AUTO_TEST_CASE(probes_that_tell_no_rounds_are_counted_all_the_same)
{
    const auto end = run(bounds_of(5, 10, 100),
                         [](double, const NextProbe&, std::size_t) { return outcome_of(Said::open, 0); });
    std::size_t locating = 0;
    for (const auto& probe : end.probes)
        locating += probe.next.phase == Phase::locate;
    BOOST_TEST(locating == 20U); // four times 24 rounds, at least 5 a probe
    BOOST_TEST(reason_of(end) == "not_resolved");
}

BOOST_AUTO_TEST_CASE(an_open_end_steps_out)
{
    // Sure once on either side, then open for ever: no rate is tried again and again until it passes.
    const auto good = exact(7);
    std::size_t passes = 0;
    std::size_t fails = 0;
    CertifyOptions options;
    options.rounds = 1000;
    options.point_deviation = 0.2;
    const auto end = run(
        bounds_of(5, 10, 100),
        [&](double qps, const NextProbe& next, std::size_t number) {
            auto outcome = good(qps, next, number);
            // Noisy rounds: while they tell more of the point there is room for a second try.
            outcome.margins[0].error *= 4;
            if (next.phase == Phase::locate)
                return outcome;
            auto& before = next.phase == Phase::certify ? passes : fails;
            if (before++ > 0)
                outcome.said = Said::open;
            else
                outcome.said = next.phase == Phase::certify ? Said::pass : Said::fail;
            return outcome;
        },
        options);
    BOOST_TEST(reason_of(end) == "converged");
    BOOST_TEST(passes + fails > 2U);
    std::map<Phase, Rate> last;
    for (const auto& probe : end.probes) {
        const auto phase = probe.next.phase;
        if (phase == Phase::locate)
            continue;
        if (probe.outcome.said == Said::open && last.contains(phase))
            BOOST_TEST(
                (phase == Phase::certify ? probe.next.rate < last[phase] : probe.next.rate > last[phase]));
        if (probe.outcome.said == Said::open)
            last[phase] = probe.next.rate;
    }
}

BOOST_AUTO_TEST_CASE(certified_and_rejected_hold_the_edge)
{
    slo::Random random(31);
    int covered = 0;
    int over_claims = 0;
    int non_monotone = 0;
    int resolved = 0;
    double rounds = 0;
    constexpr int searches = 200;
    for (int i = 0; i < searches; ++i) {
        const double edge = 4 * std::exp(random.uniform());
        const double noise = 0.2 + 0.4 * random.uniform();
        const auto end =
            run(bounds_of(5, 10, 100), Synthetic(edge, noise, 1000 + static_cast<std::uint64_t>(i)));
        const auto found = end.found();
        const bool below = !found.certified || grid.qps(*found.certified) <= edge;
        const bool above = !found.rejected || grid.qps(*found.rejected) >= edge;
        covered += below && above;
        over_claims += found.certified && grid.qps(*found.certified) > 1.02 * edge;
        non_monotone += end.reason == EndReason::non_monotone;
        resolved += end.reason == EndReason::converged;
        rounds += found.rounds / searches;
    }
    BOOST_TEST_MESSAGE("covered " << covered << ", over-claims " << over_claims << ", converged " << resolved
                                  << ", non-monotone " << non_monotone << ", rounds " << rounds);
    BOOST_TEST(covered >= searches * 0.93);
    BOOST_TEST(over_claims <= searches * 0.02);
    BOOST_TEST(non_monotone <= 1);
    BOOST_TEST(resolved >= searches * 0.95);
    BOOST_TEST(rounds < 130);
}
