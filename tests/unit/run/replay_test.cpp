// SPDX-License-Identifier: MIT
#include <slo/run/replay.hpp>
#include <slo/run/replay_route.hpp>

#define BOOST_TEST_MODULE run_replay
#include <boost/test/unit_test.hpp>

#include "../../support/canned_server.hpp"
#include "../../support/scratch_file.hpp"

#include <slo/record/request_rounds.hpp>
#include <slo/record/round.hpp>
#include <slo/stats/objective.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <set>
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
    std::function<void(const ReplayProgress&)> on_progress = [](const ReplayProgress&) {};

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
                            [this](const ReplayProgress& now) { on_progress(now); }};
        return Replay(options, out, report).run();
    }

    std::string first_round() const
    {
        std::ifstream in(rounds);
        std::string line;
        std::getline(in, line);
        return line;
    }

    static std::vector<slo::json::object> records(const std::string& path)
    {
        std::vector<slo::json::object> all;
        slo::io::LineReader reader(path);
        while (auto record = slo::io::next_object(reader))
            all.push_back(std::move(*record));
        return all;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(replay, Fixture)

BOOST_AUTO_TEST_CASE(a_run_to_its_end_is_ok_and_silent)
{
    BOOST_TEST((run() == slo::Exit::ok));
    BOOST_REQUIRE_EQUAL(notes.size(), 1U); // the unit of the timestamps
    BOOST_TEST(notes[0].starts_with("the unit of the timestamps is unknown"));
    BOOST_TEST(first_round().find(R"("counts":{"due":4,"sent":4,"ok":4,)") != std::string::npos);
    BOOST_TEST(server.received().size() == 5U); // the check and the requests
}

BOOST_AUTO_TEST_CASE(a_run_without_a_success_is_negative)
{
    options.api_base = server.url("500");
    BOOST_TEST((run() == slo::Exit::negative));
    BOOST_REQUIRE_EQUAL(notes.size(), 2U);
    BOOST_TEST(notes[1] == "4 due: 0 ok, 4 failed, 0 unfinished, 0 not sent; the first: HTTP 500: as told");
}

BOOST_AUTO_TEST_CASE(too_few_rows_are_said_before_and_after)
{
    write_route(2);
    BOOST_TEST((run() == slo::Exit::undecided));
    BOOST_REQUIRE_EQUAL(notes.size(), 4U);
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

BOOST_AUTO_TEST_CASE(what_breaks_the_loop_costs_no_window)
{
    options.max_rounds = 2;
    options.continuous_qps_window = true;
    options.target_qps = 2;
    on_progress = [](const ReplayProgress& now) {
        if (now.elapsed_s > 1.2)
            throw slo::Error("broken");
    };
    BOOST_CHECK_EXCEPTION(run(), slo::Error, [](const auto& e) { return std::string(e.what()) == "broken"; });
    const auto all = records(rounds);
    BOOST_REQUIRE_EQUAL(all.size(), 2U);
    BOOST_TEST(slo::to_json(all[1]).find(R"("flags":["interrupted"])") != std::string::npos);
}

// A request log holds all that the rounds of its run do.
BOOST_AUTO_TEST_CASE(the_request_log_gives_the_same_rounds)
{
    const slo::test::ScratchFile requests;
    options.requests_out = requests.path();
    options.api_base = server.url("slower");
    options.continuous_qps_window = true;
    options.target_qps = 8;
    options.max_rounds = 2;
    write_route(16);
    options.objectives = {"e2e:p50<0.1", "ttft:p90<0.05", "success>=99%"};
    BOOST_TEST((run() == slo::Exit::ok));
    std::vector<slo::stats::Objective> objectives;
    for (const auto& text : options.objectives)
        objectives.push_back(slo::stats::parse_objective(text));
    slo::record::RequestRounds log(objectives);
    for (const auto& record : records(requests.path()))
        log.add(record);
    const auto made = log.rounds();
    const auto written = records(rounds);
    BOOST_REQUIRE_EQUAL(made.size(), 2U);
    BOOST_REQUIRE_EQUAL(written.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        const auto round = slo::record::read_round(written[i]).value();
        BOOST_TEST(made[i].due.value() == 8);
        BOOST_TEST((made[i].due == round.due && made[i].ok == round.ok));
        BOOST_TEST((made[i].p50_latency_s == round.p50_latency_s));
        BOOST_TEST((made[i].target_qps == round.target_qps && made[i].actual_qps == round.actual_qps));
        BOOST_TEST((made[i].wire_dispatch_qps == round.wire_dispatch_qps));
        BOOST_REQUIRE_EQUAL(made[i].objectives.size(), round.objectives.size());
        for (std::size_t k = 0; k < round.objectives.size(); ++k) {
            BOOST_TEST(made[i].objectives[k].text == round.objectives[k].text);
            BOOST_TEST(made[i].objectives[k].requests == round.objectives[k].requests);
            BOOST_TEST(made[i].objectives[k].met == round.objectives[k].met);
        }
    }
}

// Case: a route of 24 conversations, with equal timestamps among their turns.
BOOST_AUTO_TEST_CASE(conversations_of_a_recorded_route_stay_causal)
{
    const slo::test::ScratchFile requests;
    options.input = "tests/data/routes/multiturn_240.jsonl";
    options.requests_out = requests.path();
    options.use_chat = options.disable_min_p = options.serialize_conversations = true;
    options.target_qps = 240;
    options.continuous_qps_window = true;
    BOOST_TEST((run() == slo::Exit::ok));
    struct Turn {
        double due_s, sent_s, end_s;
    };
    std::map<std::string, std::vector<Turn>> conversations;
    for (const auto& record : records(requests.path())) {
        if (slo::string_at(record, "schema").value() != "sloutils.request/1")
            continue;
        const auto at = [&](const char* name) { return slo::number_at(record, name).value(); };
        conversations[std::string(slo::string_at(record, "conv_id").value())].push_back(
            {at("due_s"), at("sent_s"), at("end_s")});
    }
    BOOST_TEST(conversations.size() == 61U);
    std::size_t turns = 0;
    for (auto& [conv_id, each] : conversations) {
        std::sort(each.begin(), each.end(), [](const auto& a, const auto& b) { return a.due_s < b.due_s; });
        for (std::size_t i = 1; i < each.size(); ++i)
            BOOST_TEST(each[i].sent_s >= each[i - 1].end_s, conv_id);
        turns += each.size();
    }
    BOOST_TEST(turns == 240U);
}

BOOST_AUTO_TEST_CASE(a_recorded_route_of_long_prompts_is_sent_whole)
{
    options.input = "tests/data/routes/autoreply_20.jsonl";
    options.use_chat = options.disable_min_p = true;
    options.target_qps = 20;
    BOOST_TEST((run() == slo::Exit::ok));
    std::size_t bytes = 0;
    for (const auto& request : server.received())
        bytes += request.body.size();
    BOOST_TEST(server.received().size() == 21U);
    BOOST_TEST(bytes > 480'000U);
}

BOOST_AUTO_TEST_CASE(shards_add_up_to_the_whole_run_window_by_window)
{
    options.input = "tests/data/routes/multiturn_240.jsonl";
    options.use_chat = options.disable_min_p = true;
    options.target_qps = 120;
    options.max_rounds = 2;
    options.continuous_qps_window = true;
    options.seed = 5;
    std::vector<std::int64_t> due(2);
    std::set<std::string> ids;
    for (const char* shard : {"0/3", "1/3", "2/3"}) {
        const slo::test::ScratchFile own_rounds;
        const slo::test::ScratchFile requests;
        options.shard = shard;
        options.json_output = own_rounds.path();
        options.requests_out = requests.path();
        BOOST_TEST((run() == slo::Exit::ok));
        const auto all = records(own_rounds.path());
        BOOST_REQUIRE_EQUAL(all.size(), 2U);
        for (std::size_t i = 0; i < 2; ++i) {
            const auto own = slo::integer_at(*slo::object_at(all[i], "counts"), "due").value();
            BOOST_TEST(own > 10);
            BOOST_TEST(own < 100);
            due[i] += own;
            BOOST_TEST(slo::number_at(all[i], "target_qps").value() == 120);
        }
        for (const auto& record : records(requests.path())) {
            if (const auto id = slo::string_at(record, "id"))
                BOOST_TEST(ids.insert(std::string(*id)).second);
        }
    }
    BOOST_TEST((due == std::vector<std::int64_t>{120, 120}));
    BOOST_TEST(ids.size() == 240U);
}

BOOST_AUTO_TEST_SUITE_END()
