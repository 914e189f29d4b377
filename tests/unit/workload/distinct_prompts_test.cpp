#include <slo/workload/distinct_prompts.hpp>

#define BOOST_TEST_MODULE workload_distinct_prompts
#include <boost/test/unit_test.hpp>

#include <string>

using slo::workload::DistinctPrompts;

BOOST_AUTO_TEST_CASE(a_prompt_is_new_once)
{
    DistinctPrompts seen(1000);
    BOOST_TEST(seen.insert("one"));
    BOOST_TEST(seen.insert("two"));
    BOOST_TEST(!seen.insert("one"));
    BOOST_TEST(seen.remembers_all());
}

BOOST_AUTO_TEST_CASE(only_texts_of_less_than_64_bits_matter)
{
    DistinctPrompts bytes(256);
    BOOST_TEST(bytes.matters(7));
    BOOST_TEST(!bytes.matters(8));
    DistinctPrompts one_word(1);
    BOOST_TEST(one_word.matters(1'000'000));
}

BOOST_AUTO_TEST_CASE(memory_is_bounded)
{
    DistinctPrompts seen(1000, 2);
    BOOST_TEST(seen.insert("one"));
    BOOST_TEST(seen.insert("two"));
    BOOST_TEST(!seen.remembers_all());
    BOOST_TEST(seen.insert("three"));
    BOOST_TEST(seen.insert("three")); // not remembered
    BOOST_TEST(!seen.insert("two"));
}
