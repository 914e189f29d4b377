// SPDX-License-Identifier: MIT
#include <slo/cli/option_value.hpp>

#define BOOST_TEST_MODULE cli_option_value
#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <optional>
#include <string>

using slo::cli::from_text;
using slo::cli::to_text;

BOOST_AUTO_TEST_CASE(shows_defaults_as_one_types_them)
{
    BOOST_TEST(to_text(6.5) == "6.5");
    BOOST_TEST(to_text(30.0) == "30");
    BOOST_TEST(to_text(std::int64_t{-3}) == "-3");
    BOOST_TEST(to_text(std::optional<double>()) == "");
    BOOST_TEST(to_text(std::optional<int>(4)) == "4");
    BOOST_TEST(to_text(std::string("auto")) == "auto");
}

BOOST_AUTO_TEST_CASE(reads_whole_values_only)
{
    std::optional<int> count;
    from_text("12", count);
    BOOST_TEST(count.value() == 12);
    double seconds = 0;
    from_text("2.5", seconds);
    BOOST_TEST(seconds == 2.5);
    BOOST_CHECK_THROW(from_text("2.5s", seconds), slo::UsageError);
    BOOST_CHECK_THROW(from_text("nan", seconds), slo::UsageError);
    std::uint16_t port = 0;
    BOOST_CHECK_THROW(from_text("70000", port), slo::UsageError);
    BOOST_CHECK_THROW(from_text("", port), slo::UsageError);
}
