// SPDX-License-Identifier: MIT
#include <slo/artifact/validity_artifact.hpp>

#define BOOST_TEST_MODULE artifact_validity_artifact
#include <boost/test/unit_test.hpp>

#include "../../support/judged_artifact.hpp"

using namespace slo;
using test::put;

namespace {

std::vector<std::string> broken_with(std::string_view path, std::string_view value)
{
    auto root = test::sound_artifact();
    put(root, path, value);
    artifact::Findings findings;
    artifact::judge_measurement(artifact::Artifact(root, "a.json"), findings);
    return test::broken(findings.all());
}

using Names = std::vector<std::string>;

} // namespace

// That each rule can be broken alone: validity_test.
BOOST_AUTO_TEST_CASE(bounds_are_kept_at_the_bound)
{
    BOOST_TEST(broken_with("metrics/duration_s", "7.062").empty());
    BOOST_TEST(broken_with("extensions/reconciliation/prom_success", "84").empty());
    BOOST_TEST((broken_with("extensions/reconciliation/prom_success", "84.1") ==
                Names{"reconciled", "server-side"}));
    BOOST_TEST((broken_with("extensions/reconciliation/prom_success", "75.9") ==
                Names{"reconciled", "server-side"}));
    auto root = test::sound_artifact();
    for (const auto& [count, is_enough] : {std::pair{"10", true}, std::pair{"9.0", false}}) {
        put(root, "metrics/completed", count);
        artifact::Findings findings;
        artifact::judge_measurement(artifact::Artifact(root, "a.json"), findings);
        const auto names = test::broken(findings.all());
        BOOST_TEST((std::find(names.begin(), names.end(), "completed") == names.end()) == is_enough);
    }
}

BOOST_AUTO_TEST_CASE(a_warm_up_that_the_server_alone_counts_costs_its_word_only)
{
    auto root = test::sound_artifact();
    put(root, "extensions/reconciliation/warm_up_not_listed", "20");
    put(root, "extensions/reconciliation/reconciled", "null");
    for (const auto& [count, broken] :
         {std::pair{"101", Names{"server-side"}}, std::pair{"107", Names{"reconciled", "server-side"}},
          std::pair{"70", Names{"reconciled", "server-side"}}}) {
        put(root, "extensions/reconciliation/prom_success", count);
        artifact::Findings findings;
        artifact::judge_measurement(artifact::Artifact(root, "a.json"), findings);
        BOOST_TEST((test::broken(findings.all()) == broken), count);
    }
}

BOOST_AUTO_TEST_CASE(zero_is_a_figure_where_it_can_be_one)
{
    BOOST_TEST(broken_with("metrics/failed", "0").empty());
    BOOST_TEST(broken_with("extensions/cache_stats/prefix_hit_rate", "0").empty());
    BOOST_TEST((broken_with("metrics/completed", "0") == Names{"nonzero", "agreement", "completed"}));
    // An embedding makes no token.
    auto root = test::sound_artifact();
    put(root, "metrics/total_output_tokens", "0");
    put(root, "metrics/output_toks_per_s", "0");
    artifact::Findings findings;
    artifact::judge_measurement(artifact::Artifact(root, "a.json"), findings);
    BOOST_TEST(test::broken(findings.all()).empty());
}

BOOST_AUTO_TEST_CASE(numbers_that_cannot_be_of_one_run)
{
    BOOST_TEST((broken_with("metrics/ttft_ms/p90", "1") == Names{"agreement"}));
    BOOST_TEST((broken_with("metrics/e2e_ms/p99", "174.45") == Names{}));
    BOOST_TEST((broken_with("metrics/ttft_ms/p99", "200") == Names{"agreement"}));
    BOOST_TEST((broken_with("metrics/total_output_tokens", "3000") == Names{"agreement"}));
    BOOST_TEST((broken_with("metrics/error_rate", "0.4") == Names{"agreement"}));
    BOOST_TEST((broken_with("metrics/duration_s", "-7") == Names{"schema", "nonzero"}));
}
