// SPDX-License-Identifier: MIT
#include <slo/run/row_source.hpp>

#define BOOST_TEST_MODULE run_row_source
#include <boost/test/unit_test.hpp>

#include <set>
#include <string>
#include <vector>

using slo::plan::ShardFilter;
using slo::run::RowSource;

namespace {

std::vector<slo::record::LoadedRow> make_rows(int count)
{
    std::vector<slo::record::LoadedRow> rows;
    for (int i = 0; i < count; ++i)
        rows.push_back({i, static_cast<std::size_t>(i) + 1, "c" + std::to_string(i % 7), "{}"});
    return rows;
}

} // namespace

BOOST_AUTO_TEST_CASE(parts_take_each_row_once_with_the_id_that_the_whole_gives_it)
{
    const auto rows = make_rows(40);
    std::vector<std::string> ids;
    RowSource whole(rows, {}, 7, false);
    while (!whole.at_end())
        ids.push_back(whole.take().id);
    BOOST_REQUIRE_EQUAL(ids.size(), 40U);
    BOOST_TEST(std::set<std::string>(ids.begin(), ids.end()).size() == 40U);
    std::vector<int> taken(40);
    for (std::uint32_t part = 0; part < 3; ++part) {
        RowSource source(rows, ShardFilter().part(part, 3), 7, false);
        for (std::size_t i = 0; !source.at_end(); ++i) {
            const auto row = source.take();
            if (!row.row)
                continue;
            ++taken[i];
            BOOST_TEST(row.id == ids[i]);
            BOOST_TEST(row.row == &rows[i]);
        }
    }
    for (const int times : taken)
        BOOST_TEST(times == 1);
}

BOOST_AUTO_TEST_CASE(a_looped_route_begins_anew_with_fresh_conversations)
{
    auto rows = make_rows(2);
    rows[1].conv_id = "";
    RowSource source(rows, {}, 1, true);
    std::vector<std::string> seen;
    std::set<std::string> ids;
    for (int i = 0; i < 6; ++i) {
        BOOST_TEST(!source.at_end());
        auto row = source.take();
        seen.push_back(row.conv_id);
        ids.insert(row.id);
    }
    BOOST_TEST((seen == std::vector<std::string>{"c0", "", "c0#2", "", "c0#3", ""}));
    BOOST_TEST(ids.size() == 6U);
}

BOOST_AUTO_TEST_CASE(an_empty_route_is_at_its_end)
{
    const std::vector<slo::record::LoadedRow> none;
    BOOST_TEST(RowSource(none, {}, 1, true).at_end());
    BOOST_TEST(RowSource(none, {}, 1, false).at_end());
}

BOOST_AUTO_TEST_CASE(a_part_without_rows_of_a_looped_route_is_known)
{
    const std::vector<slo::record::LoadedRow> rows{{0, 1, "one", "{}"}, {1, 2, "one", "{}"}};
    int barren = 0;
    for (std::uint32_t part = 0; part < 2; ++part)
        barren += RowSource(rows, ShardFilter().part(part, 2), 1, true).is_barren();
    BOOST_TEST(barren == 1); // a conversation is in one part
    BOOST_TEST(!RowSource(rows, {}, 1, true).is_barren());
}
