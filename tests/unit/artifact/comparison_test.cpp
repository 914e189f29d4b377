// SPDX-License-Identifier: MIT
// Unit test of artifact/comparison.hpp.

#include <slo/artifact/comparison.hpp>

#define BOOST_TEST_MODULE artifact_comparison
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace slo;
using namespace slo::artifact;

namespace {

// A configuration of runs that have these values at `member` of metrics.
ResultGroup group(const std::string& member, const std::vector<std::string>& values)
{
    ResultGroup group{"g", {}};
    for (const auto& value : values)
        group.runs.push_back(parse_artifact(R"({"metrics":{")" + member + "\":" + value + "}}", "a"));
    return group;
}

// One line of the first change: outcome, regression.
std::string change(const ResultGroup& a, const ResultGroup& b, double threshold = 5)
{
    const auto all = compare_metrics({a, b}, 0.95, threshold);
    if (all.size() != 1)
        return std::to_string(all.size()) + " metrics";
    const auto& change = all[0].changes[0];
    return std::string(name_of(change.outcome)) + " " + std::string(name_of(change.regression)) +
           (all[0].winner ? " winner " + std::to_string(*all[0].winner) : "");
}

std::string throughput(const std::vector<std::string>& a, const std::vector<std::string>& b)
{
    return change(group("output_toks_per_s", a), group("output_toks_per_s", b));
}

std::string errors(const std::vector<std::string>& a, const std::vector<std::string>& b)
{
    return change(group("error_rate", a), group("error_rate", b));
}

ResultGroup gates(const std::vector<std::string>& values)
{
    ResultGroup group{"g", {}};
    for (const auto& value : values)
        group.runs.push_back(parse_artifact(R"({"slo":{"overall_pass":)" + value + "}}", "a"));
    return group;
}

} // namespace

BOOST_AUTO_TEST_CASE(one_run_each_names_no_winner)
{
    BOOST_TEST(throughput({"100"}, {"200"}) == "unknown_noise no");
    BOOST_TEST(throughput({"100"}, {"94"}) == "unknown_noise yes");
    BOOST_TEST(throughput({"100"}, {"95"}) == "unknown_noise no");
    BOOST_TEST(throughput({"100"}, {"100"}) == "equal no");
    BOOST_TEST(throughput({"100", "101"}, {"94"}) == "unknown_noise yes");
}

BOOST_AUTO_TEST_CASE(repetitions_tell_changes_from_noise)
{
    BOOST_TEST(throughput({"100", "101", "99"}, {"110", "111", "109"}) == "better no winner 1");
    BOOST_TEST(throughput({"100", "101", "99"}, {"90", "91", "89"}) == "worse yes winner 0");
    BOOST_TEST(throughput({"100", "101", "99"}, {"97", "98", "96"}) == "worse no winner 0");
    BOOST_TEST(throughput({"100", "120", "80"}, {"90", "70", "110"}) == "within_noise undecided");
    BOOST_TEST(throughput({"100", "120", "80"}, {"110", "130", "90"}) == "within_noise no");
    // The medians fall, the means rise.
    BOOST_TEST(throughput({"100", "100.1", "1"}, {"90", "90.1", "90.2"}) == "within_noise undecided");
    // The same random numbers twice are no repetitions.
    BOOST_TEST(throughput({"100", "100"}, {"90", "90"}) == "unknown_noise yes");
}

BOOST_AUTO_TEST_CASE(failures_from_none_are_a_regression_whatever_the_threshold)
{
    BOOST_TEST(errors({"0.0"}, {"0.0"}) == "equal no");
    BOOST_TEST(errors({"0.0"}, {"1.0"}) == "unknown_noise yes");
    BOOST_TEST(errors({"0.0"}, {"0.001"}) == "unknown_noise yes");
    BOOST_TEST(errors({"0", "0"}, {"1", "1"}) == "worse yes winner 0");
    BOOST_TEST(errors({"0", "0", "0"}, {"0", "0.001", "0.001"}) == "within_noise undecided");
    BOOST_TEST(errors({"0.01"}, {"0.0"}) == "unknown_noise no");
    const auto all = compare_metrics({group("error_rate", {"0"}), group("error_rate", {"0.5"})}, 0.95, 5);
    BOOST_TEST(!all[0].changes[0].percent.has_value());
    BOOST_TEST(all[0].changes[0].delta.value() == 0.5);
}

BOOST_AUTO_TEST_CASE(what_the_candidate_lacks_is_a_regression)
{
    BOOST_TEST(throughput({"100"}, {"null"}) == "missing yes");
    BOOST_TEST(throughput({"100"}, {"\"100\""}) == "missing yes");
    BOOST_TEST(throughput({"100", "101"}, {"100", "null"}) == "missing yes");
    BOOST_TEST(throughput({"null"}, {"100"}) == "incomplete no");
    BOOST_TEST(throughput({"100", "null"}, {"50", "51"}) == "incomplete yes");
    BOOST_TEST(throughput({"null"}, {"null"}) == "0 metrics");
    BOOST_TEST(throughput({"0"}, {"null"}) == "missing yes");
}

BOOST_AUTO_TEST_CASE(an_slo_that_is_kept_less_often_is_a_regression)
{
    BOOST_TEST(change(gates({"true"}), gates({"false"})) == "unknown_noise yes");
    BOOST_TEST(change(gates({"true", "true"}), gates({"true", "false"})) == "within_noise yes");
    BOOST_TEST(change(gates({"true", "true"}), gates({"false", "false"})) == "worse yes winner 0");
    BOOST_TEST(change(gates({"false"}), gates({"true"})) == "unknown_noise no");
    BOOST_TEST(change(gates({"true"}), gates({"null"})) == "missing yes");
}

BOOST_AUTO_TEST_CASE(a_winner_beats_every_other)
{
    const auto of = [](const std::vector<std::string>& values) { return group("output_toks_per_s", values); };
    const auto winner = [&](const ResultGroup& c) {
        return compare_metrics({of({"100", "101", "99"}), of({"90", "91", "89"}), c}, 0.95, 5)[0].winner;
    };
    BOOST_TEST(winner(of({"120", "121", "119"})).value() == 2u);
    BOOST_TEST(winner(of({"80", "81", "79"})).value() == 0u);
    BOOST_TEST(!winner(of({"101", "102", "100"})).has_value());
    BOOST_TEST(!winner(of({"120"})).has_value());
    // At 95 % for one pair, but not for both together.
    const auto pair = compare_metrics({of({"100", "101", "99"}), of({"102.4", "103.4", "101.4"})}, 0.95, 5);
    BOOST_TEST(pair[0].winner.value() == 1u);
    BOOST_TEST(!winner(of({"102.4", "103.4", "101.4"})).has_value());
}

BOOST_AUTO_TEST_CASE(of_repetitions_the_p50_of_the_p50s_counts)
{
    const auto runs = [](const char* figures) {
        return parse_artifact(std::string(R"({"metrics":{"ttft_ms":{"p50":)") + figures + "}}}", "a");
    };
    const std::vector<ResultGroup> groups{{"a", {runs("10"), runs("30"), runs("11")}}, {"b", {runs("12")}}};
    const auto all = compare_metrics(groups, 0.95, 5);
    BOOST_TEST(all[0].sides[0].p50.value() == 11);
    BOOST_TEST(all[0].changes[0].percent.value() == 100.0 / 11, boost::test_tools::tolerance(1e-12));
    BOOST_TEST((worst_regression(all, groups) == Regression::yes));
}

BOOST_AUTO_TEST_CASE(nothing_is_proven_by_invalid_runs)
{
    const auto group = [](const char* label, std::vector<std::string> figures, const std::string& rest = "") {
        ResultGroup made{label, {}};
        for (const auto& figure : figures)
            made.runs.push_back(
                parse_artifact(R"({"metrics":{"ttft_ms":{"p50":)" + figure + "}}" + rest + "}", "a"));
        return made;
    };
    std::vector<ResultGroup> groups{group("a", {"100", "101", "99"}), group("b", {"50", "51", "49"})};
    BOOST_TEST(compare_metrics(groups, 0.95, 5)[0].winner.value() == 1u);
    BOOST_TEST((worst_regression(compare_metrics(groups, 0.95, 5), groups) == Regression::no));
    groups[1] = group("b", {"50", "51", "49"}, R"(,"validity":{"classification":"invalid_or_incomplete"})");
    BOOST_TEST(invalid_runs(groups[1]) == 3u);
    BOOST_TEST(!compare_metrics(groups, 0.95, 5)[0].winner.has_value());
    BOOST_TEST((worst_regression(compare_metrics(groups, 0.95, 5), groups) == Regression::undecided));
}
