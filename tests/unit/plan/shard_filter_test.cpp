// SPDX-License-Identifier: MIT
#include <slo/plan/shard_filter.hpp>

#define BOOST_TEST_MODULE plan_shard_filter
#include <boost/test/unit_test.hpp>

#include <string>

using slo::plan::SampleRange;
using slo::plan::ShardFilter;

BOOST_AUTO_TEST_CASE(each_row_is_in_one_part)
{
    const ShardFilter parts[] = {ShardFilter::parse("0/3"), ShardFilter::parse("1/3"),
                                 ShardFilter::parse("2/3")};
    int kept[3] = {};
    for (std::size_t line = 1; line <= 3000; ++line) {
        const auto conv_id = line % 2 == 0 ? "c" + std::to_string(line / 8) : std::string();
        int in = 0;
        for (int i = 0; i < 3; ++i) {
            const bool keeps = parts[i].keeps(conv_id, line);
            kept[i] += keeps;
            in += keeps;
        }
        BOOST_TEST(in == 1);
    }
    for (const int count : kept)
        BOOST_TEST(count > 800);
}

BOOST_AUTO_TEST_CASE(a_conversation_stays_whole_and_follows_the_hash)
{
    const auto shard = ShardFilter::parse("1/7");
    BOOST_TEST(shard.keeps("abc", 1) == shard.keeps("abc", 2));
    // MD5 of "abc" begins with 90015098, which is 1 modulo 7.
    BOOST_TEST(ShardFilter::parse(std::to_string(0x90015098U % 7) + "/7").keeps("abc", 1));
}

BOOST_AUTO_TEST_CASE(the_parts_of_a_sample_are_all_filled)
{
    const SampleRange sample(0, 0.1);
    int kept[2] = {};
    for (int i = 0; i < 2000; ++i) {
        const auto conv_id = "c" + std::to_string(i);
        if (sample.keeps(conv_id))
            ++kept[ShardFilter::parse("1/2").keeps(conv_id, 1)];
    }
    BOOST_TEST(kept[0] > 60);
    BOOST_TEST(kept[1] > 60);
}

BOOST_AUTO_TEST_CASE(the_whole_is_one_part)
{
    BOOST_TEST(ShardFilter().is_all());
    BOOST_TEST(ShardFilter::parse("0/1").is_all());
    BOOST_TEST(ShardFilter().keeps("any", 5));
}

BOOST_AUTO_TEST_CASE(what_is_no_part_is_refused)
{
    for (const char* text :
         {"", "1", "1/1", "3/2", "-1/2", "0/0", "a/2", "0/b", "0/2/3", "0/65537", "/2", "0/"})
        BOOST_CHECK_THROW(ShardFilter::parse(text), slo::UsageError);
}
