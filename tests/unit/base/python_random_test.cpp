// SPDX-License-Identifier: MIT
#include <slo/base/python_random.hpp>

#define BOOST_TEST_MODULE base_python_random
#include <boost/test/unit_test.hpp>

#include <slo/base/json.hpp>
#include <slo/io/fd.hpp>

#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

using slo::PythonRandom;

namespace {

std::vector<int> shuffled(std::int64_t seed, std::size_t size)
{
    std::vector<int> items(size);
    std::iota(items.begin(), items.end(), 0);
    PythonRandom(seed).shuffle(items);
    return items;
}

} // namespace

BOOST_AUTO_TEST_CASE(orders_of_the_classic_builder)
{
    const auto vectors =
        slo::parse_json(slo::io::read_all("tests/data/classic/py_shuffle_vectors.json", 1 << 20)).as_object();
    BOOST_TEST(vectors.size() == 6U);
    for (const auto& [size, order] : vectors) {
        std::vector<int> expected;
        for (const auto& index : order.as_array())
            expected.push_back(static_cast<int>(index.as_int64()));
        BOOST_TEST(std::to_string(expected.size()) == std::string(size.data(), size.size()));
        BOOST_TEST(shuffled(20260813, expected.size()) == expected, boost::test_tools::per_element());
    }
}

// What Python 3.11 gives.
BOOST_AUTO_TEST_CASE(seeds_of_all_sizes)
{
    struct Case {
        std::int64_t seed;
        std::vector<int> order;
        std::uint64_t bits32, bits40, bits64, bits7;
    };
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    constexpr auto greatest = std::numeric_limits<std::int64_t>::max();
    const std::vector<Case> cases{
        {0, {1, 9, 8, 5, 10, 2, 3, 7, 4, 0, 11, 6}, 3626764237, 834878271422, 7758176404715800194U, 5},
        {1, {7, 11, 0, 8, 5, 6, 3, 10, 4, 1, 9, 2}, 577090037, 930157647946, 14089154938208861744U, 8},
        {-1, {7, 11, 0, 8, 5, 6, 3, 10, 4, 1, 9, 2}, 577090037, 930157647946, 14089154938208861744U, 8},
        {4294967296, {11, 10, 7, 3, 9, 2, 4, 8, 0, 6, 5, 1}, 485306839, 456775404476, 307624781732766930U, 2},
        {1099511627781,
         {3, 5, 2, 9, 6, 7, 1, 10, 0, 4, 11, 8},
         2166296868,
         294277936956,
         17077747508935831298U,
         3},
        {least, {11, 0, 7, 5, 4, 10, 2, 1, 9, 3, 6, 8}, 2377109768, 1032483904510, 4464007219575713352U, 124},
        {greatest,
         {11, 1, 6, 9, 4, 3, 0, 8, 7, 2, 10, 5},
         1359979423,
         694309590216,
         14822959512422950752U,
         62}};
    for (const auto& each : cases) {
        BOOST_TEST_CONTEXT("seed " << each.seed)
        {
            BOOST_TEST(shuffled(each.seed, 12) == each.order, boost::test_tools::per_element());
            PythonRandom random(each.seed);
            BOOST_TEST(random.bits(32) == each.bits32);
            BOOST_TEST(random.bits(40) == each.bits40);
            BOOST_TEST(random.bits(64) == each.bits64);
            BOOST_TEST(random.bits(7) == each.bits7);
        }
    }
}

BOOST_AUTO_TEST_CASE(numbers_stay_below_their_bound)
{
    PythonRandom random(7);
    for (std::uint64_t bound = 1; bound < 100; ++bound)
        BOOST_TEST(random.below(bound) < bound);
    std::vector<int> none;
    random.shuffle(none);
    BOOST_TEST(none.empty());
}
