// SPDX-License-Identifier: MIT
// config-check: says before a run what is wrong with a deployment.

#include <slo/cli/main.hpp>
#include <slo/serving/config_check.hpp>

namespace {
using namespace slo;

struct Options {
    serving::CheckOptions check;
    std::vector<std::string> files{"-"};
    bool list_rules = false;
    bool quiet = false;
};

void describe(cli::OptionTable& table, Options& options)
{
    table.positional(options.files);
    options.check.describe(table);
    table.section("Output");
    table.flag("list-rules", options.list_rules, "list the rules, one a line, and end");
    table.flag("quiet,q", options.quiet, "no lines on stderr for findings");
}

// "config-check: benchmark.yaml: warn: kv-memory: reason (fix: what to do)".
std::string line_for_people(const std::string& sidecar, const serving::Finding& finding)
{
    return printable(io::display_name(sidecar), 300) + ": " + std::string(name_of(finding.verdict)) + ": " +
           finding.rule + ": " + finding.reason + (finding.fix.empty() ? "" : " (fix: " + finding.fix + ")");
}

Exit run(const Options& options, cli::Streams& streams)
{
    if (options.list_rules) {
        streams.out.write_text(serving::list_rules());
        return Exit::ok;
    }
    if (options.files.size() != 1)
        throw UsageError("more than one SIDECAR");
    const auto& sidecar = options.files[0];
    if (sidecar == "-" && cli::stdin_is_terminal())
        throw UsageError("no SIDECAR given, and stdin is a terminal");
    const auto result = serving::check_files(sidecar, options.check);
    const bool strict = options.check.warnings_as_errors;
    streams.out.write(serving::to_record(result, sidecar, strict));
    if (!options.quiet)
        for (const auto& finding : result.findings)
            streams.note(line_for_people(sidecar, finding));
    return result.is_valid(strict) ? Exit::ok : Exit::negative;
}

} // namespace

int main(int argc, char** argv)
{
    return cli::run_tool({"config-check", "[OPTION]... [SIDECAR]",
                          "Checks a deployment rule by rule: status 0 where it is valid, 1 where it is not.",
                          ""},
                         describe, run, argc, argv);
}
