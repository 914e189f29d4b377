#include <slo/run/promql.hpp>

#define BOOST_TEST_MODULE run_promql
#include <boost/test/unit_test.hpp>

using namespace slo;

namespace {

run::PromqlPages pages(const std::string& result, double time_s, bool is_first)
{
    net::Scrape answer;
    answer.body = R"({"status":"success","data":{"resultType":"matrix","result":[)" + result + "]}}";
    run::PromqlOptions options;
    options.url = "http://p:9090";
    return pages_of_answer(answer, options, {time_s, is_first});
}

const char* const two_scrapes =
    R"({"metric":{"__name__":"vllm:a","instance":"h:1","job":"j","le":"0.5"},"values":[[1.5,"1"],[2.5,"2"]]},
       {"metric":{"__name__":"vllm:gone","instance":"h:1","job":"j"},"values":[[1.5,"3"]]},
       {"metric":{"__name__":"vllm:new","instance":"h:1","job":"j"},"values":[[2.5,"4"]]},
       {"metric":{"__name__":"vllm:a","instance":"h:2","job":"j"},"values":[[2.75,"5"]]})";

} // namespace

BOOST_AUTO_TEST_CASE(a_page_is_what_one_scrape_of_one_target_brought)
{
    const auto last = pages(two_scrapes, 3, false);
    BOOST_REQUIRE(last.targets.size() == 2U);
    BOOST_TEST(last.targets[0].url == "http://p:9090/?job=j&instance=h%3A1");
    BOOST_TEST(last.scrapes[0].body == "vllm:a{le=\"0.5\"} 2\nvllm:new 4\n");
    BOOST_TEST(last.scrapes[0].time_s == 2.5);
    BOOST_TEST(last.scrapes[1].body == "vllm:a 5\n");

    const auto first = pages(two_scrapes, 1.25, true);
    BOOST_TEST(first.scrapes[0].body == "vllm:a{le=\"0.5\"} 1\nvllm:gone 3\n");
    BOOST_TEST(pages(two_scrapes, 2.6, true).targets.size() == 1U);
    BOOST_TEST(pages("", 3, false).targets.empty());
}

BOOST_AUTO_TEST_CASE(what_is_no_series_is_an_error)
{
    for (const char* series :
         {"7", "{}", R"({"metric":{"__name__":"a b"},"values":[]})",
          R"({"metric":{"__name__":"a","l:m":"x"},"values":[]})",
          R"({"metric":{"__name__":"a","l":1},"values":[]})", R"({"metric":{"__name__":"a"},"values":[[1]]})",
          R"({"metric":{"__name__":"a"},"values":[["1","2"]]})",
          R"({"metric":{"__name__":"a"},"values":[[1,2]]})",
          R"({"metric":{"__name__":"a"},"values":[[1,""]]})",
          R"({"metric":{"__name__":"a"},"values":[[1,"2\n3"]]})"})
        BOOST_CHECK_THROW(pages(series, 3, false), Error);
}

BOOST_AUTO_TEST_CASE(the_query_is_a_range_that_ends_behind_the_first_scrape_or_at_the_last)
{
    run::PromqlOptions options;
    options.url = "http://p:9090/prefix/";
    options.match = "{job=\"a b\"}";
    options.lookback_s = 2.5;
    BOOST_TEST(run::detail::promql_query_url(options, {100, false}) ==
               "http://p:9090/prefix/api/v1/query?query=%7Bjob%3D%22a%20b%22%7D%5B2500ms%5D&time=100.000");
    BOOST_TEST(run::detail::promql_query_url(options, {100, true}).ends_with("&time=102.500"));
    BOOST_TEST(run::detail::parse_promql_time("2026-05-01T10:00:00Z", "--not-after") == 1777629600.0);
    for (const char* text : {"", "now", "-1", "1e12", "nan"})
        BOOST_CHECK_THROW(run::detail::parse_promql_time(text, "--not-after"), UsageError);
}
