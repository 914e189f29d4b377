// SPDX-License-Identifier: MIT
// Unit test of record/probe_evidence.hpp: what verdicts say of their certainty, and records keep.

#include <slo/record/probe_evidence.hpp>

#define BOOST_TEST_MODULE record_probe_evidence
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::record;

namespace {

ProbeEvidence evidence(const std::string& text)
{
    return read_evidence(parse_json(text).as_object());
}

std::string objectives(std::size_t count)
{
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
        text += std::string(i ? "," : "") + R"({"objective":"o","margin":1,"margin_error":1})";
    return R"({"objectives":[)" + text + "]}";
}

} // namespace

BOOST_AUTO_TEST_CASE(it_survives_the_way_through_a_record)
{
    ProbeEvidence told;
    told.margins = {{"e2e:p50<4", -0.1, 0.05}, {"ttft:p99<1", 1.0 / 3, 1e-9}};
    told.rounds = 20;
    told.confidence = 0.95;
    told.looks = {12, 20, 32};
    told.seed = 18446744073709551615u;
    json::object record;
    add_evidence(record, told);
    const auto text = to_json(record);
    BOOST_TEST(text ==
               R"({"confidence":0.95,"margins":[{"objective":"e2e:p50<4","margin":-0.1,"margin_error":0.05},)"
               R"({"objective":"ttft:p99<1","margin":0.3333333333333333,"margin_error":1e-09}],)"
               R"("rounds":20.0,"looks":[12,20,32],"seed":18446744073709551615})");
    json::object again;
    add_evidence(again, evidence(text));
    BOOST_TEST(to_json(again) == text);
    json::object nothing;
    add_evidence(nothing, {});
    BOOST_TEST(nothing.empty());
}

BOOST_AUTO_TEST_CASE(a_verdict_says_it_in_its_own_words)
{
    const auto told =
        evidence(R"({"rounds_seen":14,"certainty":{"level":0.9},"confidence":null,"slo_s":6.5,)"
                 R"("objectives":[{"objective":"e2e:p50<4","margin":0.5,"margin_error":0.25}]})");
    BOOST_TEST(*told.rounds == 14);
    BOOST_TEST(*told.confidence == 0.9);
    BOOST_TEST(!told.interval);
    BOOST_TEST(*told.judged_slo_s == 6.5);
    BOOST_TEST(told.margins.at(0).objective == "e2e:p50<4");
    const auto mean = evidence(R"({"confidence":{"level":0.95,"low_s":4,"high_s":5}})");
    BOOST_TEST(!mean.confidence);
    BOOST_TEST(mean.interval->high_s == 5);
}

BOOST_AUTO_TEST_CASE(what_is_out_of_range_is_absent)
{
    BOOST_TEST(!evidence(R"({"confidence":1})").confidence);
    BOOST_TEST(!evidence(R"({"confidence":0})").confidence);
    BOOST_TEST(!evidence(R"({"confidence":"0.9"})").confidence);
    BOOST_TEST(!evidence(R"({"confidence":0.95,"certainty":{"level":7}})").confidence);
    BOOST_TEST(!evidence(R"({"confidence":{"level":0.95,"low_s":5,"high_s":4}})").interval);
    BOOST_TEST(!evidence(R"({"confidence":{"level":0.95,"low_s":5}})").interval);
    BOOST_TEST(!evidence(R"({"rounds_seen":-1})").rounds);
    BOOST_TEST(!evidence(R"({"slo_s":0})").judged_slo_s);
    BOOST_TEST(!evidence(R"({"seed":1.5})").seed);
    BOOST_TEST(evidence(R"({"looks":[1,"2",3.5,4]})").looks.size() == 2u);
    BOOST_TEST(evidence(R"({"margins":{}, "objectives":7})").margins.empty());
}

BOOST_AUTO_TEST_CASE(more_objectives_than_a_search_can_take_are_counted_only)
{
    BOOST_TEST(evidence(objectives(64)).margins.size() == 64u);
    const auto many = evidence(objectives(65));
    BOOST_TEST(many.margins.empty());
    BOOST_TEST(many.too_many_objectives == 65u);
}

BOOST_AUTO_TEST_CASE(shares_for_people_have_no_more_digits_than_they_need)
{
    BOOST_TEST(percent_text(0.95) == "95 %");
    BOOST_TEST(percent_text(0.999) == "99.9 %");
    BOOST_TEST(percent_text(0.5) == "50 %");
    BOOST_TEST(percent_text(0.999999) == "99.9999 %");
    BOOST_TEST(percent_text(0.1) == "10 %");
}
