#include <slo/serving/known.hpp>

#define BOOST_TEST_MODULE serving_known
#include <boost/test/unit_test.hpp>

#include <cstdint>

using namespace slo;
using serving::Known;

BOOST_AUTO_TEST_CASE(the_first_source_wins_and_a_difference_is_said)
{
    std::vector<std::string> conflicts;
    Known<std::int64_t> heads;
    take(heads, Known<std::int64_t>{}, conflicts);
    BOOST_TEST(!heads);
    take(heads, Known<std::int64_t>{64, "card: heads"}, conflicts);
    take(heads, Known<std::int64_t>{64, "config.json: heads"}, conflicts);
    BOOST_TEST(*heads == 64);
    BOOST_TEST(conflicts.empty());
    take(heads, Known<std::int64_t>{32, "config.json: heads"}, conflicts);
    BOOST_TEST(*heads == 64);
    Known<bool> mla{true, "model.is_mla"};
    take(mla, Known<bool>{false, "card: is_mla"}, conflicts);
    const std::vector<std::string> expected{"card: heads is 64, but config.json: heads is 32",
                                            "model.is_mla is true, but card: is_mla is false"};
    BOOST_TEST(conflicts == expected, boost::test_tools::per_element());
    BOOST_TEST(places(heads, mla, Known<double>{}, heads) == "card: heads, model.is_mla");
}

BOOST_AUTO_TEST_CASE(bytes_are_shown_as_gib)
{
    constexpr double gib = 1024.0 * 1024 * 1024;
    BOOST_TEST(serving::gib_text(10.25 * gib) == "10.2");
    BOOST_TEST(serving::gib_text(0.0125 * gib) == "0.013");
}
