// SPDX-License-Identifier: MIT
#include <slo/stats/objective.hpp>
#define BOOST_TEST_MODULE stats_objective
#include <boost/test/unit_test.hpp>

#include <slo/base/random.hpp>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

using namespace slo;
using namespace slo::stats;

namespace {

std::string canonical(const std::string& text)
{
    return to_text(parse_objective(text));
}

std::string complaint(const std::string& text)
{
    try {
        parse_objective(text);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "none";
}

std::string answer(const std::string& objective, const Measured& request)
{
    const auto met = meets(parse_objective(objective), request);
    return !met ? "no say" : *met ? "met" : "not met";
}

} // namespace

BOOST_AUTO_TEST_CASE(objectives_are_read_and_written)
{
    BOOST_TEST(canonical("e2e:p50<6.5") == "e2e:p50<6.5");
    BOOST_TEST(canonical(" ttft : p99.9 < 2 ") == "ttft:p99.9<2");
    BOOST_TEST(canonical("TPOT:P90<50 MS") == "tpot:p90<0.05");
    BOOST_TEST(canonical("ttft:p99<800ms") == "ttft:p99<0.8");
    BOOST_TEST(canonical("ttft:p99.0<0.8s") == "ttft:p99<0.8");
    BOOST_TEST(canonical("success >= 99 %") == "success>=99%");
    BOOST_TEST(canonical("Success>99.5%") == "success>=99.5%");
    BOOST_TEST(canonical("goodput(tpot<50ms, ttft<1)>95%") == "goodput(ttft<1,tpot<0.05)>=95%");
    BOOST_TEST(canonical("e2e:p9.99e1<6500e-3") == "e2e:p99.9<6.5");
    BOOST_TEST(canonical(" goodput ( e2e < 6.5 ) >= 90% ") == "goodput(e2e<6.5)>=90%");
}

BOOST_AUTO_TEST_CASE(an_objective_holds_what_its_text_says)
{
    const auto percentile = parse_objective("ttft:p99.9<800ms");
    BOOST_TEST((percentile.kind == Objective::Kind::percentile));
    BOOST_TEST(percentile.share == 0.999);
    BOOST_REQUIRE(percentile.limits.size() == 1U);
    BOOST_TEST((percentile.limits[0].metric == LatencyMetric::ttft));
    BOOST_TEST(percentile.limits[0].seconds == 0.8);
    const auto success = parse_objective("success>=99%");
    BOOST_TEST((success.kind == Objective::Kind::success));
    BOOST_TEST(success.share == 0.99);
    BOOST_TEST(success.limits.empty());
    const auto goodput = parse_objective("goodput(tpot<0.05,e2e<6)>=95%");
    BOOST_TEST((goodput.kind == Objective::Kind::goodput));
    BOOST_REQUIRE(goodput.limits.size() == 2U);
    BOOST_TEST((goodput.limits[0].metric == LatencyMetric::e2e));
    BOOST_TEST((goodput.limits[1].metric == LatencyMetric::tpot));
}

BOOST_AUTO_TEST_CASE(anything_else_is_refused_with_its_reason)
{
    const std::string forms =
        "is not of the form e2e:p50<6.5, success>=99% or goodput(ttft<1,tpot<0.05)>=95%";
    BOOST_TEST(complaint("6.5") == "objective '6.5': " + forms);
    BOOST_TEST(complaint("") == "objective '': " + forms);
    BOOST_TEST(complaint("p99<2") == "objective 'p99<2': " + forms);
    BOOST_TEST(complaint("e2e<6:p50") == "objective 'e2e<6:p50': is not of the form e2e:p50<6.5");
    BOOST_TEST(complaint("itl:p50<6") == "objective 'itl:p50<6': the metric must be e2e, ttft or tpot");
    BOOST_TEST(complaint("tfft:p50<6").ends_with("the metric must be e2e, ttft or tpot; did you mean ttft?"));
    for (const auto rank : {"50", "p", "p0", "p100", "pnan", "p1e-330", "p-5", "p50%"})
        BOOST_TEST(complaint("e2e:" + std::string(rank) + "<6").ends_with("above p0 and below p100"), rank);
    for (const auto limit : {"", "0", "-1", "inf", "6.5 m", "=6.5", "s", "1e-324ms", "6 6"})
        BOOST_TEST(complaint("e2e:p50<" + std::string(limit)).ends_with("(or of ms: 800ms)"), limit);
    BOOST_TEST(complaint("success>=99").ends_with("a number of percent, such as 99%"));
    BOOST_TEST(complaint("success=99%").ends_with("must follow '>=', such as >=99%"));
    BOOST_TEST(complaint("success").ends_with("must follow '>=', such as >=99%"));
    for (const auto share : {"0", "100", "101", "-1", "x", ""})
        BOOST_TEST(complaint("success>=" + std::string(share) + "%").ends_with("above 0% and below 100%"),
                   share);
    BOOST_TEST(complaint("goodput>=95%").ends_with("form goodput(ttft<1,tpot<0.05)>=95%"));
    BOOST_TEST(complaint("goodput()>=95%").ends_with("a limit of goodput is not of the form ttft<1"));
    BOOST_TEST(complaint("goodput(ttft<1,)>=95%").ends_with("a limit of goodput is not of the form ttft<1"));
    BOOST_TEST(complaint("goodput(ttft<1,TTFT<2)>=95%").ends_with("limits ttft twice"));
    BOOST_TEST(complaint("goodput(ttft<1)>=95% x").ends_with("a number of percent, such as 99%"));
    BOOST_TEST(complaint("goodput(ttft<1>=95%").ends_with("form goodput(ttft<1,tpot<0.05)>=95%"));
}

BOOST_AUTO_TEST_CASE(a_long_or_binary_text_is_shown_shortened)
{
    const auto reason = complaint(std::string(100000, 'x') + "\n\x01");
    BOOST_TEST(reason.size() < 300U);
    BOOST_TEST(reason.find('\n') == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_request_meets_strictly_and_a_failed_one_never)
{
    const Measured good{true, 6.0, 0.5, 0.04};
    BOOST_TEST(answer("e2e:p50<6.5", good) == "met");
    BOOST_TEST(answer("e2e:p50<6", good) == "not met");
    BOOST_TEST(answer("ttft:p99<500ms", good) == "not met");
    BOOST_TEST(answer("tpot:p99<41ms", good) == "met");
    BOOST_TEST(answer("success>=99%", good) == "met");
    BOOST_TEST(answer("goodput(e2e<7,ttft<1,tpot<1)>=95%", good) == "met");
    BOOST_TEST(answer("goodput(e2e<7,ttft<1,tpot<0.04)>=95%", good) == "not met");
    const Measured bad{false, 6.0, 0.5, 0.04};
    for (const auto objective : {"e2e:p50<100", "tpot:p50<100", "success>=99%", "goodput(e2e<100)>=9%"})
        BOOST_TEST(answer(objective, bad) == "not met");
}

BOOST_AUTO_TEST_CASE(a_request_of_one_token_has_no_say_in_tpot)
{
    const Measured one_token{true, 6.0, 0.5, {}};
    BOOST_TEST(answer("tpot:p50<0.1", one_token) == "no say");
    BOOST_TEST(answer("goodput(ttft<1,tpot<0.1)>=95%", one_token) == "met");
    BOOST_TEST(answer("goodput(ttft<0.5,tpot<0.1)>=95%", one_token) == "not met");
    const Measured failed{false, {}, {}, {}};
    BOOST_TEST(answer("tpot:p50<0.1", failed) == "not met");
    const Measured whole_answer{true, 6.0, {}, {}};
    BOOST_TEST(answer("ttft:p50<9", whole_answer) == "not met");
    BOOST_TEST(answer("e2e:p50<9", whole_answer) == "met");
}

BOOST_AUTO_TEST_CASE(what_is_written_reads_back_as_the_same)
{
    Random random(7);
    for (int i = 0; i < 20000; ++i) {
        Objective objective;
        objective.kind = static_cast<Objective::Kind>(random.bits() % 3);
        double percent = 100 * random.uniform();
        if (i % 2 == 0)
            percent = std::round(percent * 1000) / 1000;
        objective.share = percent / 100;
        if (!(objective.share > 0 && objective.share < 1))
            continue;
        for (std::size_t metric = 0; metric < 3 && objective.kind != Objective::Kind::success; ++metric) {
            if (random.bits() % 2 == 0 || (metric == 2 && objective.limits.empty()))
                objective.limits.push_back(
                    {static_cast<LatencyMetric>(metric), std::exp(40 * (random.uniform() - 0.5))});
            if (objective.kind == Objective::Kind::percentile && !objective.limits.empty())
                break;
        }
        const auto text = to_text(objective);
        const auto again = parse_objective(text);
        BOOST_REQUIRE((again.kind == objective.kind));
        BOOST_REQUIRE_EQUAL(again.share, objective.share);
        BOOST_REQUIRE_EQUAL(again.limits.size(), objective.limits.size());
        for (std::size_t l = 0; l < again.limits.size(); ++l) {
            BOOST_REQUIRE((again.limits[l].metric == objective.limits[l].metric));
            BOOST_REQUIRE_EQUAL(again.limits[l].seconds, objective.limits[l].seconds);
        }
        BOOST_REQUIRE_EQUAL(to_text(again), text);
    }
}

BOOST_AUTO_TEST_CASE(no_text_does_more_than_throw_a_usage_error)
{
    const std::string alphabet = "e2tfpo:<>=()%,.019 smgdSuc\xff\0-"
                                 "x";
    const std::vector<std::string> seeds{"e2e:p50<6.5", "success>=99%", "goodput(ttft<1,tpot<50ms)>=95%"};
    Random random(11);
    int read = 0;
    for (int i = 0; i < 60000; ++i) {
        auto text = seeds[random.bits() % seeds.size()];
        for (auto edits = random.bits() % 4; edits > 0; --edits) {
            const auto at = random.bits() % (text.size() + 1);
            const char letter = alphabet[random.bits() % alphabet.size()];
            if (random.bits() % 2 == 0)
                text.insert(at, 1, letter);
            else if (at < text.size())
                text[at] = letter;
        }
        try {
            const auto objective = parse_objective(text);
            ++read;
            BOOST_REQUIRE(objective.share > 0);
            BOOST_REQUIRE(objective.share < 1);
            for (const auto& limit : objective.limits)
                BOOST_REQUIRE(limit.seconds > 0);
            BOOST_REQUIRE_EQUAL(canonical(to_text(objective)), to_text(objective));
        } catch (const UsageError&) {
        }
    }
    BOOST_TEST(read > 1000);
}

BOOST_AUTO_TEST_CASE(no_objective_is_given_twice)
{
    const auto check = [](const std::vector<std::string>& texts) {
        std::vector<Objective> objectives;
        for (const auto& text : texts)
            objectives.push_back(parse_objective(text));
        try {
            check_distinct(objectives);
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string("fine");
    };
    BOOST_TEST(check({}) == "fine");
    BOOST_TEST(check({"e2e:p50<6.5", "e2e:p50<6", "success>=99%"}) == "fine");
    BOOST_TEST(check({"e2e:p50<6.5", "E2E:p50 < 6500ms"}) == "objective 'e2e:p50<6.5': is given twice");
    std::vector<std::string> many;
    for (int i = 1; i <= 65; ++i)
        many.push_back("e2e:p50<" + std::to_string(i));
    BOOST_TEST(check(many) == "--objective: is given more than 64 times");
    many.pop_back();
    BOOST_TEST(check(many) == "fine");
}
