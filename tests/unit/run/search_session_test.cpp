// SPDX-License-Identifier: MIT
// Unit test of run/search_session.hpp: a search with its journal, and what is read back from it.

#include <slo/run/search_session.hpp>

#define BOOST_TEST_MODULE run_search_session
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

using namespace slo;
using namespace slo::run;

namespace {

struct Bench {
    std::filesystem::path folder;
    SessionOptions options;
    std::vector<std::string> notes;
    std::vector<SessionEnd> ends;
    std::size_t probed = 0;

    Bench()
    {
        auto name = (std::filesystem::temp_directory_path() / "slo-session-XXXXXX").string();
        BOOST_REQUIRE(::mkdtemp(name.data()));
        folder = name;
        options.search.low = 1;
        options.search.high = 2;
        options.search.command = {"/bin/sh", "-c", "case {qps} in 1.[0-3]) exit 0;; esac; exit 1"};
        options.journal = path("journal");
    }
    ~Bench() { std::filesystem::remove_all(folder); }

    std::string path(const std::string& name) const { return (folder / name).string(); }

    Exit run()
    {
        io::JsonlWriter out(path("out"));
        return run_session(options,
                           {out, [&](const std::string& text) { notes.push_back(text); },
                            [](const SearchProgress&) {}, [&](const record::SearchProbe&) { ++probed; },
                            [&](const SessionEnd& end) { ends.push_back(end); }});
    }

    std::string output() const { return io::read_all(path("out"), 1 << 20); }
};

} // namespace

BOOST_AUTO_TEST_CASE(a_search_ends_with_its_answer_and_a_second_run_repeats_it)
{
    Bench bench;
    BOOST_TEST((bench.run() == Exit::ok));
    BOOST_TEST(*bench.ends.at(0).result.max_qps == 1.3);
    const auto probed = bench.probed;
    const auto journal = io::read_all(bench.options.journal, 1 << 20);
    BOOST_TEST((bench.run() == Exit::ok));
    BOOST_TEST(bench.probed == probed);
    BOOST_TEST(bench.ends.at(1).probes.size() == probed);
    BOOST_TEST(io::read_all(bench.options.journal, 1 << 20) == journal);
}

BOOST_AUTO_TEST_CASE(next_and_summary_read_the_journal)
{
    Bench bench;
    bench.options.search.max_probes = 2;
    BOOST_TEST((bench.run() == Exit::undecided));
    bench.options.search.max_probes.reset();
    bench.options.next = true;
    BOOST_TEST((bench.run() == Exit::ok));
    BOOST_TEST(bench.output() == "1.5\n");
    bench.options.next = false;
    bench.options.summary = true;
    BOOST_TEST((bench.run() == Exit::undecided));
    BOOST_TEST(bench.output().find("\"reason\":\"max_probes\"") != std::string::npos);
    BOOST_TEST(bench.ends.back().probes.size() == 2u);
}

BOOST_AUTO_TEST_CASE(another_search_leaves_the_journal_alone)
{
    Bench bench;
    bench.run();
    const auto journal = io::read_all(bench.options.journal, 1 << 20);
    bench.options.search.slo = 2;
    BOOST_CHECK_THROW(bench.run(), Error);
    BOOST_TEST(io::read_all(bench.options.journal, 1 << 20) == journal);
}

BOOST_AUTO_TEST_CASE(a_plan_runs_nothing_and_makes_no_journal)
{
    Bench bench;
    bench.options.dry_run = true;
    BOOST_TEST((bench.run() == Exit::ok));
    BOOST_TEST(bench.probed == 0u);
    BOOST_TEST(!std::filesystem::exists(bench.options.journal));
    bench.options.next = true;
    BOOST_CHECK_THROW(bench.run(), UsageError);
}

BOOST_AUTO_TEST_CASE(what_makes_no_sense_is_refused_before_a_journal_is_made)
{
    Bench bench;
    bench.options.report_every = 0;
    BOOST_CHECK_THROW(bench.run(), UsageError);
    bench.options.report_every.reset();
    bench.options.search.command.clear();
    BOOST_CHECK_THROW(bench.run(), UsageError);
    BOOST_TEST(!std::filesystem::exists(bench.options.journal));
}
