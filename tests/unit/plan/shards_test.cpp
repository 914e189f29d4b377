// SPDX-License-Identifier: MIT
#include <slo/plan/shards.hpp>

#define BOOST_TEST_MODULE plan_shards
#include <boost/test/unit_test.hpp>

using namespace slo;
using plan::ShardMerge;
using record::Round;
using record::RoundFile;

namespace {

Round round_of(std::optional<double> p50, std::optional<std::int64_t> number = {},
               std::optional<double> success = 100, std::optional<std::int64_t> due = {})
{
    Round round;
    round.p50_latency_s = p50;
    round.measurement_round = number;
    round.success_rate = success;
    round.due = due;
    return round;
}

RoundFile file_of(std::vector<Round> rounds, const char* name = "shard.jsonl")
{
    RoundFile file;
    file.name = name;
    file.rounds = std::move(rounds);
    return file;
}

Round sketched(std::vector<double> latencies, std::int64_t number)
{
    auto round = round_of({}, number, latencies.empty() ? 0 : 100, 10);
    round.latency.emplace();
    for (const double value : latencies)
        round.latency->add(value);
    round.p50_latency_s = round.latency->quantile(0.5);
    return round;
}

} // namespace

BOOST_AUTO_TEST_CASE(one_file_stays_as_it_is)
{
    const auto series = plan::merge_shards({file_of({round_of(1, 7), round_of(2, 7), round_of({}, {}, {})})},
                                           ShardMerge::automatic);
    BOOST_TEST(series.windows.size() == 2); // the last one says nothing of a window
    BOOST_TEST(series.merged_by.empty());
    BOOST_TEST(series.aligned);
    BOOST_TEST(plan::merge_shards({}, ShardMerge::automatic).windows.empty());
}

BOOST_AUTO_TEST_CASE(rounds_are_matched_by_number)
{
    const auto series = plan::merge_shards({file_of({round_of(1, 1), round_of(2, 2), round_of(3, 3)}),
                                            file_of({round_of(5, 1), round_of(7, 3)})},
                                           ShardMerge::automatic);
    BOOST_TEST(series.merged_by == "mean");
    BOOST_TEST(series.aligned);
    BOOST_REQUIRE(series.windows.size() == 3);
    BOOST_TEST(series.windows[0].p50_s.value() == 3);
    BOOST_TEST(!series.windows[1].p50_s); // one shard has no such round
    BOOST_TEST(series.windows[2].p50_s.value() == 5);
    BOOST_TEST(series.windows[2].p50_parts.size() == 2);
}

BOOST_AUTO_TEST_CASE(without_numbers_by_position)
{
    const auto series = plan::merge_shards({file_of({round_of(1, 1), round_of(2, 1), round_of(3, 2)}),
                                            file_of({round_of(5, 1), round_of(7, 2)})},
                                           ShardMerge::automatic);
    BOOST_TEST(!series.aligned);
    BOOST_REQUIRE(series.windows.size() == 2);
    BOOST_TEST(series.windows[1].p50_s.value() == 4.5);
}

BOOST_AUTO_TEST_CASE(a_dead_shard_is_not_left_out)
{
    const auto series = plan::merge_shards(
        {file_of({round_of(1, 1, 100, 300)}), file_of({round_of({}, 1, 0, 100)})}, ShardMerge::mean);
    BOOST_REQUIRE(series.windows.size() == 1);
    BOOST_TEST(!series.windows[0].p50_s);
    BOOST_TEST(series.windows[0].p50_parts.empty());
    BOOST_TEST(series.windows[0].success_rate.value() == 75); // weighted by the requests due
}

BOOST_AUTO_TEST_CASE(sketches_add_up)
{
    const std::vector<RoundFile> files{file_of({sketched({1, 1, 1, 1, 1, 1}, 1)}),
                                       file_of({sketched({9, 9}, 1)})};
    const auto merged = plan::merge_shards(files, ShardMerge::automatic);
    BOOST_TEST(merged.merged_by == "sketch");
    BOOST_TEST(merged.windows.at(0).p50_s.value() == 1, boost::test_tools::tolerance(0.006));
    const auto mean = plan::merge_shards(files, ShardMerge::mean);
    BOOST_TEST(mean.merged_by == "mean");
    BOOST_TEST(mean.windows.at(0).p50_s.value() == 5, boost::test_tools::tolerance(0.006));

    const std::vector<RoundFile> one_dead{file_of({sketched({1, 1}, 1)}), file_of({sketched({}, 1)})};
    const auto survivors = plan::merge_shards(one_dead, ShardMerge::automatic);
    BOOST_TEST(survivors.windows.at(0).p50_s.value() == 1, boost::test_tools::tolerance(0.006));
    BOOST_TEST(survivors.windows.at(0).success_rate.value() == 50);
}

BOOST_AUTO_TEST_CASE(a_missing_sketch)
{
    const std::vector<RoundFile> files{file_of({sketched({1, 1}, 1)}), file_of({round_of(9, 1)})};
    BOOST_TEST(plan::merge_shards(files, ShardMerge::automatic).merged_by == "mean");
    BOOST_CHECK_THROW(plan::merge_shards(files, ShardMerge::sketch), InputError);
}

BOOST_AUTO_TEST_CASE(flags_and_saturation_of_any_shard_count)
{
    auto a = round_of(1, 1);
    auto b = round_of(1, 1);
    a.flags = {"interrupted"};
    b.client_saturated = true;
    const auto series = plan::merge_shards({file_of({a}), file_of({b})}, ShardMerge::automatic);
    BOOST_TEST(series.windows.at(0).flags.contains("interrupted"));
    BOOST_TEST(series.windows.at(0).client_saturated);
}

BOOST_AUTO_TEST_CASE(what_a_shard_lacks_is_told)
{
    const auto series =
        plan::merge_shards({file_of({round_of(1, 1), round_of(2, 2), round_of(3, 3)}),
                            file_of({round_of(5, 1)}, "short.jsonl"), file_of({}, "empty.jsonl")},
                           ShardMerge::automatic);
    BOOST_TEST(series.aligned);
    BOOST_REQUIRE(series.gaps.size() == 2);
    BOOST_TEST(series.gaps[0].file == "short.jsonl");
    BOOST_TEST((series.gaps[0].rounds == std::vector<std::int64_t>{2, 3}));
    BOOST_TEST(series.gaps[1].file == "empty.jsonl");
    BOOST_TEST((series.gaps[1].rounds == std::vector<std::int64_t>{1, 2, 3}));
    for (const auto& window : series.windows) {
        BOOST_TEST(!window.complete);
        BOOST_TEST(!window.p50_s);
    }

    const auto by_position = plan::merge_shards(
        {file_of({round_of(1), round_of(2)}), file_of({round_of(5)}, "short.jsonl")}, ShardMerge::automatic);
    BOOST_TEST(by_position.windows.size() == 1);
    BOOST_TEST(by_position.windows[0].complete);
    BOOST_REQUIRE(by_position.gaps.size() == 1);
    BOOST_TEST((by_position.gaps[0].rounds == std::vector<std::int64_t>{2}));
}

BOOST_AUTO_TEST_CASE(a_shard_to_which_no_request_fell_lacks_nothing)
{
    for (const bool with_sketches : {true, false}) {
        auto empty = sketched({}, 1);
        empty.success_rate.reset();
        empty.due = 0;
        auto full = sketched({3, 3}, 1);
        if (!with_sketches) {
            empty.latency.reset();
            full.latency.reset();
        }
        const auto series = plan::merge_shards({file_of({full}), file_of({empty})}, ShardMerge::automatic);
        BOOST_TEST(series.gaps.empty());
        BOOST_REQUIRE(series.windows.size() == 1);
        BOOST_TEST(series.windows[0].complete);
        BOOST_TEST(series.windows[0].p50_s.value() == 3, boost::test_tools::tolerance(0.006));
        BOOST_TEST(series.windows[0].success_rate.value() == 100);
        BOOST_TEST(
            plan::merge_shards({file_of({empty}), file_of({empty})}, ShardMerge::automatic).windows.empty());
    }
}

BOOST_AUTO_TEST_CASE(shards_share_one_target)
{
    auto a = round_of(1, 1);
    auto b = round_of(1, 1);
    a.target_qps = b.target_qps = 40;
    a.actual_qps = 18;
    b.actual_qps = 22;
    const auto offered = [](std::vector<RoundFile> files) {
        return plan::merge_shards(files, ShardMerge::automatic).windows.at(0).offered;
    };
    BOOST_TEST(offered({file_of({a}), file_of({b})}).value() == 1);
    BOOST_TEST(offered({file_of({a}), file_of({})}).value() == 0.45);
    BOOST_TEST(offered({file_of({b})}).value() == 0.55);
    b.target_qps.reset();
    BOOST_TEST(!offered({file_of({a}), file_of({b})}));
}

BOOST_AUTO_TEST_CASE(failures_of_all_shards_add_up)
{
    auto a = round_of(1, 1, 90, 10);
    auto b = round_of(1, 1, 50, 30);
    a.exceptions = {{"HTTP 500", 1}};
    b.exceptions = {{"HTTP 500", 10}, {"timeout", 5}};
    const auto series = plan::merge_shards({file_of({a}), file_of({b})}, ShardMerge::automatic);
    BOOST_TEST(series.windows.at(0).exceptions.at("HTTP 500") == 11);
    BOOST_TEST(series.windows.at(0).exceptions.at("timeout") == 5);
    BOOST_TEST(series.windows.at(0).success_rate.value() == 60);
}

BOOST_AUTO_TEST_CASE(what_the_records_say_of_their_shards_is_checked)
{
    const auto faults = [](std::vector<const char*> shards) {
        std::vector<RoundFile> files;
        for (const auto* shard : shards) {
            auto round = round_of(1, 1);
            round.shard = shard;
            files.push_back(file_of({round}, "f"));
        }
        std::string all;
        for (const auto& fault : plan::merge_shards(files, ShardMerge::automatic).run_faults)
            all += fault + ";";
        return all;
    };
    BOOST_TEST(faults({"0/2", "1/2"}) == "");
    BOOST_TEST(faults({"", ""}) == "");
    BOOST_TEST(faults({""}) == "");
    BOOST_TEST(faults({"0/3"}) == "2 of 3 shards are missing;");
    BOOST_TEST(faults({"1/2", "1/2"}) == "shard 1/2 is there 2 times;1 of 2 shards are missing;");
    BOOST_TEST(faults({"0/2", "1/3"}).starts_with("f is a shard of another number of shards;"));
    BOOST_TEST(faults({"7/2"}) == "f names a shard that is none;");
}
