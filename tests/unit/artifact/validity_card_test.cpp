// SPDX-License-Identifier: MIT
#include <slo/artifact/validity_card.hpp>

#define BOOST_TEST_MODULE artifact_validity_card
#include <boost/test/unit_test.hpp>

#include "../../support/judged_artifact.hpp"

using namespace slo;
using test::put;
using Names = std::vector<std::string>;

namespace {

artifact::Findings findings_of(const json::object& root, const json::object* card)
{
    artifact::Findings findings;
    artifact::judge_by_card(artifact::Artifact(root, "a.json"), card, "", findings);
    return findings;
}

} // namespace

BOOST_AUTO_TEST_CASE(words_not_letters)
{
    for (const auto* text : {"smoke", "chat-smoke", "Smoke test", "a_smoke", "x.SMOKE!"})
        BOOST_TEST(artifact::has_word(text, "smoke"), text);
    for (const auto* text : {"presmoke", "smokeless", "smoké smokes", "smok", ""})
        BOOST_TEST(!artifact::has_word(text, "smoke"), text);
}

BOOST_AUTO_TEST_CASE(prose_is_no_smoke)
{
    const auto card = test::sound_card(); // its description speaks of smoke
    BOOST_TEST(string_at(card, "description")->find("smoke") != std::string_view::npos);
    BOOST_TEST(test::broken(findings_of(test::sound_artifact(), &card).all()).empty());
}

BOOST_AUTO_TEST_CASE(the_stricter_error_limit_counts)
{
    auto root = test::sound_artifact();
    put(root, "metrics/error_rate", "0.005");
    const auto card = test::sound_card(); // 0.01; the sidecar's is 0.001
    BOOST_TEST((test::broken(findings_of(root, &card).all()) == Names{"error-limit"}));
    put(root, "slo/targets", "{}");
    BOOST_TEST(test::broken(findings_of(root, &card).all()).empty());
    put(root, "metrics/error_rate", "0.02");
    BOOST_TEST((test::broken(findings_of(root, &card).all()) == Names{"error-limit"}));
    BOOST_TEST((test::broken(findings_of(root, nullptr).all()) == Names{"card"}));
}

BOOST_AUTO_TEST_CASE(the_card_sets_its_own_tail)
{
    auto card = test::sound_card();
    BOOST_TEST(artifact::detail::tail_limit(&card) == 5);
    BOOST_TEST(artifact::detail::tail_limit(nullptr) == 3);
    auto root = test::sound_artifact();
    put(root, "metrics/ttft_ms/p50", "4"); // p99 / p50 = 4.49
    BOOST_TEST(test::broken(findings_of(root, &card).all()).empty());
    put(card, "validation/reliability_flags", "[]");
    BOOST_TEST((test::broken(findings_of(root, &card).all()) == Names{"ttft-tail"}));
}

BOOST_AUTO_TEST_CASE(figures_of_other_load_points_are_not_asked_of_this_one)
{
    auto card = test::sound_card();
    put(card, "validation/required_metrics", R"(["e2e_p90_ms_at_10_rps","e2e_p90_ms_at_70_rps"])");
    auto root = test::sound_artifact();
    BOOST_TEST(test::broken(findings_of(root, &card).all()).empty());
    put(root, "metrics/e2e_ms/p90", "null");
    BOOST_TEST(
        (test::broken(findings_of(root, &card).all()) == Names{"required-metrics:e2e_p90_ms_at_10_rps"}));
}

BOOST_AUTO_TEST_CASE(required_configuration_is_looked_for_in_the_engine)
{
    auto card = test::sound_card();
    auto root = test::sound_artifact();
    put(card, "validation/required_config",
        R"({"enable_prefix_caching":true,"engine.name":["sglang","vllm"]})");
    BOOST_TEST(
        (test::broken(findings_of(root, &card).all()) == Names{"required-config:enable_prefix_caching"}));
    put(root, "engine/extra_args", R"({"enable-prefix-caching":true})");
    BOOST_TEST(test::broken(findings_of(root, &card).all()).empty());
}

BOOST_AUTO_TEST_CASE(content_is_the_same_however_it_is_written)
{
    const auto same = [](std::string_view a, std::string_view b) {
        return artifact::detail::is_same_content(parse_json(a), parse_json(b));
    };
    BOOST_TEST(same(R"({"mean":8,"list":[1,{"a":2}]})", R"({"list":[1.0,{"a":2.0}],"mean":8.0})"));
    BOOST_TEST(!same(R"({"mean":8})", R"({"mean":8,"std_dev":1})"));
    BOOST_TEST(!same(R"({"mean":8})", R"({"mode":8})"));
    BOOST_TEST(!same("[1,2]", "[1]"));
    BOOST_TEST(!same("[1,2]", "[2,1]"));
}

BOOST_AUTO_TEST_CASE(flags_that_cannot_be_told_are_warnings)
{
    auto card = test::sound_card();
    put(card, "validation/reliability_flags",
        R"([{"rule":"slo_met_only_below_peak","action":"flag_invalid"}])");
    const auto findings = findings_of(test::sound_artifact(), &card);
    BOOST_TEST((test::broken(findings.all()) == Names{"reliability:slo_met_only_below_peak"}));
    for (const auto& finding : findings.all()) {
        if (finding.rule == "reliability")
            BOOST_TEST((finding.need == artifact::Need::none));
    }
}
