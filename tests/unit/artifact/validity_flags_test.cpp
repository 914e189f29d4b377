// SPDX-License-Identifier: MIT
#include <slo/artifact/validity_flags.hpp>

#define BOOST_TEST_MODULE artifact_validity_flags
#include <boost/test/unit_test.hpp>

using namespace slo;

namespace {

std::string result(std::string_view rule, std::string_view artifact, std::string_view card = "{}")
{
    const auto document = parse_json(card);
    const auto found =
        artifact::flag_result(artifact::parse_artifact(artifact, "a"), document.get_object(), rule);
    return found ? (found->applies ? "applies: " : "no: ") + found->seen + "; " + found->expected : "unknown";
}

} // namespace

BOOST_AUTO_TEST_CASE(thresholds)
{
    const auto* hits = R"({"extensions":{"cache_stats":{"prefix_hit_rate":0.3}}})";
    const auto* card = R"({"dataset":{"approx_prefix_reuse_ceiling":0.3}})";
    BOOST_TEST(result("prefix_hit_rate_gt_corpus_ceiling", hits, card) == "no: 0.3000; at most 0.3");
    BOOST_TEST(result("prefix_hit_rate_gt_corpus_ceiling", hits,
                      R"({"dataset":{"approx_prefix_reuse_ceiling":0.29}})") ==
               "applies: 0.3000; at most 0.29");
    BOOST_TEST(result("prefix_hit_rate_gt_corpus_ceiling", hits) == "unknown");
    BOOST_TEST(result("prefix_cache_hit_rate_lt_0.05", hits) == "no: 0.3000; at least 0.05");
    BOOST_TEST(result("prefix_cache_hit_rate_lt_0.05",
                      R"({"extensions":{"cache_stats":{"prefix_cache_hit_rate":0.01}}})") ==
               "applies: 0.0100; at least 0.05");
    BOOST_TEST(result("ttft_cold_vs_warm_ratio_lt_2",
                      R"({"extensions":{"cache_stats":{"ttft_cold_warm_ratio":1.5}}})") ==
               "applies: 1.5000; at least 2");
    BOOST_TEST(result("p99_p50_ttft_ratio_gt_5", R"({"metrics":{"ttft_ms":{"p50":10,"p99":51}}})") ==
               "applies: 5.1000; at most 5");
    BOOST_TEST(result("p99_p50_ttft_ratio_gt_5", R"({"metrics":{"ttft_ms":{"p50":0,"p99":51}}})") ==
               "unknown");
    for (const auto* rule : {"nonsense", "prefix_hit_rate_gt_", "slo_met_only_below_peak"})
        BOOST_TEST(result(rule, hits) == "unknown", rule);
}

BOOST_AUTO_TEST_CASE(lengths_that_drift)
{
    const auto* card = R"({"dataset":{"input_tokens":{"p50":100,"mean":500},"output_tokens":20}})";
    const auto with = [](std::string_view in, std::string_view out) {
        return R"({"extensions":{"distribution":{"input_tokens":{"p50":)" + std::string(in) +
               R"(},"output_tokens":{"p50":)" + std::string(out) + "}}}}";
    };
    BOOST_TEST(result("synthetic_isl_distribution_drift", with("125", "20"), card).starts_with("no: "));
    BOOST_TEST(result("synthetic_isl_distribution_drift", with("74", "20"), card) ==
               "applies: p50 of 74 tokens; within 25 % of 100");
    BOOST_TEST(result("output_len_exceeds_telemetry", with("100", "1"), card).starts_with("no: "));
    BOOST_TEST(result("output_len_exceeds_telemetry", with("100", "26"), card).starts_with("applies: "));
    BOOST_TEST(result("degenerate_output_tokens", with("100", "1"), card).starts_with("applies: "));
    BOOST_TEST(result("degenerate_output_tokens", "{}", card) == "unknown");
}

BOOST_AUTO_TEST_CASE(tiers_of_context)
{
    const auto tiers = [](std::string_view text) {
        return R"({"extensions":{"tiers":)" + std::string(text) + "}}";
    };
    BOOST_TEST(
        result("kv_growth_superlinear", tiers(R"({"kv_cache_usage_perc_per_tier":{"64k":5,"1m":96}})")) ==
        "no: grown 19.2 times; at most 19.2 times");
    BOOST_TEST(result("kv_growth_superlinear", tiers(R"({"kv_cache_usage_perc_per_tier":{"64k":4,"1m":96}})"))
                   .starts_with("applies: "));
    BOOST_TEST(result("kv_growth_superlinear",
                      tiers(R"({"kv_cache_usage_perc_per_tier":{"64k":4,"big":96}})")) == "unknown");
    BOOST_TEST(result("oom_at_any_tier",
                      tiers(R"({"per_tier_completion":{"64k":{"oom":false},"1m":{"oom":true}}})")) ==
               "applies: out of memory at 1m; no tier out of memory");
    BOOST_TEST(result("oom_at_any_tier", "{}") == "unknown");
}

BOOST_AUTO_TEST_CASE(actions_and_their_cost)
{
    BOOST_TEST((artifact::need_of_action("flag_invalid_cache_inflation") == artifact::Need::every_class));
    BOOST_TEST((artifact::need_of_action("flag_unreliable") == artifact::Need::production));
    BOOST_TEST((artifact::need_of_action("flag_unrealistic") == artifact::Need::production));
    BOOST_TEST((artifact::need_of_action("highlight_capacity_gap") == artifact::Need::none));
}
