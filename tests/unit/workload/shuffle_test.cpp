// SPDX-License-Identifier: MIT
#include <slo/workload/shuffle.hpp>

#define BOOST_TEST_MODULE workload_shuffle
#include <boost/test/unit_test.hpp>

#include "../../support/built_route.hpp"

#include <fstream>
#include <map>
#include <string>
#include <vector>

using namespace slo;

namespace {

test::BuiltRoute shuffled(const std::string& route, workload::ShuffleOptions options)
{
    const test::ScratchFile file;
    std::ofstream(file.path()) << route;
    options.files = {file.path()};
    return test::build_route(options);
}

std::vector<std::int64_t> numbers(const test::BuiltRoute& route, const char* key)
{
    std::vector<std::int64_t> values;
    for (const auto& row : route.rows)
        values.push_back(row.at(key).as_int64());
    return values;
}

} // namespace

BOOST_AUTO_TEST_CASE(orders_of_the_classic_builder)
{
    const auto vectors =
        parse_json(io::read_all("tests/data/classic/py_shuffle_vectors.json", 1 << 20)).as_object();
    for (const auto& [size, order] : vectors) {
        std::string route;
        for (std::size_t row = 0; row < order.as_array().size(); ++row)
            route += "{\"ts\":" + std::to_string(1755000000 + row) + ",\"conv_id\":\"c" +
                     std::to_string(row) + "\",\"body\":{},\"row\":" + std::to_string(row) + "}\n";
        workload::ShuffleOptions options;
        options.seed = 20260813;
        const auto built = shuffled(route, options);
        BOOST_REQUIRE(built.rows.size() == order.as_array().size());
        for (std::size_t place = 0; place < built.rows.size(); ++place) {
            BOOST_TEST(built.rows[place].at("row") == order.as_array()[place]);
            BOOST_TEST(built.rows[place].at("ts").as_int64() ==
                       static_cast<std::int64_t>(1755000000 + place));
        }
    }
}

BOOST_AUTO_TEST_CASE(turns_keep_their_order_in_the_places_drawn_for_them)
{
    workload::ShuffleOptions options;
    options.files = {"tests/data/routes/multiturn_240.jsonl"};
    options.seed = 3;
    const auto kept = test::build_route(options);
    options.keep_turns = false;
    const auto raw = test::build_route(options);
    options.files = {"tests/data/routes/multiturn_240.jsonl"};
    io::LineReader lines(options.files[0]);
    std::map<std::string, std::vector<json::value>> before;
    while (const auto row = io::next_object(lines))
        before[std::string(row->at("conv_id").as_string())].push_back(row->at("body"));
    std::map<std::string, std::size_t> turn;
    BOOST_REQUIRE(kept.rows.size() == 240U);
    BOOST_TEST(kept.text != raw.text);
    for (std::size_t place = 0; place < 240; ++place) {
        const auto& row = kept.rows[place];
        const std::string id(row.at("conv_id").as_string());
        BOOST_TEST(row.at("body") == before.at(id).at(turn[id]++));
        BOOST_TEST(row.at("conv_id") == raw.rows[place].at("conv_id"));
        BOOST_TEST(row.at("ts") == raw.rows[place].at("ts"));
    }
}

BOOST_AUTO_TEST_CASE(times_stay_or_go_along)
{
    const std::string route = "{\"ts\":10,\"n\":10,\"body\":{}}\n{\"ts\":20,\"n\":20,\"body\":{}}\n"
                              "{\"ts\":30,\"n\":30,\"body\":{}}\n{\"ts\":40,\"n\":40,\"body\":{}}\n";
    workload::ShuffleOptions options;
    const std::vector<std::int64_t> times{10, 20, 30, 40};
    const auto kept = shuffled(route, options);
    BOOST_TEST(numbers(kept, "ts") == times, boost::test_tools::per_element());
    BOOST_TEST(numbers(kept, "n") != times);
    options.keep_times = false;
    const auto own = shuffled(route, options);
    BOOST_TEST(numbers(own, "ts") == numbers(kept, "n"), boost::test_tools::per_element());
    BOOST_TEST(numbers(own, "n") == numbers(kept, "n"), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(rows_out_of_order_are_put_in_order_first)
{
    workload::ShuffleOptions options;
    const auto sorted =
        shuffled("{\"ts\":1,\"conv_id\":\"a\",\"body\":{}}\n{\"ts\":2,\"conv_id\":\"b\",\"body\":{}}\n"
                 "{\"ts\":3.5,\"conv_id\":\"a\",\"body\":{\"n\":2}}\n",
                 options);
    BOOST_TEST(sorted.notes == "");
    const auto other = shuffled(
        "{\"ts\":3.5,\"conv_id\":\"a\",\"body\":{\"n\":2}}\n{\"ts\":1,\"conv_id\":\"a\",\"body\":{}}\n"
        "{\"ts\":2,\"conv_id\":\"b\",\"body\":{}}\n",
        options);
    BOOST_TEST(other.text == sorted.text);
    BOOST_TEST(other.notes.find("order of their times") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(groups_fill_their_places_in_order)
{
    std::vector<std::uint32_t> order{4, 2, 0, 3, 1, 5};
    workload::keep_order_in_groups(order, {0, 1, 0, 1, 0, 2}, 3);
    const std::vector<std::uint32_t> expected{0, 2, 4, 1, 3, 5};
    BOOST_TEST(order == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_cannot_be_shuffled_is_refused)
{
    BOOST_CHECK_THROW(shuffled("", {}), InputError);
    BOOST_CHECK_THROW(shuffled("{\"ts\":1,\"body\":{}}\n{\"ts\":2}\n", {}), InputError);
    const std::string log =
        R"(2026-05-01T10:00:00Z {"message":"[Log chat request] {\"conversationId\":\"a\",\"body\":{\"prompt\":\"hi\"}}"})";
    BOOST_CHECK_THROW(shuffled(log + "\n{\"ts\":1,\"body\":{}}\n", {}), InputError);
    workload::ShuffleOptions options;
    options.keep_times = false;
    const test::ScratchFile file;
    std::ofstream(file.path()) << log << "\n{\"ts\":1,\"body\":{}}\n";
    options.files = {file.path()};
    options.build.output = file.path() + ".out";
    workload::Build build("shuffle", options.build, {});
    BOOST_CHECK_NO_THROW(options.run(build));
}
