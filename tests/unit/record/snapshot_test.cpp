// SPDX-License-Identifier: MIT
// A scrape in memory: series in order, duplicates, types of families.

#include <slo/record/snapshot.hpp>

#define BOOST_TEST_MODULE record_snapshot
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <string>
#include <string_view>

using namespace slo::record;

BOOST_AUTO_TEST_CASE(series_are_sorted_and_their_labels_too)
{
    const auto snapshot = parse_snapshot("m{b=\"2\",a=\"1\"} 3\nc 1 1760000000500\nm{a=\"0\"} 2\n", "page");
    BOOST_TEST(snapshot.source == "page");
    BOOST_TEST_REQUIRE(snapshot.series.size() == 3U);
    BOOST_TEST(snapshot.series[0].name == "c");
    BOOST_TEST(snapshot.series[0].timestamp_s.value() == 1760000000.5);
    BOOST_TEST(snapshot.series[1].value == 2);
    const auto& last = snapshot.series[2];
    BOOST_TEST(last.labels[0].first == "a");
    BOOST_TEST(*last.label("b") == "2");
    BOOST_TEST(!last.label("c"));
}

BOOST_AUTO_TEST_CASE(of_a_series_that_stands_twice_the_latest_stays)
{
    const auto snapshot =
        parse_snapshot("m{a=\"1\",b=\"2\"} 1\nn 5 2000\nm{b=\"2\",a=\"1\"} 2\nn 6 1000\nn 7\n", "page");
    BOOST_TEST(snapshot.duplicates == 3U);
    BOOST_TEST(snapshot.report.samples == 5U);
    BOOST_TEST_REQUIRE(snapshot.series.size() == 2U);
    BOOST_TEST(snapshot.series[0].value == 2);
    BOOST_TEST(snapshot.series[1].value == 5);
}

BOOST_AUTO_TEST_CASE(the_type_of_a_sample_is_that_of_its_family)
{
    const auto snapshot = parse_snapshot("# TYPE a counter\n# TYPE b_total counter\n# TYPE c histogram\n"
                                         "# TYPE d_sum gauge\n# TYPE d summary\n# TYPE e info\n",
                                         "page");
    BOOST_TEST((snapshot.type_of("a") == PromType::counter));
    BOOST_TEST((snapshot.type_of("a_total") == PromType::counter));
    BOOST_TEST((snapshot.type_of("a_created") == PromType::counter));
    BOOST_TEST((snapshot.type_of("b_total") == PromType::counter));
    BOOST_TEST((snapshot.type_of("b") == PromType::untyped));
    for (const auto* name : {"c_bucket", "c_count", "c_sum"})
        BOOST_TEST((snapshot.type_of(name) == PromType::histogram), name);
    BOOST_TEST((snapshot.type_of("d_sum") == PromType::gauge));
    BOOST_TEST((snapshot.type_of("d_count") == PromType::summary));
    BOOST_TEST((snapshot.type_of("e_info") == PromType::info));
    BOOST_TEST((snapshot.type_of("f") == PromType::untyped));
}

BOOST_AUTO_TEST_CASE(a_filter_keeps_what_is_asked_for)
{
    const auto keep = [](std::string_view name) { return name.starts_with("vllm:"); };
    const auto snapshot =
        parse_snapshot("# TYPE vllm:a counter\n# TYPE b gauge\nvllm:a 1\nb 2\nb 3\n", "page", keep);
    BOOST_TEST(snapshot.series.size() == 1U);
    BOOST_TEST(snapshot.types.size() == 1U);
    BOOST_TEST(snapshot.report.samples == 3U);
}

BOOST_AUTO_TEST_CASE(P04_labels_are_kept_unescaped)
{
    const auto snapshot = parse_snapshot(R"(m{disk="F:\\",model_name="q\"8\" \\ new\nline"} 1)", "page");
    BOOST_TEST_REQUIRE(snapshot.series.size() == 1U);
    BOOST_TEST(*snapshot.series[0].label("disk") == "F:\\");
    BOOST_TEST(*snapshot.series[0].label("model_name") == "q\"8\" \\ new\nline");
}

BOOST_AUTO_TEST_CASE(a_nan_is_a_value)
{
    BOOST_TEST(std::isnan(parse_snapshot("m NaN", "page").series.at(0).value));
}

BOOST_AUTO_TEST_CASE(too_many_series_are_an_error)
{
    std::string text;
    for (std::size_t i = 0; i <= max_series; ++i)
        text += "m 1\n";
    BOOST_CHECK_EXCEPTION(parse_snapshot(text, "page"), slo::InputError, [](const slo::Error& error) {
        return std::string_view(error.what()) == "page: more than 2000000 series";
    });
    text.resize(4 * max_series);
    BOOST_TEST(parse_snapshot(text, "page").duplicates == max_series - 1);
}
