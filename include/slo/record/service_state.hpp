// SPDX-License-Identifier: MIT
// sloutils.service/1: what is known of a service that was started, in a file of its own.

#ifndef SLO_RECORD_SERVICE_STATE_HPP
#define SLO_RECORD_SERVICE_STATE_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::record {

/// A process that cannot be taken for another: the system gives numbers out again, but not start times.
struct ServiceProcess {
    int pid = 0;
    std::uint64_t start_ticks = 0; ///< clock ticks since boot
    int session = 0;
};

/// The container of a service.
struct ServiceContainer {
    std::vector<std::string> engine; ///< "docker" and its global options
    std::string name;
    std::string id;      ///< empty until the engine has said it
    bool remove = false; ///< it was to be removed at its end
};

/// How a service ended, as far as that was seen.
struct ServiceExit {
    std::optional<int> status;  ///< exit status,
    std::optional<int> signal;  ///< or the signal that ended it
    bool out_of_memory = false; ///< there is evidence that the system ended it for want of memory
    std::string at;             ///< UTC; empty when not known
    std::string note;           ///< what else is known
};

/// How the start before this one ended: whoever watched it finds that out although another took its place.
struct ServiceBefore {
    std::string id; ///< of that start
    std::string stop_requested_at{};
    std::optional<ServiceExit> exit{};
};

/// The state file of a service; secrets in `argv` and `environment` are left out.
struct ServiceState {
    std::string name;
    std::string state; ///< starting, running, exited, stopped or failed
    std::string kind;  ///< process or docker
    std::vector<std::string> argv;
    std::vector<std::pair<std::string, std::string>> environment; ///< what was added to it
    std::string folder;                                           ///< where it runs
    bool shell = false;
    std::string api_base;         ///< empty: not known
    std::string log;              ///< absolute path
    std::uint64_t log_offset = 0; ///< bytes in the log before this start
    std::string id;               ///< of this start; the service has it as SLOUTILS_SERVICE
    std::string boot_id;
    std::string pid_namespace;
    std::string started_at; ///< UTC
    std::optional<ServiceProcess> process;
    std::optional<ServiceProcess> supervisor; ///< waits for the service and writes down how it ended
    std::optional<ServiceContainer> container;
    std::optional<ServiceExit> exit;
    std::string stop_requested_at; ///< UTC; empty: not
    std::optional<ServiceBefore> before;
};

inline constexpr std::string_view service_schema = "sloutils.service/1";

namespace detail {

inline json::value strings_to_json(const std::vector<std::string>& list)
{
    json::array array;
    for (const auto& text : list)
        array.push_back(json_text(text));
    return array;
}

inline json::value to_json_value(const std::optional<ServiceProcess>& process)
{
    if (!process)
        return nullptr;
    return {{"pid", process->pid}, {"start_ticks", process->start_ticks}, {"session", process->session}};
}

inline json::value to_json_value(const std::optional<ServiceExit>& exit)
{
    if (!exit)
        return nullptr;
    return {{"status", or_null(exit->status)},
            {"signal", or_null(exit->signal)},
            {"out_of_memory", exit->out_of_memory},
            {"at", text_or_null(exit->at)},
            {"note", text_or_null(exit->note)}};
}

// Reads members of one object; a wrong type is an error that names the member.
class ServiceFields {
public:
    explicit ServiceFields(const json::object& object) : object_(object) {}

    std::string text(std::string_view key) const
    {
        const auto* value = find(object_, key);
        if (!value || value->is_null())
            return {};
        if (const auto found = string_at(object_, key))
            return std::string(*found);
        throw wrong(key, "text");
    }

    bool flag(std::string_view key) const
    {
        const auto* value = find(object_, key);
        if (value && !value->is_null() && !value->is_bool())
            throw wrong(key, "true or false");
        return value && value->is_bool() && value->get_bool();
    }

    std::optional<std::int64_t> integer(std::string_view key) const
    {
        const auto* value = find(object_, key);
        if (!value || value->is_null())
            return std::nullopt;
        if (const auto found = integer_at(object_, key); found && *found >= 0)
            return found;
        throw wrong(key, "a whole number");
    }

    std::optional<int> small(std::string_view key) const
    {
        const auto found = integer(key);
        if (found && *found > std::numeric_limits<int>::max())
            throw wrong(key, "a smaller number");
        return found ? std::optional(static_cast<int>(*found)) : std::nullopt;
    }

    std::vector<std::string> texts(std::string_view key) const
    {
        std::vector<std::string> list;
        const auto* value = find(object_, key);
        if (!value || value->is_null())
            return list;
        if (!value->is_array())
            throw wrong(key, "a list");
        for (const auto& element : value->get_array()) {
            if (!element.is_string())
                throw wrong(key, "a list of texts");
            list.emplace_back(element.get_string().data(), element.get_string().size());
        }
        return list;
    }

    const json::object* object(std::string_view key) const
    {
        const auto* value = find(object_, key);
        if (value && !value->is_null() && !value->is_object())
            throw wrong(key, "an object");
        return value ? value->if_object() : nullptr;
    }

    std::optional<ServiceExit> exit(std::string_view key) const
    {
        const auto* inner = object(key);
        if (!inner)
            return std::nullopt;
        const ServiceFields end(*inner);
        return ServiceExit{end.small("status"), end.small("signal"), end.flag("out_of_memory"),
                           end.text("at"), end.text("note")};
    }

    std::optional<ServiceProcess> process(std::string_view key) const
    {
        const auto* inner = object(key);
        if (!inner)
            return std::nullopt;
        const ServiceFields fields(*inner);
        const auto pid = fields.small("pid");
        const auto start = fields.integer("start_ticks");
        const auto session = fields.small("session");
        // Number 1 and below would reach all processes there are.
        if (!pid || *pid < 2 || !start || !session || *session < 2)
            throw wrong(key, "pid, start_ticks and session of a process");
        return ServiceProcess{*pid, static_cast<std::uint64_t>(*start), *session};
    }

private:
    static Error wrong(std::string_view key, std::string_view wanted)
    {
        return Error("'" + std::string(key) + "' is not " + std::string(wanted));
    }

    const json::object& object_;
};

} // namespace detail

/// The state as it stands in its file.
inline json::object to_record(const ServiceState& s)
{
    json::object environment;
    for (const auto& [name, value] : s.environment)
        environment[name] = json_text(value);
    json::object record{{"schema", json_text(service_schema)},
                        {"name", json_text(s.name)},
                        {"state", json_text(s.state)},
                        {"kind", json_text(s.kind)},
                        {"argv", detail::strings_to_json(s.argv)},
                        {"environment", environment},
                        {"folder", text_or_null(s.folder)},
                        {"shell", s.shell},
                        {"api_base", text_or_null(s.api_base)},
                        {"log", json_text(s.log)},
                        {"log_offset", s.log_offset},
                        {"id", json_text(s.id)},
                        {"boot_id", json_text(s.boot_id)},
                        {"pid_namespace", json_text(s.pid_namespace)},
                        {"started_at", json_text(s.started_at)},
                        {"process", detail::to_json_value(s.process)},
                        {"supervisor", detail::to_json_value(s.supervisor)},
                        {"container", nullptr},
                        {"exit", detail::to_json_value(s.exit)},
                        {"stop_requested_at", text_or_null(s.stop_requested_at)},
                        {"before", nullptr}};
    if (s.container)
        record["container"] = {{"engine", detail::strings_to_json(s.container->engine)},
                               {"name", json_text(s.container->name)},
                               {"id", text_or_null(s.container->id)},
                               {"remove", s.container->remove}};
    if (s.before)
        record["before"] = {{"id", json_text(s.before->id)},
                            {"stop_requested_at", text_or_null(s.before->stop_requested_at)},
                            {"exit", detail::to_json_value(s.before->exit)}};
    return record;
}

/// Reads a state; unknown members are passed over. Throws Error saying which member is wrong.
inline ServiceState service_state(const json::object& record)
{
    if (string_at(record, "schema") != service_schema)
        throw Error("no service state: 'schema' is not " + std::string(service_schema));
    const detail::ServiceFields fields(record);
    ServiceState s;
    s.name = fields.text("name");
    s.state = fields.text("state");
    s.kind = fields.text("kind");
    if (s.kind != "process" && s.kind != "docker")
        throw Error("'kind' is neither process nor docker");
    s.argv = fields.texts("argv");
    if (const auto* environment = fields.object("environment")) {
        for (const auto& member : *environment)
            s.environment.emplace_back(member.key(), detail::ServiceFields(*environment).text(member.key()));
    }
    s.folder = fields.text("folder");
    s.shell = fields.flag("shell");
    s.api_base = fields.text("api_base");
    s.log = fields.text("log");
    s.log_offset = static_cast<std::uint64_t>(fields.integer("log_offset").value_or(0));
    s.id = fields.text("id");
    s.boot_id = fields.text("boot_id");
    s.pid_namespace = fields.text("pid_namespace");
    s.started_at = fields.text("started_at");
    s.process = fields.process("process");
    s.supervisor = fields.process("supervisor");
    if (const auto* inner = fields.object("container")) {
        const detail::ServiceFields container(*inner);
        s.container = {container.texts("engine"), container.text("name"), container.text("id"),
                       container.flag("remove")};
    }
    if (s.kind == "docker" && (!s.container || s.container->engine.empty()))
        throw Error("'container' is missing");
    s.exit = fields.exit("exit");
    s.stop_requested_at = fields.text("stop_requested_at");
    if (const auto* inner = fields.object("before")) {
        const detail::ServiceFields before(*inner);
        s.before = ServiceBefore{before.text("id"), before.text("stop_requested_at"), before.exit("exit")};
    }
    return s;
}

} // namespace slo::record

#endif
