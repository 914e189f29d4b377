// SPDX-License-Identifier: MIT
// Any text as a state file, a command, an answer of an engine and a file of /proc: refused, or what comes of
// it holds.

#include <slo/base/shown_command.hpp>
#include <slo/plan/service_port.hpp>
#include <slo/record/service_state.hpp>
#include <slo/sys/memory_kills.hpp>
#include <slo/sys/process_id.hpp>
#include <slo/wire/container_state.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

void check_state(std::string_view text)
{
    try {
        const auto value = slo::parse_json(text);
        if (!value.is_object())
            return;
        const auto state = slo::record::service_state(value.get_object());
        if (state.process && (state.process->pid < 2 || state.process->session < 2))
            std::abort();
        const auto once = slo::to_json(slo::record::to_record(state));
        const auto again = slo::record::service_state(slo::parse_json(once).as_object());
        if (slo::to_json(slo::record::to_record(again)) != once)
            std::abort();
    } catch (const slo::Error&) {
    }
}

// Each line is a word.
void check_command(std::string_view text)
{
    std::vector<std::string> words{"docker", "run"};
    for (auto rest = text; !rest.empty();) {
        const auto end = std::min(rest.find('\n'), rest.size());
        words.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (slo::shown_command(words).size() != words.size())
        std::abort();
    try {
        const auto run = slo::plan::rewrite_docker_run(words, "made", {"A"});
        if (!run || run->argv.size() < 4 || run->name.empty())
            std::abort();
        slo::plan::port_of_container(*run);
        // What was rewritten once needs nothing more.
        const auto again = slo::plan::rewrite_docker_run(run->argv, "other", {});
        if (!again || again->name != run->name || again->image != run->image || again->remove)
            std::abort();
    } catch (const slo::UsageError&) {
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check_state(text);
    check_command(text);
    slo::shown_shell_line(text);
    slo::wire::parse_container_state(text);
    slo::sys::counter_in(slo::sys::memory_events_path(text), "oom_kill");
    slo::sys::counter_in(text, "oom_kill");
    slo::sys::tells_of_memory_kill(text, 7, 0);
    if (const auto process = slo::sys::parse_process_stat(text);
        process && process->alive() && process->state == 'Z')
        std::abort();
    return 0;
}
