// SPDX-License-Identifier: MIT
#include <slo/workload/sample.hpp>

#define BOOST_TEST_MODULE workload_sample
#include <boost/test/unit_test.hpp>

#include "../../support/built_route.hpp"

#include <fstream>
#include <map>
#include <set>
#include <string>

using namespace slo;

namespace {

constexpr auto route_path = "tests/data/routes/multiturn_240.jsonl";

std::string text_of(const std::string& path)
{
    return io::read_all(path, 1 << 24);
}

test::BuiltRoute sampled(workload::SampleOptions options, const std::string& path = route_path)
{
    options.files = {path};
    return test::build_route(options);
}

std::set<std::string> lines_of(const std::string& text)
{
    std::set<std::string> lines;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
        lines.insert(text.substr(at, text.find('\n', at) - at));
    return lines;
}

std::map<std::string, std::size_t> turns_of(const test::BuiltRoute& route)
{
    std::map<std::string, std::size_t> turns;
    for (const auto& row : route.rows)
        ++turns[std::string(row.at("conv_id").as_string())];
    return turns;
}

bool keeps_order(const std::string& part, const std::string& whole)
{
    std::size_t from = 0;
    for (std::size_t at = 0; at < part.size();) {
        const auto end = part.find('\n', at) + 1;
        const auto found = whole.find(part.substr(at, end - at), from);
        if (found == std::string::npos)
            return false;
        from = found + (end - at);
        at = end;
    }
    return true;
}

} // namespace

BOOST_AUTO_TEST_CASE(ranges_choose_as_replay_does)
{
    workload::SampleOptions low;
    low.range = {0, 0.25};
    workload::SampleOptions high;
    high.range = {0.25, 1};
    const auto first = sampled(low);
    const auto second = sampled(high);
    BOOST_TEST(first.rows.size() + second.rows.size() == 240U);
    for (const auto& [id, turns] : turns_of(first))
        BOOST_TEST(plan::SampleRange(0, 0.25).keeps(id));
    BOOST_TEST(keeps_order(first.text, text_of(route_path)));
    BOOST_TEST(first.manifest.at("rows_read") == 240);
}

BOOST_AUTO_TEST_CASE(shards_share_out_all_rows)
{
    std::set<std::string> lines;
    std::size_t rows = 0;
    for (const auto* shard : {"0/3", "1/3", "2/3"}) {
        workload::SampleOptions options;
        options.shard = shard;
        const auto part = sampled(options);
        rows += part.rows.size();
        lines.merge(lines_of(part.text));
    }
    BOOST_TEST(rows == 240U);
    BOOST_TEST((lines == lines_of(text_of(route_path))));
}

BOOST_AUTO_TEST_CASE(so_many_rows_are_drawn_in_their_order)
{
    std::set<std::string> texts;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        workload::SampleOptions options;
        options.rows = 50;
        options.seed = seed;
        const auto route = sampled(options);
        BOOST_TEST(route.rows.size() == 50U);
        BOOST_TEST(keeps_order(route.text, text_of(route_path)));
        BOOST_TEST(route.text == sampled(options).text);
        texts.insert(route.text);
    }
    BOOST_TEST(texts.size() == 5U);
}

BOOST_AUTO_TEST_CASE(every_row_is_as_likely_as_any_other)
{
    const test::ScratchFile file;
    std::string route;
    for (int row = 0; row < 10; ++row)
        route += "{\"ts\":" + std::to_string(row) + ",\"body\":{}}\n";
    std::ofstream(file.path()) << route;
    std::map<std::int64_t, int> drawn;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        workload::SampleOptions options;
        options.rows = 3;
        options.seed = seed;
        for (const auto& row : sampled(options, file.path()).rows)
            ++drawn[row.at("ts").as_int64()];
    }
    // 600 each, standard deviation 20.5
    for (const auto& [ts, count] : drawn)
        BOOST_TEST(std::abs(count - 600) < 103);
    BOOST_TEST(drawn.size() == 10U);
}

BOOST_AUTO_TEST_CASE(conversations_are_drawn_whole)
{
    workload::SampleOptions all;
    all.range = {0, 0.999999};
    const auto whole = turns_of(sampled(all));
    workload::SampleOptions options;
    options.conversations = 7;
    const auto route = sampled(options);
    const auto turns = turns_of(route);
    BOOST_TEST(turns.size() == 7U);
    for (const auto& [id, count] : turns)
        BOOST_TEST(count == whole.at(id));
    BOOST_TEST(keeps_order(route.text, text_of(route_path)));
}

BOOST_AUTO_TEST_CASE(rows_without_a_conversation_are_conversations_of_one)
{
    const test::ScratchFile file;
    std::ofstream(file.path()) << "{\"ts\":1,\"body\":{}}\n{\"ts\":2,\"conv_id\":\"\",\"body\":{}}\n";
    workload::SampleOptions options;
    options.conversations = 1;
    BOOST_TEST(sampled(options, file.path()).rows.size() == 1U);
    options.conversations = 2;
    BOOST_TEST(sampled(options, file.path()).rows.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_drawing_is_among_the_rows_of_range_and_shard)
{
    workload::SampleOptions options;
    options.range = {0.5, 1};
    const auto candidates = sampled(options);
    options.rows = candidates.rows.size();
    BOOST_TEST(sampled(options).text == candidates.text);
    *options.rows += 1;
    BOOST_CHECK_THROW(sampled(options), InputError);
}

BOOST_AUTO_TEST_CASE(without_bounds_all_rows_are_taken)
{
    workload::SampleOptions options;
    const auto all = sampled(options).text;
    options.shard = "0/1";
    BOOST_TEST(sampled(options).text == all);
    BOOST_TEST(!all.empty());
}

BOOST_AUTO_TEST_CASE(what_makes_no_sense_is_refused)
{
    workload::SampleOptions options;
    options.range = {0.5, 0.5};
    BOOST_CHECK_THROW(sampled(options), UsageError);
    options.range = {0, 1};
    options.shard = "3/3";
    BOOST_CHECK_THROW(sampled(options), UsageError);
    options.shard = "0/1";
    options.rows = 1;
    options.conversations = 1;
    BOOST_CHECK_THROW(sampled(options), UsageError);
    options.conversations.reset();
    options.rows = 241;
    BOOST_CHECK_THROW(sampled(options), InputError);
}
