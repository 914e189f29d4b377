// SPDX-License-Identifier: MIT
// gpu-preflight: whether this machine and its GPUs are fit for a measurement.

#include <slo/cli/main.hpp>
#include <slo/io/atomic_file.hpp>
#include <slo/report/preflight_text.hpp>
#include <slo/run/gpu_preflight.hpp>

namespace {
using namespace slo;

using Options = run::GpuPreflightOptions;

void describe(cli::OptionTable& table, Options& options)
{
    options.describe(table);
}

Exit check(const Options& options, cli::Streams& streams)
{
    options.checked();
    io::check_copy("--json-out", options.json_out);
    const auto done = run::gpu_preflight(options);
    const auto record = done.to_record();
    if (!options.json_out.empty()) {
        io::AtomicFile file(options.json_out);
        file.write(to_json(record) + "\n");
        file.commit();
    }
    streams.out.write(record);
    if (!options.quiet) {
        for (const auto& line : report::preflight_lines(done.facts, done.links, done.issues))
            streams.note(line);
    }
    return done.exit;
}

} // namespace

int main(int argc, char** argv)
{
    return cli::run_tool<Options>({"gpu-preflight", "[OPTION]...",
                                   "Says whether this machine and its GPUs are fit for a measurement: 0 "
                                   "green, 1 warnings, 2 a blocker.",
                                   ""},
                                  describe, check, argc, argv);
}
