// SPDX-License-Identifier: MIT
#include <slo/record/objective_count.hpp>

#define BOOST_TEST_MODULE record_objective_count
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::record;

namespace {

std::vector<ObjectiveCount> read(const std::string& list)
{
    return read_objective_counts(parse_json(R"({"objectives":)" + list + "}").as_object());
}

std::string entry(const std::string& text, const std::string& requests, const std::string& met)
{
    return R"({"objective":")" + text + R"(","requests":)" + requests + R"(,"met":)" + met + "}";
}

} // namespace

BOOST_AUTO_TEST_CASE(counts_go_through_their_record)
{
    const std::vector<ObjectiveCount> counts{{"e2e:p50<6.5", 240, 131}, {"success>=99%", 240, 240}};
    const auto text = to_json(to_record(counts));
    BOOST_TEST(text == R"([{"objective":"e2e:p50<6.5","requests":240,"met":131},)"
                       R"({"objective":"success>=99%","requests":240,"met":240}])");
    const auto back = read(text);
    BOOST_REQUIRE(back.size() == 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        BOOST_TEST(back[i].text == counts[i].text);
        BOOST_TEST(back[i].requests == counts[i].requests);
        BOOST_TEST(back[i].met == counts[i].met);
    }
    BOOST_TEST(read_objective_counts({}).empty());
}

BOOST_AUTO_TEST_CASE(texts_become_canonical_and_the_first_of_two_stays)
{
    const auto counts =
        read("[" + entry("TTFT:p99<800 ms", "10", "9") + "," + entry("ttft:p99<0.8", "20", "20") + "]");
    BOOST_REQUIRE(counts.size() == 1U);
    BOOST_TEST(counts[0].text == "ttft:p99<0.8");
    BOOST_TEST(counts[0].requests == 10);
}

BOOST_AUTO_TEST_CASE(unsound_counts_are_left_out)
{
    for (const auto& bad :
         {entry("e2e:p50<1", "10", "11"), entry("e2e:p50<1", "-1", "-1"), entry("e2e:p50<1", "10", "-1"),
          entry("e2e:p50<1", "1e300", "1"), entry("e2e:p50<1", "1.5", "1"), entry("e2e:p50<1", "null", "1"),
          entry("fast", "10", "9"), entry("e2e:p50<" + std::string(2000, '9'), "10", "9"), std::string("7"),
          std::string("[]"), std::string("{}"), std::string("null")}) {
        const auto counts = read("[" + bad + "," + entry("success>=99%", "3", "2") + "]");
        BOOST_REQUIRE_EQUAL(counts.size(), 1U);
        BOOST_TEST(counts[0].text == "success>=99%");
    }
    for (const auto list : {"7", "{}", "null", "[]"})
        BOOST_TEST(read(list).empty());
}

BOOST_AUTO_TEST_CASE(no_more_than_64_are_read)
{
    std::string list;
    for (int i = 1; i <= 1000; ++i)
        list += (list.empty() ? "[" : ",") + entry("e2e:p50<" + std::to_string(i), "10", "9");
    BOOST_TEST(read(list + "]").size() == 64U);
}
