// SPDX-License-Identifier: MIT
#include <slo/cli/options.hpp>

#define BOOST_TEST_MODULE cli_options
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace {

struct Options {
    int rounds = 8;
    double slo_s = 6.5;
    std::optional<int> seed;
    std::array<double, 2> range{0, 1};
    bool verbose = false;
    bool prefer = true;
    std::vector<std::string> inputs;
    std::vector<std::string> headers;
    std::vector<std::string> files{"-"};
    std::vector<std::string> command;
};

slo::cli::OptionTable table_for(Options& options)
{
    slo::cli::OptionTable table;
    table.add("total-rounds,n", options.rounds, "COUNT", "rounds a full run has");
    table.add("slo", options.slo_s, "SECONDS", "limit");
    table.add("seed", options.seed, "N", "seed");
    table.add_pair("sample-range", options.range, "START END", "sampling");
    table.flag("verbose,v", options.verbose, "say more");
    table.toggle("prefer", options.prefer, "prefer it");
    table.add_list("json", options.inputs, "FILE...", "inputs");
    table.add_repeatable("header", options.headers, "LINE", "a header");
    table.positional(options.files);
    table.command(options.command);
    return table;
}

Options parsed(const std::vector<std::string>& words)
{
    Options options;
    table_for(options).parse(words);
    return options;
}

std::string refusal(const std::vector<std::string>& words)
{
    try {
        parsed(words);
    } catch (const slo::UsageError& error) {
        return error.what();
    }
    return "";
}

using Words = std::vector<std::string>;

} // namespace

BOOST_AUTO_TEST_CASE(keeps_defaults_when_nothing_is_given)
{
    const auto options = parsed({});
    BOOST_TEST(options.rounds == 8);
    BOOST_TEST(!options.seed);
    BOOST_TEST(options.files == Words{"-"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(takes_every_form_and_the_last_of_repeated_ones)
{
    const auto options = parsed({"-n", "3", "--slo=2", "--slo", "-1.5", "--sample-range", "0.25", "0.5", "-v",
                                 "--no-prefer", "--prefer", "--no-prefer", "--seed", "7", "a", "-"});
    BOOST_TEST(options.rounds == 3);
    BOOST_TEST(options.slo_s == -1.5);
    BOOST_TEST(options.range[0] == 0.25);
    BOOST_TEST(options.range[1] == 0.5);
    BOOST_TEST(options.verbose);
    BOOST_TEST(!options.prefer);
    BOOST_TEST(options.seed.value() == 7);
    BOOST_TEST(options.files == (Words{"a", "-"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(collects_lists)
{
    const auto options =
        parsed({"--json", "a", "b", "--json", "c", "--header", "x: 1", "rest", "--header", "y: 2"});
    BOOST_TEST(options.inputs == (Words{"a", "b", "c"}), boost::test_tools::per_element());
    BOOST_TEST(options.headers == (Words{"x: 1", "y: 2"}), boost::test_tools::per_element());
    BOOST_TEST(options.files == Words{"rest"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(leaves_the_command_untouched)
{
    const auto options = parsed({"-n", "2", "--", "./probe", "{qps}", "--slo", "x", "--"});
    BOOST_TEST(options.command == (Words{"./probe", "{qps}", "--slo", "x", "--"}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(refuses_with_the_name_of_the_option)
{
    BOOST_TEST(refusal({"--total-rounds", "1.0"}) == "--total-rounds: '1.0' is not a whole number in range");
    BOOST_TEST(refusal({"--slo", "1,5"}) == "--slo: '1,5' is not a number");
    BOOST_TEST(refusal({"--sample-range", "0"}) != "");
    BOOST_TEST(refusal({"--total", "1"}) != "");
    BOOST_TEST(refusal({"--bogus"}) != "");
    BOOST_TEST(refusal({"--slo"}) != "");
    Options options;
    slo::cli::OptionTable table;
    table.flag("x", options.verbose, "x");
    BOOST_CHECK_THROW(table.parse({"stray"}), slo::UsageError);
}

BOOST_AUTO_TEST_CASE(help_and_list_come_from_the_table)
{
    Options options;
    const auto table = table_for(options);
    BOOST_TEST(table.help().find("  -n, --total-rounds COUNT      rounds a full run has (8)\n") !=
               std::string::npos);
    BOOST_TEST(table.list().find("--sample-range\tSTART END\n") != std::string::npos);
    BOOST_TEST(table.list().find("--no-prefer\n") != std::string::npos);
}
