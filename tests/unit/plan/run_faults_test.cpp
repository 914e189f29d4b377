// SPDX-License-Identifier: MIT
#include <slo/plan/run_faults.hpp>

#define BOOST_TEST_MODULE plan_run_faults
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using slo::record::RoundFile;

namespace {

RoundFile file_of(const std::vector<int>& numbers, double target_qps, bool from_send = false)
{
    RoundFile file;
    file.name = "f";
    for (const int number : numbers) {
        auto& round = file.rounds.emplace_back();
        round.measurement_round = number;
        round.target_qps = target_qps;
        round.from_send = from_send;
    }
    return file;
}

std::string faults(const std::vector<RoundFile>& files)
{
    std::string all;
    for (const auto& fault : slo::plan::find_run_faults(files))
        all += fault + ";";
    return all;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_file_that_was_appended_to_is_more_than_one_run)
{
    BOOST_TEST(faults({file_of({1, 2, 3}, 5)}) == "");
    BOOST_TEST(faults({file_of({2, 5}, 5)}) == "");
    BOOST_TEST(faults({file_of({1, 2, 1, 2}, 5)}) ==
               "f holds more than one run: measurement_round starts again;");
}

BOOST_AUTO_TEST_CASE(shards_must_have_been_given_the_same)
{
    BOOST_TEST(faults({file_of({1, 2}, 5), file_of({1, 2}, 5)}) == "");
    BOOST_TEST(faults({file_of({1, 2}, 5), file_of({1, 2}, 6)}) == "the files differ in target_qps;");
    BOOST_TEST(faults({file_of({1, 2}, 5), file_of({1, 2}, 5, true)}) ==
               "the files differ in latency_basis;");
}
