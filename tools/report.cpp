// SPDX-License-Identifier: MIT
// report: searches, rounds and artifacts as tables, comparisons, plots and pages.

#include <slo/cli/main.hpp>
#include <slo/report/compare.hpp>
#include <slo/report/csv.hpp>
#include <slo/report/html.hpp>
#include <slo/report/plot.hpp>
#include <slo/report/report_streams.hpp>
#include <slo/report/table.hpp>

using namespace slo;

namespace {

template <class Options>
void describe(cli::OptionTable& table, Options& options)
{
    options.describe(table);
}

template <class Options>
Exit show(const Options& options, cli::Streams& streams)
{
    if constexpr (requires { options.files; })
        if (options.files == std::vector<std::string>{"-"} && cli::stdin_is_terminal())
            throw UsageError("no FILE given, and stdin is a terminal");
    return options.run({streams.out, [&](const std::string& text) { streams.note(text); }});
}

template <class Options>
cli::Verb verb()
{
    return cli::make_verb<Options>(Options::verb, Options::synopsis, Options::summary, describe, show);
}

} // namespace

int main(int argc, char** argv)
{
    return cli::run_verbs({"report", "VERB [OPTION]... [FILE]...",
                           "Shows what was measured: as tables, comparisons, plots and pages.", ""},
                          {
                              verb<report::TableOptions>(),
                              verb<report::CompareOptions>(),
                              verb<report::HtmlOptions>(),
                              verb<report::MarkdownOptions>(),
                              verb<report::CsvOptions>(),
                              verb<report::PlotOptions>(),
                          },
                          argc, argv);
}
