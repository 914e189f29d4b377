// SPDX-License-Identifier: MIT
#include <slo/run/schedule_file.hpp>

#define BOOST_TEST_MODULE run_schedule_file
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_file.hpp"

#include <slo/io/fd.hpp>

#include <string>
#include <vector>

using namespace slo::run;

namespace {

std::vector<slo::json::object> written(const ReplayPlan& plan, int rows)
{
    std::vector<slo::record::LoadedRow> route;
    for (int i = 0; i < rows; ++i)
        route.push_back({i, static_cast<std::size_t>(i) + 1, "c" + std::to_string(i), "{}"});
    const slo::test::ScratchFile file;
    write_schedule(file.path(), plan, route, 5);
    std::vector<slo::json::object> records;
    slo::io::LineReader reader(file.path());
    while (auto record = slo::io::next_object(reader))
        records.push_back(std::move(*record));
    return records;
}

} // namespace

BOOST_AUTO_TEST_CASE(each_request_has_a_line_until_the_rows_end)
{
    ReplayPlan plan;
    plan.mode = ReplayMode::continuous;
    plan.arrival.qps = 2;
    plan.round_duration_s = 2;
    plan.max_rounds = 2;
    const auto whole = written(plan, 100);
    BOOST_REQUIRE_EQUAL(whole.size(), 9U);
    BOOST_TEST(whole[0].at("schema").as_string() == "sloutils.schedule/1");
    BOOST_TEST(whole[6].at("i").to_number<int>() == 5);
    BOOST_TEST(whole[6].at("due_s").to_number<double>() == 2.5);
    BOOST_TEST(whole[6].at("round").to_number<int>() == 2);
    BOOST_TEST(whole[6].at("conv_id").as_string() == "c5");
    BOOST_TEST(whole[6].at("line").to_number<int>() == 6);
    BOOST_TEST(written(plan, 3).size() == 4U);
}

BOOST_AUTO_TEST_CASE(rounds_that_drain_count_from_their_own_start)
{
    ReplayPlan plan;
    plan.mode = ReplayMode::rounds;
    plan.arrival.qps = 2;
    plan.round_duration_s = 2;
    const auto records = written(plan, 6);
    BOOST_REQUIRE_EQUAL(records.size(), 7U);
    BOOST_TEST(records[0].at("due_from").as_string() == "round");
    BOOST_TEST(records[5].at("due_s").to_number<double>() == 0);
    BOOST_TEST(records[5].at("round").to_number<int>() == 2);
}

BOOST_AUTO_TEST_CASE(shards_divide_the_lines_of_the_whole)
{
    ReplayPlan plan;
    plan.mode = ReplayMode::continuous;
    plan.arrival.process = slo::stats::Process::poisson;
    plan.arrival.qps = 20;
    plan.arrival.seed = 5;
    plan.round_duration_s = 5;
    const auto whole = written(plan, 200);
    std::size_t in_shards = 0;
    for (const char* shard : {"0/3", "1/3", "2/3"}) {
        plan.shard = slo::plan::ShardFilter::parse(shard);
        const auto part = written(plan, 200);
        in_shards += part.size() - 1;
        for (std::size_t i = 1; i < part.size(); ++i)
            BOOST_TEST(part[i] == whole.at(part[i].at("i").to_number<std::size_t>() + 1));
    }
    BOOST_TEST(in_shards == whole.size() - 1);
}
