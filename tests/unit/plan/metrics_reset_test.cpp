// SPDX-License-Identifier: MIT
// What stands against the differences of two snapshots, and how engines are told apart.

#include <slo/plan/metrics_reset.hpp>

#define BOOST_TEST_MODULE plan_metrics_reset
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::plan;

namespace {

Doubts doubts_of(const std::string& before, const std::string& after, std::string_view mark = "vllm:")
{
    const auto first = record::parse_snapshot(before, "before");
    const auto second = record::parse_snapshot(after, "after");
    const MetricsWindow window(first, second);
    return find_doubts(window, mark, {"used"}, EngineKey(window.find("vllm:queries")));
}

EngineKey key_of(const record::Snapshot& snapshot)
{
    return EngineKey(MetricsWindow(snapshot, snapshot).find("m"));
}

} // namespace

BOOST_AUTO_TEST_CASE(engines_are_named_by_the_labels_that_differ)
{
    const auto key = [](const std::string& text) {
        const auto snapshot = record::parse_snapshot(text, "");
        const auto names = key_of(snapshot);
        std::string all;
        for (const auto& series : snapshot.series)
            all += (all.empty() ? "" : " ") + names.of(series);
        return all;
    };
    BOOST_TEST(key("m{engine=\"0\",model_name=\"a\"} 1\nm{engine=\"1\",model_name=\"a\"} 1\n") == "0 1");
    BOOST_TEST(key("m{engine=\"0\",model_name=\"a\"} 1\nm{engine=\"1\",model_name=\"b\"} 1\n") == "a/0 b/1");
    BOOST_TEST(key("m{engine=\"0\",model_name=\"a\"} 1\n") == "0");
    BOOST_TEST(key("m{model_name=\"a\"} 1\n") == "a");
    BOOST_TEST(key("m{source=\"x\"} 1\n") == "");
    std::string many;
    for (int i = 0; i < 1100; ++i)
        many += "m{pod=\"" + std::to_string(i) + "\"} 1\n";
    const auto snapshot = record::parse_snapshot(many, "");
    BOOST_TEST(key_of(snapshot).too_many());
    BOOST_TEST(key_of(snapshot).of(snapshot.series.front()) == "");
}

BOOST_AUTO_TEST_CASE(counters_of_the_engine_bear_witness_and_no_others)
{
    BOOST_TEST(doubts_of("vllm:a_total 5\n", "vllm:a_total 5\n").about("").empty());
    BOOST_TEST(doubts_of("vllm:a_total 5\n", "vllm:a_total 4\n").reset_detected);
    BOOST_TEST(doubts_of("vllm_a_total 5\n", "vllm_a_total 4\n").reset_detected);
    BOOST_TEST(
        doubts_of("# TYPE vllm:a counter\nvllm:a 5\n", "# TYPE vllm:a counter\nvllm:a 4\n").reset_detected);
    BOOST_TEST(!doubts_of("# TYPE vllm:a_total gauge\nvllm:a_total 5\n",
                          "# TYPE vllm:a_total gauge\nvllm:a_total 4\n")
                    .reset_detected);
    BOOST_TEST(!doubts_of("vllm:a 5\n", "vllm:a 4\n").reset_detected);
    BOOST_TEST(!doubts_of("python_gc_total 5\n", "python_gc_total 4\n").reset_detected);
    BOOST_TEST(doubts_of("used 5\n", "used 4\n").reset_detected);
    BOOST_TEST(!doubts_of("a_total 5\n", "a_total 4\n", "").reset_detected);
    // A sum may fall without a restart; its count may not.
    BOOST_TEST(
        !doubts_of("# TYPE vllm:h histogram\nvllm:h_sum 5\n", "# TYPE vllm:h histogram\nvllm:h_sum 4\n")
             .reset_detected);
    BOOST_TEST(
        doubts_of("# TYPE vllm:h histogram\nvllm:h_count 5\n", "# TYPE vllm:h histogram\nvllm:h_count 4\n")
            .reset_detected);
}

BOOST_AUTO_TEST_CASE(a_start_time_that_moved_is_a_restart)
{
    BOOST_TEST(
        doubts_of("process_start_time_seconds 100\n", "process_start_time_seconds 160\n").reset_detected);
    BOOST_TEST(
        !doubts_of("process_start_time_seconds 100\n", "process_start_time_seconds 100.5\n").reset_detected);
    BOOST_TEST(doubts_of("vllm:a_created 100\n", "vllm:a_created 160\n").reset_detected);
    BOOST_TEST(!doubts_of("b_created 100\n", "b_created 160\n").reset_detected);
    BOOST_TEST(!doubts_of("a 1\n", "vllm:a_created 160\n").reset_detected);
}

BOOST_AUTO_TEST_CASE(doubts_are_about_the_engine_they_come_from)
{
    const std::string queries = "vllm:queries_total{engine=\"0\"} 5\nvllm:queries_total{engine=\"1\"} 5\n";
    const auto doubts =
        doubts_of(queries + "vllm:a_total{engine=\"1\"} 5\n", queries + "vllm:a_total{engine=\"1\"} 4\n");
    BOOST_TEST(doubts.about("0").empty());
    BOOST_TEST(doubts.about("1").find("fell from 5.0 to 4.0") != std::string::npos);
    BOOST_TEST(!doubts.about("").empty());
    const auto all =
        doubts_of(queries + "process_start_time_seconds 1\n", queries + "process_start_time_seconds 9\n");
    BOOST_TEST(!all.about("0").empty());
}

BOOST_AUTO_TEST_CASE(a_counter_that_vanished_is_a_doubt_but_no_proof)
{
    const auto doubts = doubts_of("vllm:a_total 5\nvllm:b 1\n", "vllm:b 1\n");
    BOOST_TEST(!doubts.reset_detected);
    BOOST_TEST(doubts.about("").find("missing in the second") != std::string::npos);
    BOOST_TEST(doubts_of("vllm:a 5\nvllm:b_total 1\n", "vllm:a_total 6\nvllm:b 1\n").about("").empty());
}
