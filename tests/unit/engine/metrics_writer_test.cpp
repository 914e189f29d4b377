// SPDX-License-Identifier: MIT
#include <slo/engine/metrics_writer.hpp>
#define BOOST_TEST_MODULE engine_metrics_writer
#include <boost/test/unit_test.hpp>

#include <array>

using namespace slo::engine;

BOOST_AUTO_TEST_CASE(families_are_written_with_their_births_behind_them)
{
    static constexpr std::array bounds{1.0, 2.5};
    Histogram histogram(bounds);
    for (const double value : {0.5, 1.0, 7.0})
        histogram.observe(value);
    MetricsWriter writer({"m=\"x\"", 12.5});
    writer.sample("a:b_total", "counter", "B.", 3, "r=\"s\"");
    writer.sample("a:b_total", "counter", "B.", 4, "r=\"t\"");
    writer.sample("a:g", "gauge", "G.", 0.5);
    writer.histogram("a:h", "H.", histogram);
    BOOST_TEST(writer.finish() ==
               "# HELP a:b_total B.\n# TYPE a:b_total counter\n"
               "a:b_total{m=\"x\",r=\"s\"} 3.0\na:b_total{m=\"x\",r=\"t\"} 4.0\n"
               "# HELP a:b_created B.\n# TYPE a:b_created gauge\n"
               "a:b_created{m=\"x\",r=\"s\"} 12.5\na:b_created{m=\"x\",r=\"t\"} 12.5\n"
               "# HELP a:g G.\n# TYPE a:g gauge\na:g{m=\"x\"} 0.5\n"
               "# HELP a:h H.\n# TYPE a:h histogram\n"
               "a:h_bucket{m=\"x\",le=\"1.0\"} 2.0\na:h_bucket{m=\"x\",le=\"2.5\"} 2.0\n"
               "a:h_bucket{m=\"x\",le=\"+Inf\"} 3.0\na:h_count{m=\"x\"} 3.0\n"
               "a:h_sum{m=\"x\"} 8.5\n"
               "# HELP a:h_created H.\n# TYPE a:h_created gauge\na:h_created{m=\"x\"} 12.5\n");
}

BOOST_AUTO_TEST_CASE(without_labels_there_are_no_braces)
{
    MetricsWriter writer({"", std::nullopt, true});
    writer.sample("n", "counter", "N.", 7);
    writer.sample("n", "counter", "N.", 7.25, "a=\"b\"");
    BOOST_TEST(writer.finish() == "# HELP n N.\n# TYPE n counter\nn 7\nn{a=\"b\"} 7.25\n");
}

BOOST_AUTO_TEST_CASE(hidden_names_leave_nothing_behind)
{
    MetricsWriter writer({"", 1.0, false, {"x:b", "*_created", "?:d"}});
    for (const auto* name : {"x:a_total", "x:b_total", "x:d", "xx:d"})
        writer.sample(name, "counter", "C.", 1);
    BOOST_TEST(writer.finish() == "# HELP x:a_total C.\n# TYPE x:a_total counter\nx:a_total 1.0\n"
                                  "# HELP xx:d C.\n# TYPE xx:d counter\nxx:d 1.0\n");
}

BOOST_AUTO_TEST_CASE(patterns_match_as_in_a_shell_and_plain_ones_the_beginning)
{
    BOOST_TEST(matches_metric("vllm:prefix", "vllm:prefix_cache_hits_total"));
    BOOST_TEST(!matches_metric("prefix", "vllm:prefix_cache_hits_total"));
    BOOST_TEST(matches_metric("*prefix*", "vllm:prefix_cache_hits_total"));
    BOOST_TEST(matches_metric("*_total", "a_total_total"));
    BOOST_TEST(!matches_metric("*_total", "a_total_x"));
    BOOST_TEST(matches_metric("a?c*", "abc"));
    BOOST_TEST(!matches_metric("a?c", "abcd"));
    BOOST_TEST(matches_metric("*", ""));
    // No pattern may take time that grows faster than the square of the name.
    BOOST_TEST(!matches_metric("*a*a*a*a*a*a*a*a*a*a*a*a*b", std::string(2000, 'a')));
}
