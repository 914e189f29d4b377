// SPDX-License-Identifier: MIT
// bisect: the largest request rate at which a probe command still passes.

#include <slo/cli/main.hpp>
#include <slo/cli/progress.hpp>
#include <slo/net/library_version.hpp>
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
    o.session.describe(table);
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
         "Finds the largest request rate at which COMMAND, {qps} replaced by the rate, passes.",
         net::library_version()},
        describe, search, argc, argv);
}
