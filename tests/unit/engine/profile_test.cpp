// SPDX-License-Identifier: MIT
#include <slo/engine/profile.hpp>
#define BOOST_TEST_MODULE engine_profile
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::engine;

namespace {

std::string complaint(const std::string& text)
{
    try {
        read_profile(parse_json(text));
    } catch (const InputError& error) {
        return error.what();
    }
    return "none";
}

} // namespace

BOOST_AUTO_TEST_CASE(flaws_are_off_unless_given_and_read_back)
{
    const std::string step = R"("step":{"base_ms":8,"sequence_ms":0.1,"prefill_token_ms":0.05)";
    const auto sound = read_profile(parse_json("{" + step + "}}"));
    BOOST_TEST(sound.step.is_monotone());
    BOOST_TEST(sound.step.drift_per_hour == 0.0);
    BOOST_TEST(!sound.fail_above_running.has_value());
    BOOST_TEST(to_json(to_record(sound)).find("graph") == std::string::npos);
    const auto text = "{" + step +
                      R"(,"graph_from":4,"graph_to":8,"graph_factor":0.5,"drift_per_hour":0.1},)" +
                      R"("fail_above_running":0})";
    const auto sick = read_profile(parse_json(to_json(to_record(read_profile(parse_json(text))))));
    BOOST_TEST(sick.step.graph_from == 4);
    BOOST_TEST(sick.step.graph_to == 8);
    BOOST_TEST(sick.step.graph_factor == 0.5);
    BOOST_TEST(sick.step.drift_per_hour == 0.1);
    BOOST_TEST(sick.fail_above_running.value() == 0);
    BOOST_TEST(complaint("{" + step + R"(,"graph_from":4,"graph_to":3}})") ==
               "step.graph_to must be at least graph_from");
    BOOST_TEST(complaint("{" + step + R"(,"drift_per_hour":-1}})") ==
               "step.drift_per_hour must be a number from 0.0 to 100.0");
    BOOST_TEST(complaint("{" + step + R"(},"fail_above_running":-1})") ==
               "fail_above_running must be an integer from 0 to 16777216");
}

BOOST_AUTO_TEST_CASE(what_is_left_out_has_a_default)
{
    const auto profile = read_profile(parse_json(
        R"({"step":{"base_ms":8,"sequence_ms":0.12,"prefill_token_ms":0.05,"context_token_us":2},"max_num_seqs":16})"));
    BOOST_TEST(profile.step.base_s == 0.008);
    BOOST_TEST(profile.step.per_context_token_s == 2e-6);
    BOOST_TEST(profile.limits.max_num_seqs == 16);
    BOOST_TEST(profile.limits.max_num_batched_tokens == 2048);
    BOOST_TEST(profile.limits.prefix_caching);
}

BOOST_AUTO_TEST_CASE(each_mistake_is_named)
{
    const std::string step = R"("step":{"base_ms":8,"sequence_ms":0.1,"prefill_token_ms":0.05})";
    BOOST_TEST(complaint("{" + step + "}") == "none");
    BOOST_TEST(complaint("[]") == "a profile must be a JSON object");
    BOOST_TEST(complaint("{}") == "step is missing");
    BOOST_TEST(complaint(R"({"step":3})") == "step must be an object");
    BOOST_TEST(complaint(R"({"step":{"base_ms":8,"sequence_ms":0.1}})") ==
               "step.prefill_token_ms is missing");
    BOOST_TEST(complaint(R"({"step":{"base_ms":0,"sequence_ms":0.1,"prefill_token_ms":1}})") ==
               "step.base_ms must be a number from 0.001 to 60000.0");
    BOOST_TEST(complaint(R"({"step":{"base_ms":"8","sequence_ms":0.1,"prefill_token_ms":1}})") ==
               "step.base_ms must be a number from 0.001 to 60000.0");
    BOOST_TEST(complaint(R"({"step":{"base_ms":8,"sequence_ms":0.1,"prefill_token_ms":1,"base":1}})") ==
               "step.base no such field in a profile");
    BOOST_TEST(complaint("{" + step + R"(,"max_seqs":4})") == "max_seqs no such field in a profile");
    BOOST_TEST(complaint("{" + step + R"(,"max_num_seqs":0})") ==
               "max_num_seqs must be an integer from 1 to 16777216");
    BOOST_TEST(complaint("{" + step + R"(,"max_num_seqs":1.5})") ==
               "max_num_seqs must be an integer from 1 to 16777216");
    BOOST_TEST(complaint("{" + step + R"(,"prefix_caching":1})") == "prefix_caching must be true or false");
    BOOST_TEST(complaint("{" + step + R"(,"name":""})") == "name must be a text of 1 to 64 bytes");
    BOOST_TEST(complaint("{" + step + R"(,"output":{"law":"normal"}})") ==
               "output.law must be limit, fixed or lognormal");
    BOOST_TEST(complaint("{" + step + R"(,"schema":"sloutils.profile/2"})") ==
               "schema is not sloutils.profile/1");
    BOOST_TEST(complaint("{" + step + R"(,"kv_blocks":10,"max_model_len":161})") ==
               "max_model_len: 161 tokens need 11 KV blocks, and there are 10");
    BOOST_TEST(complaint("{" + step + R"(,"max_num_batched_tokens":64})") ==
               "max_num_batched_tokens: must be at least max_num_seqs, or some sequences never get a token");
}
