// SPDX-License-Identifier: MIT
#include <slo/run/service_log.hpp>

#define BOOST_TEST_MODULE run_service_log
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_file.hpp"

#include <fstream>
#include <string>

using namespace slo;
using namespace slo::run;

namespace {

struct Log {
    test::ScratchFile file;
    record::ServiceState state;

    explicit Log(const std::string& text)
    {
        std::ofstream(file.path()) << text;
        state.log = file.path();
    }
    std::string tail(std::size_t lines) const { return log_tail(state, lines); }
};

} // namespace

BOOST_AUTO_TEST_CASE(the_last_lines)
{
    const Log log("one\ntwo\nthree\n");
    BOOST_TEST(log.tail(0) == "");
    BOOST_TEST(log.tail(1) == "three\n");
    BOOST_TEST(log.tail(2) == "two\nthree\n");
    BOOST_TEST(log.tail(9) == "one\ntwo\nthree\n");
    BOOST_TEST(Log("one\ntwo").tail(1) == "two");
    BOOST_TEST(Log("").tail(3) == "");
    BOOST_TEST(Log("\n\n").tail(1) == "\n");
}

BOOST_AUTO_TEST_CASE(only_those_of_this_start)
{
    Log log("before\nafter\n");
    log.state.log_offset = 7;
    BOOST_TEST(log.tail(5) == "after\n");
    log.state.log_offset = 1000; // the log was begun anew
    BOOST_TEST(log.tail(5) == "before\nafter\n");
}

BOOST_AUTO_TEST_CASE(lines_longer_than_a_block_and_a_log_without_lines)
{
    const auto longest = std::string(200'000, 'x');
    const Log log("a\n" + longest + "\nb\n");
    BOOST_TEST(log.tail(2) == longest + "\nb\n");
    BOOST_TEST(log.tail(3) == "a\n" + longest + "\nb\n");
    BOOST_TEST(Log(std::string(5'000'000, 'y')).tail(1).size() == std::size_t{4} << 20);
}

BOOST_AUTO_TEST_CASE(for_people)
{
    const Log log("a\n\033[1mbold\r\n");
    const auto lines = log_tail_lines(log.state, 5);
    BOOST_REQUIRE(lines.size() == 2U);
    BOOST_TEST(lines[1] == "?[1mbold");
    record::ServiceState none;
    none.log = "/no/such/log";
    BOOST_TEST(log_tail_lines(none, 5).empty());
    BOOST_CHECK_THROW(log_tail(none, 5), IoError);
}
