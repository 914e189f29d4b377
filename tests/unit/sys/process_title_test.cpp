// SPDX-License-Identifier: MIT
#include <slo/sys/process_title.hpp>

#define BOOST_TEST_MODULE sys_process_title
#include <boost/test/unit_test.hpp>

#include <slo/sys/process_id.hpp>

#include <cstring>
#include <string>

using namespace slo::sys;

BOOST_AUTO_TEST_CASE(the_title_stays_within_the_memory_of_the_arguments)
{
    char memory[] = "serve-ctl\0start\0--secret\0x";
    char* words[] = {memory, memory + 10, memory + 16, memory + 25, nullptr};
    ProcessTitle::set("before: nothing is known");
    BOOST_TEST(std::string(memory) == "serve-ctl");
    ProcessTitle::remember(4, words);
    ProcessTitle::set("short");
    BOOST_TEST(std::string(memory, sizeof memory) ==
               std::string("short") + std::string(sizeof memory - 5, '\0'));
    ProcessTitle::set(std::string(100, 'y'));
    BOOST_TEST(std::string(memory, sizeof memory) == std::string(sizeof memory - 1, 'y') + '\0');
}

BOOST_AUTO_TEST_CASE(words_elsewhere_are_let_alone)
{
    char first[] = "serve-ctl";
    char second[] = "start";
    char* words[] = {first, second, nullptr};
    ProcessTitle::remember(2, words);
    ProcessTitle::set("a very long title");
    BOOST_TEST(std::string(first) == "a very lo");
    BOOST_TEST(std::string(second) == "start");
}
