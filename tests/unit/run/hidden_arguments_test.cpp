// SPDX-License-Identifier: MIT
#include <slo/run/hidden_arguments.hpp>

#define BOOST_TEST_MODULE run_hidden_arguments
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace {

// What ps shows of these; the copy must hold what they were.
std::vector<std::string> shown(std::vector<std::string> words)
{
    const auto original = words;
    std::vector<char*> argv;
    for (auto& word : words)
        argv.push_back(word.data());
    const slo::run::HiddenArguments hidden(static_cast<int>(argv.size()), argv.data(), {"--api-key", "-H"});
    for (std::size_t i = 0; i < original.size(); ++i)
        BOOST_TEST(hidden.argv()[i] == original[i]);
    BOOST_TEST(hidden.argv()[original.size()] == nullptr);
    return words;
}

} // namespace

BOOST_AUTO_TEST_CASE(values_are_overwritten_in_place_and_kept_in_the_copy)
{
    const auto words = shown({"tool", "--api-key", "sk-1", "--api-key=sk-2", "--api-key-file", "f", "-HA: b",
                              "-H", "C: d", "--api-key"});
    BOOST_TEST(words[2] == "xxxx");
    BOOST_TEST(words[3] == "--api-key=xxxx");
    BOOST_TEST(words[4] == "--api-key-file");
    BOOST_TEST(words[5] == "f");
    BOOST_TEST(words[6] == "-Hxxxx");
    BOOST_TEST(words[7] == "-H");
    BOOST_TEST(words[8] == "xxxx");
    BOOST_TEST(words[9] == "--api-key");
}

BOOST_AUTO_TEST_CASE(a_short_option_may_stand_behind_flags)
{
    const auto words =
        shown({"tool", "-qH", "A: b", "-qvHA: b", "-q", "C: d", "--Hers", "-H", "--api-key", "sk", "-qH"});
    BOOST_TEST(words[1] == "-qH");
    BOOST_TEST(words[2] == "xxxx");
    BOOST_TEST(words[3] == "-qvHxxxx");
    BOOST_TEST(words[4] == "-q");
    BOOST_TEST(words[5] == "C: d");
    BOOST_TEST(words[6] == "--Hers");
    BOOST_TEST(words[9] == "xx"); // whichever of the two words before it is the option
}

BOOST_AUTO_TEST_CASE(user_and_password_of_a_url_are_hidden)
{
    const auto words = shown({"tool", "--api-base", "http://user:pw@host:1/v1", "--api-base=https://u@h",
                              "http://host/a@b", "http://a:b@c@host?x=@", "u:p@h", "https://", ""});
    BOOST_TEST(words[2] == "http://xxxxxxx@host:1/v1");
    BOOST_TEST(words[3] == "--api-base=https://x@h");
    BOOST_TEST(words[4] == "http://host/a@b");
    BOOST_TEST(words[5] == "http://xxxxx@host?x=@");
    BOOST_TEST(words[6] == "u:p@h");
    BOOST_TEST(words[7] == "https://");
}
