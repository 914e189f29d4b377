// What a verb of route-build makes, for unit tests.

#ifndef SLO_TESTS_SUPPORT_BUILT_ROUTE_HPP
#define SLO_TESTS_SUPPORT_BUILT_ROUTE_HPP

#include "scratch_file.hpp"

#include <slo/base/json.hpp>
#include <slo/io/jsonl.hpp>
#include <slo/workload/build.hpp>

#include <string>
#include <vector>

namespace slo::test {

/// Rows, text and manifest of one build.
struct BuiltRoute {
    std::string text;
    std::vector<slo::json::object> rows;
    slo::json::object manifest;
    std::string notes;
};

/// Runs a verb whose options are as given, but for where it writes.
template <class Options>
BuiltRoute build_route(Options options)
{
    const ScratchFile output;
    const ScratchFile manifest;
    options.build.output = output.path();
    options.build.manifest = manifest.path();
    BuiltRoute route;
    slo::workload::Build build(Options::verb, options.build,
                               [&](const std::string& note) { route.notes += note + '\n'; });
    options.run(build);
    build.finish(slo::workload::record_options(options));
    slo::io::LineReader lines(output.path());
    while (const auto line = lines.next()) {
        route.text += std::string(*line) + '\n';
        route.rows.push_back(slo::parse_json(*line).as_object());
    }
    slo::io::LineReader records(manifest.path());
    route.manifest = slo::io::next_object(records).value();
    return route;
}

} // namespace slo::test

#endif
