// SPDX-License-Identifier: MIT
// route-verify: refuses a route that would make a load test lie.

#include <slo/cli/main.hpp>
#include <slo/io/atomic_file.hpp>
#include <slo/io/output_files.hpp>
#include <slo/io/remove_on_signal.hpp>
#include <slo/verify/verification.hpp>

#include <optional>

namespace {
using namespace slo;

struct Options {
    verify::VerifyOptions verify;
    std::vector<std::string> files{"-"};
    std::string report;
    bool list_rules = false;
    bool quiet = false;
};

void describe(cli::OptionTable& table, Options& options)
{
    table.positional(options.files);
    options.verify.describe(table);
    table.section("Output");
    table.add("report", options.report, "FILE", "write the record there, too");
    table.flag("list-rules", options.list_rules, "list the rules, one a line, and end");
    table.flag("quiet,q", options.quiet, "no line on stderr for a broken rule");
}

// A report in place of the route would be its loss.
void check_files(const Options& options)
{
    if (options.files.size() != 1)
        throw UsageError("more than one FILE");
    if (io::is_same_file(options.report, options.files[0] == "-" ? "/dev/stdin" : options.files[0]))
        throw UsageError("--report", "cannot be the route");
    io::check_copy("--report", options.report);
    if (options.files[0] == "-" && cli::stdin_is_terminal())
        throw UsageError("no FILE given, and stdin is a terminal");
}

Exit run(const Options& options, cli::Streams& streams)
{
    if (options.list_rules) {
        streams.out.write_text(verify::list_rules());
        return Exit::ok;
    }
    check_files(options);
    io::RemoveOnSignal signals;
    verify::Verification verification(verify::make_plan(options.verify));
    verification.read(io::LineReader(options.files[0]));
    std::vector<std::string> failed;
    const auto record = verification.record(failed);
    if (!options.report.empty()) {
        std::optional<io::AtomicFile> report;
        signals.watch([&] { return std::string_view(report.emplace(options.report).partial_path()); });
        report->write(to_json(record) + "\n");
        report->commit();
    }
    streams.out.write(record);
    if (!options.quiet)
        for (const auto& line : failed)
            streams.note(line);
    return failed.empty() ? Exit::ok : Exit::negative;
}

} // namespace

int main(int argc, char** argv)
{
    return cli::run_tool({"route-verify", "[OPTION]... [FILE]",
                          "Checks a route rule by rule: status 0 where all are kept, 1 where one is broken.",
                          ""},
                         describe, run, argc, argv);
}
