// SPDX-License-Identifier: MIT
#include <slo/workload/quota_spec.hpp>

#define BOOST_TEST_MODULE workload_quota_spec
#include <boost/test/unit_test.hpp>

#include "../../support/small_quota.hpp"

#include <string>

using namespace slo;

namespace {

// The small spec with one text put in place of another.
std::string refused(std::string text, const std::string& what, const std::string& by)
{
    const auto at = text.find(what);
    if (at == std::string::npos)
        return "no '" + what + "' in the spec";
    text.replace(at, what.size(), by);
    try {
        test::quota_spec(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "taken";
}

} // namespace

BOOST_AUTO_TEST_CASE(the_autoreply_shape)
{
    const auto spec = workload::read_quota_spec("examples/workloads/autoreply.yaml");
    BOOST_TEST(spec.rows() == 1000);
    std::string quotas;
    for (const auto& bucket : spec.buckets)
        quotas += std::to_string(bucket.rows) + "@" + std::to_string(bucket.target) + "<" +
                  std::to_string(bucket.below) + " ";
    BOOST_TEST(quotas == "37@850<1000 108@1500<2000 108@2500<3000 77@3250<3500 283@3740<3800 373@3900<4000 "
                         "9@4050<4096 5@6000<8000 ");
    BOOST_TEST(to_json(spec.body) == R"({"n":3,"max_tokens":50,"temperature":0.7,"top_p":0.8,)"
                                     R"("frequency_penalty":0.01,"presence_penalty":0.01})");
    BOOST_TEST(spec.prompt.budget_tokens == 3743);
    BOOST_TEST(spec.prompt.history_last == 50);
    BOOST_TEST(spec.shuffle_seed == 20260813);
    BOOST_TEST(spec.longest_run == 10);
    BOOST_TEST(spec.first_ts == 1755000000);
    BOOST_TEST(spec.id(7) == "ar-dist-0007");
    BOOST_TEST(spec.id(12345) == "ar-dist-12345");
    BOOST_TEST(spec.n() == 3);
    BOOST_TEST(spec.answer_tokens() == 50);
    BOOST_TEST(spec.prompt.entries[1].every == 5);
}

BOOST_AUTO_TEST_CASE(the_boundary_set)
{
    const auto spec = workload::read_quota_spec("examples/workloads/autoreply-boundary.yaml");
    BOOST_TEST(spec.rows() == 310);
    std::string categories;
    for (const auto& category : spec.categories)
        categories += category.name + " " + std::to_string(category.rows) + "@" +
                      std::to_string(category.target) + "\n";
    BOOST_TEST(categories ==
               "trim_edge_3743 40@3743\nfixed_prompt_4k_6k 35@5000\nfixed_prompt_6k_8k 35@7000\n"
               "extreme_8k 30@8120\nlong_personality_short_history 30@4600\nhistory_50 30@3500\n"
               "history_51_v4_async 30@3600\nconsecutive_same_role 25@3000\n"
               "long_single_message 25@3740\nmultilingual 30@3300\n");
    BOOST_TEST(spec.categories[0].promise.local_tokens->low == 3720);
    BOOST_TEST(spec.categories[0].promise.local_tokens->high == 3743);
    BOOST_TEST(spec.categories[3].promise.prompt_tokens->low == 8100);
    BOOST_TEST(spec.categories[3].promise.prompt_tokens->high == 8142);
}

BOOST_AUTO_TEST_CASE(json_says_the_same)
{
    const auto document = config::parse_document(test::small_quota_text(), "spec.yaml");
    const auto again =
        workload::parse_quota_spec(config::parse_document(to_json(document), "spec.json"), "x");
    BOOST_TEST(again.rows() == 12);
    BOOST_TEST(again.buckets[2].from == 200);
    BOOST_TEST(again.prompt.padding[0] == " context");
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_named)
{
    const auto quota = test::small_quota_text();
    BOOST_TEST(refused(quota, "kind: quota", "kind: quotas") ==
               "spec.yaml: kind: is neither quota nor boundary");
    BOOST_TEST(refused(quota, "target: 180", "traget: 180") ==
               "spec.yaml: buckets[1].target: is missing, but there is traget");
    BOOST_TEST(refused(quota, "target: 180", "target: 180, targte: 1") ==
               "spec.yaml: buckets[1].targte: is unknown; did you mean target?");
    BOOST_TEST(refused(quota, "target: 180", "target: 200") ==
               "spec.yaml: buckets[1].target: is no whole number from 120 to 199");
    BOOST_TEST(refused(quota, "below: 200", "below: 120") ==
               "spec.yaml: buckets[1].below: is no whole number from 121 to 100000000");
    BOOST_TEST(refused(quota, "name: mid", "name: short") == "spec.yaml: buckets[1].name: stands twice");
    BOOST_TEST(refused(quota, "max_model_len: 1000", "max_model_len: 199") ==
               "spec.yaml: buckets[1].target: 180 tokens and an answer of 20 are more than "
               "context.max_model_len");
    BOOST_TEST(refused(quota, "ids: q-NNN", "ids: q-") ==
               "spec.yaml: ids: does not end in 1 to 18 N, the places of the row's number");
    BOOST_TEST(refused(quota, "body: {n: 3", "body: {messages: [], n: 3") ==
               "spec.yaml: body: has a messages, which the pool gives");
    BOOST_TEST(refused(quota, "body: {n: 3", "body: {n: 0") ==
               "spec.yaml: body: n is no whole number above 0");
    BOOST_TEST(refused(quota, "shuffle_seed", "seed") == "spec.yaml: order.seed: is unknown");
    BOOST_TEST(refused(quota, "name: small", "name: small\nordr: 1") ==
               "spec.yaml: ordr: is unknown; did you mean order?");
}

BOOST_AUTO_TEST_CASE(what_is_wrong_in_a_boundary_set)
{
    const auto boundary = test::small_boundary_text();
    BOOST_TEST(refused(boundary, "entry: direct", "entry: other") ==
               "spec.yaml: categories[2].entry: is not among prompt.entries");
    BOOST_TEST(refused(boundary, "target: 300", "target: 400") ==
               "spec.yaml: categories[2].target: is in no bucket");
    BOOST_TEST(refused(boundary, "name: foreign", "name: edge") ==
               "spec.yaml: categories[1].name: stands twice");
    BOOST_TEST(refused(boundary, "below: 120", "below: 120, rows: 3") ==
               "spec.yaml: buckets[0].rows: is unknown");
    BOOST_TEST(refused(boundary, "kind: boundary", "kind: quota").starts_with("spec.yaml: buckets[0].rows"));
}
