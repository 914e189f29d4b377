// SPDX-License-Identifier: MIT
// Histograms, gauges, counters and speculative decoding over a window.

#include <slo/plan/metrics_figures.hpp>
#include <slo/plan/metrics_notes.hpp>

#define BOOST_TEST_MODULE plan_metrics_figures
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::plan;

namespace {

struct Pair {
    record::Snapshot before, after;
    MetricsWindow window;

    Pair(const std::string& first, const std::string& second)
        : before(record::parse_snapshot(first, "before")), after(record::parse_snapshot(second, "after")),
          window(before, after)
    {
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(a_histogram_is_that_of_the_window)
{
    const std::string before =
        "h_bucket{le=\"1\"} 100\nh_bucket{le=\"2\"} 100\nh_bucket{le=\"+Inf\"} 100\nh_count 100\nh_sum 10\n";
    const std::string after =
        "h_bucket{le=\"1\"} 102\nh_bucket{le=\"2\"} 110\nh_bucket{le=\"+Inf\"} 110\nh_count 110\nh_sum 25\n";
    const Pair pair(before, after);
    const auto figures = histogram_of(pair.window, {"ttft", "x|h"}, "");
    BOOST_TEST_REQUIRE(figures.has_value());
    BOOST_TEST(figures->metric == "h");
    BOOST_TEST(figures->count.value() == 10);
    BOOST_TEST(figures->mean.value() == 1.5);
    BOOST_TEST(figures->quantiles[0].value() == 1.375); // rank 5: (5 - 2) / 8 of the way from 1 to 2
    BOOST_TEST(figures->reason.empty());
    BOOST_TEST(!histogram_of(pair.window, {"ttft", "x"}, "").has_value());

    const auto doubtful = histogram_of(pair.window, {"ttft", "h"}, "restarted");
    BOOST_TEST(!doubtful->count.has_value());
    BOOST_TEST(doubtful->reason == "restarted");
    const Pair backwards(after, before);
    BOOST_TEST(!histogram_of(backwards.window, {"ttft", "h"}, "")->quantiles[0].has_value());
    const Pair idle(before, before);
    const auto nothing = histogram_of(idle.window, {"ttft", "h"}, "");
    BOOST_TEST(nothing->count.value() == 0);
    BOOST_TEST(!nothing->mean.has_value());
    BOOST_TEST(nothing->reason == "no observations");
}

BOOST_AUTO_TEST_CASE(gauges_are_sums_but_a_share_is_that_of_the_fullest)
{
    const Pair pair("g 9\n", "g{e=\"0\"} 0.25\ng{e=\"1\"} 0.75\ng{e=\"2\"} NaN\n");
    BOOST_TEST(gauge_of(pair.window, {"running", "g"}).value() == 1);
    BOOST_TEST(gauge_of(pair.window, {"kv_cache_usage", "g"}).value() == 0.75);
    BOOST_TEST(!gauge_of(pair.window, {"running", "h"}).has_value());
}

BOOST_AUTO_TEST_CASE(counters_add_up)
{
    const Pair pair("a_total 1\nb_total 5\n", "a_total 3\nb_total 15\nc_total NaN\n");
    BOOST_TEST(counter_of(pair.window, {"t", "a"}, "").value() == 2);
    BOOST_TEST(counter_of(pair.window, {"t", "a+b+x"}, "").value() == 12);
    BOOST_TEST(!counter_of(pair.window, {"t", "a+c"}, "").has_value());
    BOOST_TEST(!counter_of(pair.window, {"t", "a"}, "restarted").has_value());
    BOOST_TEST(!counter_of(pair.window, {"t", "x"}, "").has_value());
}

BOOST_AUTO_TEST_CASE(coverage_of_speculation)
{
    // 680 of 796 draft tokens accepted, but few of the decode cycles had a draft.
    const Pair pair("x 0\n", "drafts_total 796\ndraft_total 796\naccepted_total 680\n");
    const auto spec = spec_decode_of(pair.window, {"drafts", "draft", "accepted", ""}, 44902.0, "");
    BOOST_TEST_REQUIRE(spec.has_value());
    BOOST_TEST(spec->acceptance_rate.value() == 680.0 / 796);
    BOOST_TEST(spec->coverage.value() == 796.0 / 44222);
    BOOST_TEST(spec->tokens_per_cycle.value() == 44902.0 / 44222);
    BOOST_TEST(!spec_decode_of(pair.window, {"", "y", "z", ""}, {}, "").has_value());
    const auto over = spec_decode_of(pair.window, {"", "accepted", "draft", ""}, {}, "");
    BOOST_TEST(over->reason == "more tokens accepted than drafted");
}

BOOST_AUTO_TEST_CASE(block_sizes_are_gauges_or_labels)
{
    const Pair pair("", "info{block_size=\"16\"} 1\nblock 32\n");
    BOOST_TEST(block_tokens_of(pair.window, {"block_size", "info"}).value() == 16);
    BOOST_TEST(block_tokens_of(pair.window, {"", "block"}).value() == 32);
    BOOST_TEST(!block_tokens_of(pair.window, {"other", "info"}).has_value());
}
