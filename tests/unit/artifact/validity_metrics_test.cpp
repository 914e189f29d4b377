// SPDX-License-Identifier: MIT
#include <slo/artifact/validity_metrics.hpp>

#define BOOST_TEST_MODULE artifact_validity_metrics
#include <boost/test/unit_test.hpp>

#include <slo/io/jsonl.hpp>

using namespace slo;
using artifact::Evidence;

namespace {

artifact::Artifact artifact_of(std::string_view text)
{
    return artifact::parse_artifact(text, "a.json");
}

Evidence evidence(std::string_view artifact, std::string_view metric)
{
    return artifact::metric_evidence(artifact_of(artifact), metric);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_card_requires_metrics_in_any_block)
{
    const auto card = parse_json(R"({"validation":{"required_metrics":["b","a"]},"extensions":{)"
                                 R"("cache_stats":{"a":"required","c":"Required","d":"optional"},)"
                                 R"("power":{"tokens_per_joule":"required"},)"
                                 R"("dcgm":{"required_gauges":["DCGM_FI_DEV_GPU_UTIL"]},"note":"x"}})");
    const auto names = artifact::required_metrics(card.get_object());
    const std::set<std::string> expected{"a", "b", "c", "dcgm.DCGM_FI_DEV_GPU_UTIL",
                                         "power.tokens_per_joule"};
    BOOST_TEST(names == expected, boost::test_tools::per_element());
    BOOST_TEST(artifact::required_metrics({}).empty());
}

BOOST_AUTO_TEST_CASE(metrics_are_found_by_any_of_their_names)
{
    BOOST_TEST((evidence(R"({"extensions":{"cache_stats":{"kv_cache_usage_pct_mean":0}}})",
                         "kv_utilization_pct") == Evidence::declared));
    BOOST_TEST((evidence(R"({"extensions":{"cache_stats":{"kv_cache_usage_pct_mean":1},)"
                         R"("sloutils":{"origin":{"extensions.cache_stats":"server"}}}})",
                         "kv_utilization_pct") == Evidence::measured));
    BOOST_TEST((evidence(R"({"extensions":{"per_turn_ttft_distribution":{"t1":1}}})",
                         "per_turn_ttft_distribution") == Evidence::declared));
    BOOST_TEST((evidence(R"({"extensions":{"rag":{"context_size_distribution":{"p50":1}}}})",
                         "rag.context_size_distribution") == Evidence::declared));
    BOOST_TEST(
        (evidence(R"({"power":{"idle_power_watts":70}})", "power.idle_power_watts") == Evidence::declared));
    BOOST_TEST((evidence(R"({"extensions":{"gpu_telemetry":{"temp_c_max":70}}})",
                         "dcgm.DCGM_FI_DEV_GPU_TEMP") == Evidence::declared));
    BOOST_TEST(
        (evidence(R"({"metrics":{"ttft_ms":{"p50":1,"p99":2}}})", "ttft_p50_p99") == Evidence::declared));
    BOOST_TEST(
        (evidence(R"({"metrics":{"ttft_ms":{"p50":1,"p99":null}}})", "ttft_p50_p99") == Evidence::absent));
}

BOOST_AUTO_TEST_CASE(what_the_card_says_of_its_data_is_never_a_measurement)
{
    const auto* card =
        R"({"workload":{"dataset":{"observed_distribution":{"input_tokens":{"p50":1,"p99":2}}}}})";
    BOOST_TEST((evidence(card, "input_length_p50_p99") == Evidence::absent));
    BOOST_TEST(
        (evidence(card, "workload.dataset.observed_distribution.input_tokens.p50") == Evidence::absent));
}

BOOST_AUTO_TEST_CASE(every_metric_of_the_standard_cards_has_a_place)
{
    for (const auto* name :
         {"eviction_rate", "kv_utilization_timeseries", "aggregate_prefix_hit_rate", "error_rate",
          "output_toks_per_s", "tpot_or_itl_p50_p99", "ttft_p50_p99", "sustained_rps_at_slo",
          "real_vs_synthetic_split", "flops_per_token_per_tier", "kv_cache_usage_perc_per_tier",
          "per_tier_completion", "ttft_cold_vs_warm_ratio"}) {
        bool found = false;
        artifact::detail::each_way(name, [&](std::string_view paths) { found = found || !paths.empty(); });
        BOOST_TEST(found, name);
    }
}

BOOST_AUTO_TEST_CASE(metrics_of_one_load_point)
{
    const auto rate = artifact::point_metric("e2e_p90_ms_at_70_rps").value();
    BOOST_TEST(rate.path == "metrics.e2e_ms.p90");
    BOOST_TEST(rate.load == 70);
    BOOST_TEST(rate.is_rate);
    BOOST_TEST(!artifact::point_metric("e2e_p50_ms_at_130_concurrent").value().is_rate);
    for (const auto* name :
         {"e2e_p90_ms", "e2e_p90_ms_at_x_rps", "e2e_p90_ms_at_70_apples", "_ms_at_1_rps", "a_ms_at_1"})
        BOOST_TEST(!artifact::point_metric(name).has_value(), name);
}

BOOST_AUTO_TEST_CASE(the_first_number_of_a_metric)
{
    const auto one = artifact_of(R"({"extensions":{"cache_stats":{"prefix_cache_hit_rate":0.4}}})");
    BOOST_TEST(artifact::metric_number(one, "prefix_hit_rate").value() == 0.4);
    BOOST_TEST(!artifact::metric_number(one, "kv_utilization_pct").has_value());
}
