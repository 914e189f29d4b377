// SPDX-License-Identifier: MIT
#include <slo/run/replay.hpp>

#define BOOST_TEST_MODULE run_replay
#include <boost/test/unit_test.hpp>

#include "../../support/canned_server.hpp"
#include "../../support/scratch_file.hpp"

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

using namespace slo::run;

namespace {

struct Fixture {
    slo::test::CannedServer server;
    slo::test::ScratchFile route_file;
    slo::test::ScratchFile rounds_file;
    const std::string& route = route_file.path();
    const std::string& rounds = rounds_file.path();
    ReplayOptions options;
    std::vector<std::string> notes;

    Fixture()
    {
        write_route(4);
        options.input = route;
        options.json_output = rounds;
        options.replay_mode = "qps";
        options.target_qps = 4;
        options.round_duration_s = 1;
        options.max_rounds = 1;
        options.api_base = server.url("ok");
    }
    void write_route(int rows) const
    {
        std::ofstream out(route);
        for (int i = 0; i < rows; ++i)
            out << R"({"ts":)" << i << R"(,"conv_id":"c)" << i << R"(","body":{"prompt":"q"}})" << '\n';
    }

    slo::Exit run()
    {
        slo::io::JsonlWriter out("-");
        ReplayReport report{[this](const std::string& note) { notes.push_back(note); },
                            [](const ReplayProgress&) {}};
        return Replay(options, out, report).run();
    }

    std::string first_round() const
    {
        std::ifstream in(rounds);
        std::string line;
        std::getline(in, line);
        return line;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(replay, Fixture)

BOOST_AUTO_TEST_CASE(a_run_to_its_end_is_ok_and_silent)
{
    BOOST_TEST((run() == slo::Exit::ok));
    BOOST_TEST(notes.empty());
    BOOST_TEST(first_round().find(R"("counts":{"due":4,"sent":4,"ok":4,)") != std::string::npos);
    BOOST_TEST(server.received().size() == 5U); // the check and the requests
}

BOOST_AUTO_TEST_CASE(a_run_without_a_success_is_negative)
{
    options.api_base = server.url("500");
    BOOST_TEST((run() == slo::Exit::negative));
    BOOST_REQUIRE_EQUAL(notes.size(), 1U);
    BOOST_TEST(notes[0] == "4 due: 0 ok, 4 failed, 0 unfinished, 0 not sent; the first: HTTP 500: as told");
}

BOOST_AUTO_TEST_CASE(too_few_rows_are_said_before_and_after)
{
    write_route(2);
    BOOST_TEST((run() == slo::Exit::undecided));
    BOOST_REQUIRE_EQUAL(notes.size(), 3U);
    BOOST_TEST(notes[0].starts_with("the route has 2 rows, the run needs 4"));
}

BOOST_AUTO_TEST_CASE(nothing_is_sent_when_the_route_is_bad_or_nobody_is_there)
{
    std::ofstream(route, std::ios::app) << "{bad\n";
    BOOST_CHECK_THROW(run(), slo::InputError);
    BOOST_TEST(server.received().empty());
    options.skip_bad = true;
    options.api_base = "http://127.0.0.1:1/v1";
    BOOST_CHECK_THROW(run(), slo::Error);
    BOOST_TEST(notes.at(0).starts_with("malformed rows skipped: 1, the first: "));
    BOOST_TEST(first_round().empty());
}

BOOST_AUTO_TEST_SUITE_END()
