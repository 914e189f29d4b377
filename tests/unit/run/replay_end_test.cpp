// SPDX-License-Identifier: MIT
#include <slo/run/replay_end.hpp>

#define BOOST_TEST_MODULE run_replay_end
#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace slo::run;
using slo::Exit;
using slo::record::RequestStatus;

namespace {

ReplayProgress progress(std::int64_t due, std::int64_t ok)
{
    ReplayProgress now;
    now.due = due;
    now.ended[static_cast<std::size_t>(RequestStatus::ok)] = ok;
    now.ended[static_cast<std::size_t>(RequestStatus::failed)] = due - ok;
    return now;
}

using Notes = std::vector<std::string>;

} // namespace

BOOST_AUTO_TEST_CASE(a_run_to_its_end_says_nothing_when_all_went_well)
{
    const ReplayEnd end;
    BOOST_TEST(end.stopped_by().empty());
    BOOST_TEST(notes_of(end, progress(3, 3), {}, false).empty());
    BOOST_TEST((notes_of(end, progress(3, 3), {}, true) ==
                Notes{"3 due: 3 ok, 0 failed, 0 unfinished, 0 not sent"}));
    BOOST_TEST((status_of(end, progress(3, 1)) == Exit::ok));
    BOOST_TEST((status_of(end, progress(3, 0)) == Exit::negative));
}

BOOST_AUTO_TEST_CASE(what_went_wrong_is_said)
{
    ReplayEnd end;
    end.first_error = "HTTP 500";
    end.textfile_fault = "m: No space left on device";
    slo::record::RunTotals rounds;
    rounds.rounds = 4;
    rounds.saturated_rounds = 1;
    BOOST_TEST((notes_of(end, progress(3, 2), rounds, false) ==
                Notes{"3 due: 2 ok, 1 failed, 0 unfinished, 0 not sent; the first: HTTP 500",
                      "--prom-textfile: m: No space left on device",
                      "the client was the limit in 1 of 4 rounds: see client.saturated_by"}));
}

BOOST_AUTO_TEST_CASE(what_is_cut_short_is_undecided)
{
    ReplayEnd end;
    end.exhausted = true;
    BOOST_TEST(end.stopped_by() == "route_exhausted");
    BOOST_TEST(notes_of(end, progress(1, 1), {}, false).size() == 2U);
    BOOST_TEST((status_of(end, progress(1, 1)) == Exit::undecided));
    end.cut_short_by = "interrupted";
    BOOST_TEST(end.stopped_by() == "interrupted");
    BOOST_TEST(notes_of(end, progress(1, 1), {}, false).back() == "interrupted");
    BOOST_TEST((status_of(end, progress(1, 1)) == Exit::undecided));
}

BOOST_AUTO_TEST_CASE(a_reader_that_has_decided_ends_the_run_in_order)
{
    ReplayEnd end;
    end.cut_short_by = "decided";
    end.exhausted = true; // while the last answers were awaited
    BOOST_TEST(end.stopped_by() == "decided");
    const auto notes = notes_of(end, progress(3, 0), {}, false);
    BOOST_REQUIRE_EQUAL(notes.size(), 2U);
    BOOST_TEST(notes[1].starts_with("decided: "));
    BOOST_TEST((status_of(end, progress(3, 0)) == Exit::ok)); // failures decide, too
}
