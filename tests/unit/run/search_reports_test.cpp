// SPDX-License-Identifier: MIT
// Unit test of run/search_reports.hpp: what is told of records, without running anything.

#include <slo/run/search_reports.hpp>

#define BOOST_TEST_MODULE run_search_reports
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_folder.hpp"

#include <string>
#include <vector>

using namespace slo;
using namespace slo::run;

namespace {

struct Bench {
    test::ScratchFolder folder;
    SessionOptions options;
    std::vector<SessionEnd> ends;

    explicit Bench(const std::string& records)
    {
        options.search.low = 1;
        options.search.high = 2;
        options.journal = folder.write("journal", records);
    }

    template <class Print>
    Exit print(Print&& print)
    {
        io::JsonlWriter out(folder.path() + "/out");
        return print(options, SessionStreams{out, [](const std::string&) {}, [](const SearchProgress&) {},
                                             [](const record::SearchProbe&) {},
                                             [&](const SessionEnd& end) { ends.push_back(end); }});
    }

    std::string output() const { return io::read_all(folder.path() + "/out", 1 << 20); }
};

const std::string bracket = "{\"qps\":1.3,\"status\":\"PASS\"}\n{\"qps\":1.4,\"status\":\"FAIL\"}\n";

} // namespace

BOOST_AUTO_TEST_CASE(the_next_rate_stands_alone)
{
    Bench bench("{\"qps\":1,\"status\":\"PASS\"}\n");
    BOOST_TEST((bench.print(print_next) == Exit::ok));
    BOOST_TEST(bench.output() == "2.0\n");
    Bench ended(bracket);
    BOOST_TEST((ended.print(print_next) == Exit::negative));
    BOOST_TEST(ended.output() == "");
    ended.options.search.confirm = 1;
    BOOST_TEST((ended.print(print_next) == Exit::ok));
    BOOST_TEST(ended.output() == "1.3\n");
}

BOOST_AUTO_TEST_CASE(a_summary_has_the_result_and_its_status)
{
    Bench bench(bracket);
    BOOST_TEST((bench.print(print_summary) == Exit::ok));
    BOOST_TEST(*bench.ends.at(0).result.max_qps == 1.3);
    bench.options.search.confirm = 1;
    BOOST_TEST((bench.print(print_summary) == Exit::undecided));
    BOOST_TEST(bench.ends.at(1).result.reason == "unfinished");
}

BOOST_AUTO_TEST_CASE(a_plan_says_what_is_to_be_confirmed)
{
    Bench bench(bracket);
    bench.options.search.confirm = 2;
    bench.options.search.command = {"probe", "{qps}"};
    BOOST_TEST((bench.print(print_plan) == Exit::ok));
    BOOST_TEST(bench.output().find("\"confirm\":2") != std::string::npos);
    BOOST_TEST(bench.output().find("\"phase\":\"confirm\"") != std::string::npos);
    BOOST_TEST(bench.output().find("\"SLO_SEED\":\"2\"") != std::string::npos);
}
