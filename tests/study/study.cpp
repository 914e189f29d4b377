// SPDX-License-Identifier: MIT
// The study: searches by several strategies against engines whose true limit is known, in virtual time.

#include "study_options.hpp"

#include <slo/cli/main.hpp>

using namespace slo;

namespace {

template <class Options>
void describe(cli::OptionTable& table, Options& options)
{
    options.describe(table);
}

template <class Options>
Exit run(const Options& options, cli::Streams& streams)
{
    options.run([&](const std::string& text) { streams.out.write_text(text); });
    return Exit::ok;
}

} // namespace

int main(int argc, char** argv)
{
    using cli::make_verb;
    return cli::run_verbs(
        {"study", "VERB [OPTION]...", "Searches for limits that are known, and counts how far off they end.",
         ""},
        {make_verb<study::TruthOptions>("truth", "[OPTION]...", "Finds the true limit of each cell.",
                                        describe, run),
         make_verb<study::SearchOptions>("searches", "[OPTION]...", "Runs searches; prints one a line.",
                                         describe, run),
         make_verb<study::VerdictOptions>("verdicts", "[OPTION]...",
                                          "Runs verdicts at rates about the limit.", describe, run),
         make_verb<study::TableOptions>("tables", "[OPTION]...", "Summarises what the others printed.",
                                        describe, run)},
        argc, argv);
}
