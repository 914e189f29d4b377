// SPDX-License-Identifier: MIT
// bisect: the largest request rate at which a probe command still passes.

#include <slo/cli/main.hpp>
#include <slo/cli/progress.hpp>
#include <slo/report/search_table.hpp>
#include <slo/run/search_session.hpp>

namespace {

using namespace slo;

struct Options {
    run::SessionOptions session;
    std::string progress = "auto";
    bool quiet = false;
};

void describe(cli::OptionTable& table, Options& o)
{
    auto& search = o.session.search;
    table.command(search.command);
    table.section("Search");
    table.add("low,l", search.low, "QPS", "rate probed first, thought to pass");
    table.add("high,H", search.high, "QPS", "rate thought to fail");
    table.add("slo,s", search.slo, "SECONDS", "latency that a passing rate stays below (6.5)");
    table.add("precision,p", search.precision, "QPS", "step of the grid of rates (0.1)");
    table.add("ceiling", search.ceiling, "QPS", "no rate above this one is probed (64 times HIGH)");
    table.flag("offload", search.offload, "KV cache offload is on: 16 rounds, tail 8");
    table.add("total-rounds,n", search.total_rounds, "COUNT", "rounds of a probe, told to COMMAND (8)");
    table.add("tail-window,t", search.tail_window, "COUNT", "rounds that decide, told to COMMAND (4)");
    table.add("seed", search.seed, "NUMBER", "told to COMMAND (1)");
    table.section("Budget");
    table.add("max-probes", search.max_probes, "COUNT", "end after so many probes");
    table.add("max-time", search.max_time, "SECONDS", "begin no probe after this time");
    table.add("probe-timeout", o.session.probe_timeout, "SECONDS", "a probe that takes longer fails");
    table.section("Records");
    table.add("journal,j", o.session.journal, "FILE", "keep the search in FILE, or go on from there");
    table.add("report-every", o.session.report_every, "SECONDS",
              "between progress records (900, with --offload 1800)");
    table.section("Instead of a search");
    table.flag("next", o.session.next, "print the next rate for the records so far; status 1: none");
    table.flag("summary", o.session.summary, "print the result of the records so far");
    table.flag("dry-run", o.session.dry_run, "print what would be probed, run nothing");
    table.section("Output");
    table.add("progress", o.progress, "HOW", "auto, bar, plain or none");
    table.flag("quiet,q", o.quiet, "no progress and no table on stderr");
}

Exit search(const Options& o, cli::Streams& streams)
{
    cli::Progress progress("bisect", o.progress, o.quiet);
    run::SessionStreams session{streams.out, {}, {}, {}, {}};
    session.note = [&](const std::string& text) { streams.note(text); };
    session.progress = [&](const run::SearchProgress& now) { progress.update(now.fraction, now.text); };
    session.probe = [&](const record::SearchProbe& probe) {
        progress.clear();
        if (progress.mode() != cli::Progress::Mode::none)
            streams.note(report::probe_line(probe));
    };
    session.end = [&](const run::SessionEnd& end) {
        progress.clear();
        if (!o.quiet)
            std::fputs(report::search_table(end.probes, end.result, end.settings).c_str(), stderr);
    };
    return run::run_session(o.session, session);
}

} // namespace

int main(int argc, char** argv)
{
    return slo::cli::run_tool<Options>(
        {"bisect", "[OPTION]... --low QPS --high QPS -- COMMAND [ARG]...",
         "Finds the largest request rate at which COMMAND, {qps} replaced by the rate, passes.", ""},
        describe, search, argc, argv);
}
