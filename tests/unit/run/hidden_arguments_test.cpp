// SPDX-License-Identifier: MIT
#include <slo/run/hidden_arguments.hpp>

#define BOOST_TEST_MODULE run_hidden_arguments
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

BOOST_AUTO_TEST_CASE(values_are_overwritten_in_place_and_kept_in_the_copy)
{
    std::vector<std::string> words{"tool", "--api-key", "sk-1", "--api-key=sk-2", "--api-key-file",
                                   "f",    "-HA: b",    "-H",   "C: d",           "--api-key"};
    const auto original = words;
    std::vector<char*> argv;
    for (auto& word : words)
        argv.push_back(word.data());
    const slo::run::HiddenArguments hidden(static_cast<int>(argv.size()), argv.data(), {"--api-key", "-H"});
    BOOST_TEST(words[2] == "xxxx");
    BOOST_TEST(words[3] == "--api-key=xxxx");
    BOOST_TEST(words[4] == "--api-key-file");
    BOOST_TEST(words[5] == "f");
    BOOST_TEST(words[6] == "-Hxxxx");
    BOOST_TEST(words[7] == "-H");
    BOOST_TEST(words[8] == "xxxx");
    for (std::size_t i = 0; i < original.size(); ++i)
        BOOST_TEST(hidden.argv()[i] == original[i]);
    BOOST_TEST(hidden.argv()[original.size()] == nullptr);
}
