// SPDX-License-Identifier: MIT
#include <slo/workload/buckets.hpp>

#define BOOST_TEST_MODULE workload_buckets
#include <boost/test/unit_test.hpp>

#include <slo/base/random.hpp>

#include <algorithm>
#include <vector>

using namespace slo;
using workload::RunLimiter;

namespace {

using Kinds = std::vector<std::size_t>;

Kinds limited(const Kinds& kinds, std::size_t count, std::size_t limit)
{
    Kinds result;
    for (const auto row : RunLimiter(kinds, count, limit).order())
        result.push_back(kinds[row]);
    return result;
}

} // namespace

BOOST_AUTO_TEST_CASE(bounds_of_buckets)
{
    const std::vector<workload::Bucket> buckets{{"<1k", 0, 1000, 1, 850}, {"1k-2k", 1000, 2000, 1, 1500}};
    BOOST_TEST(workload::find_bucket(buckets, 999)->name == "<1k");
    BOOST_TEST(workload::find_bucket(buckets, 1000)->name == "1k-2k");
    BOOST_TEST(workload::find_bucket(buckets, 2000) == nullptr);
}

BOOST_AUTO_TEST_CASE(runs_are_counted)
{
    BOOST_TEST(workload::longest_run({}) == 0);
    BOOST_TEST(workload::longest_run(Kinds{4}) == 1);
    BOOST_TEST(workload::longest_run(Kinds{1, 1, 0, 1, 1, 1, 0}) == 3);
}

BOOST_AUTO_TEST_CASE(a_good_order_stays)
{
    const Kinds good{0, 0, 1, 0, 2, 2, 0, 0};
    BOOST_TEST(limited(good, 3, 2) == good);
}

BOOST_AUTO_TEST_CASE(a_run_is_broken_by_what_comes_next)
{
    BOOST_TEST(limited({0, 0, 0, 1, 0}, 2, 2) == (Kinds{0, 0, 1, 0, 0}));
    // What would be left over at the end is spread before.
    BOOST_TEST(limited({1, 1, 0, 0, 0, 0, 0, 0}, 2, 2) == (Kinds{0, 0, 1, 0, 0, 1, 0, 0}));
}

BOOST_AUTO_TEST_CASE(what_no_order_can_do_is_said)
{
    BOOST_CHECK_EXCEPTION(RunLimiter(Kinds{0, 0, 0, 0, 0, 0, 1}, 2, 2), Error, [](const Error& error) {
        return std::string(error.what()) == "no order keeps runs of one bucket at 2 or less";
    });
    BOOST_CHECK_NO_THROW(RunLimiter(Kinds{0, 0, 0, 0, 1}, 2, 2));
}

BOOST_AUTO_TEST_CASE(any_mix_that_can_be_ordered_is)
{
    Random random(5);
    int ordered = 0;
    for (int round = 0; round < 500; ++round) {
        Kinds kinds;
        const auto rows = 1 + random.bits() % 40;
        for (std::uint64_t i = 0; i < rows; ++i)
            kinds.push_back(std::min<std::size_t>(random.bits() % 5, random.bits() % 4));
        const std::size_t limit = 1 + random.bits() % 3;
        const auto commonest = std::count(kinds.begin(), kinds.end(), 0U);
        const bool can = std::all_of(kinds.begin(), kinds.end(), [&](std::size_t kind) {
            const auto same = static_cast<std::size_t>(std::count(kinds.begin(), kinds.end(), kind));
            return same <= limit * (kinds.size() - same + 1);
        });
        if (!can) {
            BOOST_CHECK_THROW(RunLimiter(kinds, 5, limit), Error);
            continue;
        }
        ++ordered;
        auto result = limited(kinds, 5, limit);
        BOOST_TEST(workload::longest_run(result) <= limit);
        BOOST_TEST(std::count(result.begin(), result.end(), 0U) == commonest);
        std::sort(result.begin(), result.end());
        std::sort(kinds.begin(), kinds.end());
        BOOST_TEST(result == kinds);
    }
    BOOST_TEST(ordered > 100);
}
