// SPDX-License-Identifier: MIT
// serve-ctl: starts a service, waits for it, tells dead from slow, and stops what it started.

#include <slo/cli/main.hpp>
#include <slo/cli/progress.hpp>
#include <slo/io/signals.hpp>
#include <slo/net/library_version.hpp>
#include <slo/run/service_logs.hpp>
#include <slo/run/service_probe.hpp>
#include <slo/run/service_start.hpp>
#include <slo/run/service_stop.hpp>

using namespace slo;
using namespace slo::run;

namespace {

template <class Options>
void describe(cli::OptionTable& table, Options& options)
{
    options.describe(table);
}

Exit start(const ServiceStartOptions& o, cli::Streams& streams)
{
    streams.out.write(record::to_record(start_service(o, [&](auto& text) { streams.note(text); })));
    return Exit::ok;
}

Exit wait(const ServiceWaitOptions& o, cli::Streams& streams)
{
    cli::Progress progress("serve-ctl wait", o.progress, o.quiet);
    io::StopSignal stop;
    const auto end = wait_for_service(
        o, [&] { return stop.requested(); }, [&](const std::string& now) { progress.update(-1, now); });
    progress.clear();
    end.show_log_tail([&](auto& line) { streams.note(line); });
    streams.out.write(record::to_record(end.status));
    return end.status.ready ? Exit::ok : stop.requested() ? Exit::undecided : Exit::negative;
}

Exit status(const ServiceProbeOptions& o, cli::Streams& streams)
{
    io::StopSignal stop;
    const auto now = probe_service(
        o, [&] { return stop.requested(); }, [&](auto& text) { streams.note(text); });
    streams.out.write(record::to_record(now));
    return now.well() ? Exit::ok : stop.requested() ? Exit::undecided : Exit::negative;
}

Exit logs(const ServiceLogsOptions& o, cli::Streams& streams)
{
    io::StopSignal stop;
    streams.out.give_up_when_readable(stop.fd());
    show_log(o, stop.fd(), [&](std::string_view text) { streams.out.write_text(text); });
    return stop.requested() ? Exit::undecided : Exit::ok;
}

Exit stop(const ServiceStopOptions& o, cli::Streams& streams)
{
    streams.out.write(record::to_record(stop_service(o)));
    return Exit::ok;
}

} // namespace

int main(int argc, char** argv)
{
    sys::ProcessTitle::remember(argc, argv);
    const std::string how = "--state FILE [OPTION]...";
    return cli::run_verbs(
        {"serve-ctl", "", "Starts, watches and stops an inference service.", net::library_version()},
        {cli::make_verb<ServiceStartOptions>("start", how + " -- COMMAND...", "Starts it.", describe, start),
         cli::make_verb<ServiceWaitOptions>("wait", how, "Awaits its first answer.", describe, wait),
         cli::make_verb<ServiceProbeOptions>("status", how, "Tells dead from slow.", describe, status),
         cli::make_verb<ServiceLogsOptions>("logs", how, "Shows its log.", describe, logs),
         cli::make_verb<ServiceStopOptions>("stop", how, "Ends what start started.", describe, stop)},
        argc, argv);
}
