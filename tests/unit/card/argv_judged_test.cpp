#include <slo/card/argv_judged.hpp>

#define BOOST_TEST_MODULE card_argv_judged
#include <boost/test/unit_test.hpp>

#include <slo/base/json_parse.hpp>
#include <slo/stats/objective.hpp>

#include <string>
#include <vector>

using namespace slo;

namespace {

card::CardView view(std::string_view slo)
{
    return card::CardView(parse_json("{\"slo\":" + std::string(slo) + "}").as_object());
}

} // namespace

BOOST_AUTO_TEST_CASE(goodput_is_of_p99_limits_cut_to_whole_milliseconds)
{
    auto card = view(R"({"e2e_p99_ms":5000,"ttft_p99_ms":299.9,"tpot_p99_ms":0,"ttft_p50_ms":1})");
    BOOST_TEST(card::goodput_argv(card, card::Tool::vllm) ==
                   (card::Argv{"--goodput", "ttft:299", "tpot:0", "e2el:5000"}),
               boost::test_tools::per_element());
    const auto lost = card.not_expressed([](std::string_view) { return ""; });
    BOOST_TEST_REQUIRE(lost.size() == 2U);
    BOOST_TEST(lost.front().key == "slo.ttft_p99_ms");
    BOOST_TEST(lost.front().reason == "--goodput is given whole milliseconds: ttft:299");
    BOOST_TEST(card::goodput_argv(card, card::Tool::sglang).empty());
    auto none = view(R"({"error_rate_max":0.001,"ttft_p99_ms":null})");
    BOOST_TEST(card::goodput_argv(none, card::Tool::vllm).empty());
}

BOOST_AUTO_TEST_CASE(replay_gets_objectives_that_it_can_read)
{
    auto card =
        view(R"({"ttft_p99_ms":300,"p99_ttft_ms":300,"tpot_p50_ms":30.5,"e2e_p90_ms":2000,"e2e_p95_ms":0,)"
             R"("error_rate_max":0.001,"itl_p95_ms":50})");
    const auto argv = card::objective_argv(card, true);
    const card::Argv expected{"--objective", "ttft:p99<300ms", "--objective", "tpot:p50<30.5ms",
                              "--objective", "e2e:p90<2000ms", "--objective", "success>=99.9%"};
    BOOST_TEST(argv == expected, boost::test_tools::per_element());
    for (std::size_t i = 1; i < argv.size(); i += 2)
        stats::parse_objective(argv[i]);
    // What was not taken remains to be told: the same limit again, one of 0, and ITL.
    BOOST_TEST(card.not_expressed([](std::string_view) { return ""; }).size() == 3U);
}

BOOST_AUTO_TEST_CASE(whole_answers_have_no_limits_for_tokens)
{
    auto card = view(R"({"ttft_p99_ms":300,"e2e_p99_ms":2000})");
    BOOST_TEST(card::objective_argv(card, false) == (card::Argv{"--objective", "e2e:p99<2000ms"}),
               boost::test_tools::per_element());
}
