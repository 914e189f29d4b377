// SPDX-License-Identifier: MIT
#include <slo/sim/stop_filter.hpp>
#define BOOST_TEST_MODULE sim_stop_filter
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using slo::sim::StopFilter;

BOOST_AUTO_TEST_CASE(without_stop_strings_text_passes_at_once)
{
    StopFilter filter({});
    std::string out;
    BOOST_TEST(!filter.push(" a", out));
    BOOST_TEST(out == " a");
}

BOOST_AUTO_TEST_CASE(a_beginning_is_kept_back_until_it_is_known_not_to_be_one)
{
    const std::vector<std::string> stop{"river stone", "xyz"};
    StopFilter filter(stop);
    std::string out;
    BOOST_TEST(!filter.push(" the river", out));
    BOOST_TEST(out == " the ");
    BOOST_TEST(!filter.push(" st", out));
    BOOST_TEST(out == " the ");
    BOOST_TEST(!filter.push("and", out));
    BOOST_TEST(out == " the river stand");
    BOOST_TEST(!filter.push(" r", out));
    BOOST_TEST(filter.push("iver stone wall", out));
    BOOST_TEST(out == " the river stand ");
    filter.finish(out);
    BOOST_TEST(out == " the river stand ");
}

BOOST_AUTO_TEST_CASE(the_end_of_the_text_gives_free_what_was_kept_back)
{
    const std::vector<std::string> stop{"aab"};
    StopFilter filter(stop);
    std::string out;
    BOOST_TEST(!filter.push("aaa", out));
    BOOST_TEST(out == "a");
    filter.finish(out);
    BOOST_TEST(out == "aaa");
}

BOOST_AUTO_TEST_CASE(the_first_of_several_counts)
{
    const std::vector<std::string> stop{"c", "ab"};
    StopFilter filter(stop);
    std::string out;
    BOOST_TEST(filter.push("xabc", out));
    BOOST_TEST(out == "x");
}

// However the text is cut, what comes out is the text up to the stop string.
BOOST_AUTO_TEST_CASE(cuts_do_not_matter)
{
    const std::vector<std::string> stop{"abab", "ca"};
    const std::string text = "aababcab";
    for (unsigned cuts = 0; cuts < 128; ++cuts) {
        StopFilter filter(stop);
        std::string out, piece;
        bool stopped = false;
        for (std::size_t i = 0; i < text.size() && !stopped; ++i) {
            piece += text[i];
            if (i + 1 == text.size() || (cuts >> i & 1u)) {
                stopped = filter.push(piece, out);
                piece.clear();
            }
        }
        BOOST_TEST(stopped);
        BOOST_TEST(out == "a");
    }
}
