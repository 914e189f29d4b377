// SPDX-License-Identifier: MIT
#include <slo/run/snapshot_samples.hpp>

#define BOOST_TEST_MODULE run_snapshot_samples
#include <boost/test/unit_test.hpp>

#include <slo/run/snapshot_options.hpp>

#include <limits>

namespace {
using namespace slo;

net::Scrape page(std::string body)
{
    net::Scrape scrape;
    scrape.body = std::move(body);
    return scrape;
}

BOOST_AUTO_TEST_CASE(names_match_whole_or_by_a_star)
{
    const run::SampledMetrics some({"a", "b*"});
    BOOST_TEST(some.contains("a"));
    BOOST_TEST(!some.contains("ab"));
    BOOST_TEST(some.contains("b"));
    BOOST_TEST(some.contains("bc"));
    BOOST_TEST(run::SampledMetrics({}).contains("vllm:kv_cache_usage_perc"));
    BOOST_TEST(run::SampledMetrics({}).contains("DCGM_FI_DEV_POWER_USAGE"));
    BOOST_TEST(!run::SampledMetrics({}).contains("vllm:prompt_tokens_total"));
}

BOOST_AUTO_TEST_CASE(a_record_holds_the_chosen_values_and_counts_what_is_too_much)
{
    const auto record = run::sample_record({"http://u@h/m", ""}, page("a 1\nb{x=\"y\"} Inf\nc 2\n"),
                                           run::SampledMetrics({"a", "b"}));
    BOOST_TEST(to_json(record) == R"({"schema":"sloutils.snapshot/1","time":"1970-01-01T00:00:00.000Z",)"
                                  R"("source":"http://h/m","duration_s":0.0,)"
                                  R"("values":{"a":1.0,"b{x=\"y\"}":null}})");
    std::string many;
    for (int i = 0; i < 5000; ++i)
        many += "a{i=\"" + std::to_string(i) + "\"} 1\n";
    const auto cut = run::sample_record({"http://h", ""}, page(many), run::SampledMetrics({"a"}));
    BOOST_TEST(object_at(cut, "values")->size() == 4096U);
    BOOST_TEST(*integer_at(cut, "values_left_out") == 904);
}

BOOST_AUTO_TEST_CASE(a_key_reads_back_as_the_same_series)
{
    struct Sink {
        std::string key;
        void sample(const wire::PromSample& s) { key = run::series_key(s); }
    } first, second;
    wire::parse_prom(R"(m{a="x\\\"\n}, b",c="ä"} 1)", first);
    BOOST_TEST(first.key == R"(m{a="x\\\"\n}, b",c="ä"})");
    wire::parse_prom(first.key + " 2", second);
    BOOST_TEST(second.key == first.key);
}

BOOST_AUTO_TEST_CASE(sampling_ends_at_its_count_or_at_the_end_of_a_file)
{
    net::Scraper scraper{net::ScrapeOptions{}};
    int records = 0;
    const auto count_only =
        run::sample_at_interval(scraper, {{"http://127.0.0.1:1/", ""}}, run::SampledMetrics({}),
                                {0.01, 3, -1}, -1, [&](const json::object& record) {
                                    ++records;
                                    BOOST_TEST(string_at(record, "error").has_value());
                                });
    BOOST_TEST(records == 3);
    BOOST_TEST(count_only.failed == 3U);
    run::SnapshotOptions options;
    options.every_s = 0.01;
    options.count = 1;
    BOOST_CHECK_THROW(
        run::sample(options, scraper, {{"http://127.0.0.1:1/", ""}}, -1, [](const json::object&) {}), Error);
    int ends[2];
    BOOST_REQUIRE(::pipe(ends) == 0);
    ::close(ends[1]);
    const auto one = run::sample_at_interval(scraper, {{"http://127.0.0.1:1/", ""}}, run::SampledMetrics({}),
                                             {1000, {}, ends[0]}, -1, [](const json::object&) {});
    ::close(ends[0]);
    BOOST_TEST(one.failed == 1U);
    BOOST_TEST(!one.interrupted);
}

BOOST_AUTO_TEST_CASE(options_make_sense_together)
{
    run::SnapshotOptions options;
    options.urls = {"http://h/m"};
    BOOST_TEST(run::checked_targets(options).size() == 1U);
    auto bad = options;
    bad.every_s = 1;
    BOOST_CHECK_THROW(run::checked_targets(bad), UsageError);
    bad.until_eof = true;
    BOOST_TEST(run::checked_targets(bad).size() == 1U);
    BOOST_TEST(run::sampling_plan(bad).eof_fd == 0);
    bad.every_s = std::numeric_limits<double>::infinity();
    BOOST_CHECK_THROW(run::checked_targets(bad), UsageError);
}
} // namespace
