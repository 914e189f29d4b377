// SPDX-License-Identifier: MIT
// The frame of every tool: options in, one exit status out, errors as one line on stderr.

#ifndef SLO_CLI_MAIN_HPP
#define SLO_CLI_MAIN_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/base/version.hpp>
#include <slo/cli/options.hpp>
#include <slo/io/jsonl.hpp>

#include <boost/version.hpp>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace slo::cli {

/// What --help says of a tool.
struct Tool {
    std::string name;      ///< "rounds-analyze", or "engine-sim serve" for a verb of a tool
    std::string synopsis;  ///< "[OPTION]... [FILE]..."
    std::string summary;   ///< one sentence
    std::string libraries; ///< versions of further libraries for --version, "libcurl/7.88.1"
};

/// Where a tool writes: records to stdout, sentences to stderr.
class Streams {
public:
    explicit Streams(std::string tool) : out("-"), tool_(std::move(tool)) {}

    io::JsonlWriter out;

    /// One line for people on stderr, "tool: text".
    void note(const std::string& text) const
    {
        std::fprintf(stderr, "%s: %s\n", tool_.c_str(), text.c_str());
    }

private:
    std::string tool_;
};

/// True when a person sits at stdin, so that a tool without a file would only hang.
inline bool stdin_is_terminal() noexcept
{
    return ::isatty(STDIN_FILENO) == 1;
}

/// Runs `body` and turns whatever it throws into "name: subject: reason" on stderr and an exit status.
/// A closed stdout ends quietly with status 2: the work was cut short.
template <class Body>
int guarded(const std::string& name, Body&& body)
{
    std::signal(SIGPIPE, SIG_IGN);
    io::fill_standard_streams();
    try {
        return static_cast<int>(body());
    } catch (const ClosedPipe&) {
        return static_cast<int>(Exit::undecided);
    } catch (const UsageError& error) {
        std::fprintf(stderr, "%s: %s (see --help)\n", name.c_str(), error.what());
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "%s: out of memory\n", name.c_str());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
    }
    return static_cast<int>(Exit::error);
}

/// What --version prints: all that a bug report needs.
inline std::string version_text(const Tool& tool)
{
    return tool.name + " (sloutils) " + version + "\ncompiler: " + __VERSION__ +
           ", Boost: " + std::to_string(BOOST_VERSION / 100000) + "." +
           std::to_string(BOOST_VERSION / 100 % 1000) +
           (tool.libraries.empty() ? "" : ", " + tool.libraries) + "\n";
}

namespace detail {

template <class Options>
Exit run_parsed(const Tool& tool, void (*describe)(OptionTable&, Options&),
                Exit (*run)(const Options&, Streams&), const std::vector<std::string>& words)
{
    Options options;
    OptionTable table;
    describe(table, options);
    bool help = false;
    bool show_version = false;
    bool list = false;
    table.section("General");
    table.flag("help,h", help, "show this text and end");
    table.flag("version", show_version, "show versions and end");
    table.flag("list-options", list, "list the options, one a line, and end");
    table.parse(words);
    Streams streams(tool.name);
    if (help)
        streams.out.write_text("Usage: " + tool.name + " " + tool.synopsis + "\n" + tool.summary + "\n" +
                               table.help());
    else if (show_version)
        streams.out.write_text(version_text(tool));
    else if (list)
        streams.out.write_text(table.list());
    else
        return run(options, streams);
    return Exit::ok;
}

} // namespace detail

/// The whole main of a tool: describe() binds its options, run() does the work.
template <class Options>
int run_tool(const Tool& tool, void (*describe)(OptionTable&, Options&),
             Exit (*run)(const Options&, Streams&), int argc, char** argv)
{
    return guarded(tool.name, [&] {
        return detail::run_parsed(tool, describe, run, std::vector<std::string>(argv + 1, argv + argc));
    });
}

/// One verb of a tool that has several (engine-sim serve).
struct Verb {
    std::string name;
    std::string summary;
    std::function<Exit(const std::string& tool_name, const std::vector<std::string>& words)> run;
};

/// A verb with an option table of its own.
template <class Options>
Verb make_verb(const std::string& name, const std::string& synopsis, const std::string& summary,
               void (*describe)(OptionTable&, Options&), Exit (*run)(const Options&, Streams&))
{
    return {name, summary, [=](const std::string& tool_name, const std::vector<std::string>& words) {
                return detail::run_parsed(Tool{tool_name + " " + name, synopsis, summary, ""}, describe, run,
                                          words);
            }};
}

/// The whole main of a tool with verbs: the first word chooses one.
inline int run_verbs(const Tool& tool, const std::vector<Verb>& verbs, int argc, char** argv)
{
    const std::vector<std::string> words(argv + 1, argv + argc);
    std::string name = tool.name;
    if (!words.empty() && !words[0].starts_with("-"))
        name += " " + printable(words[0], 40);
    return guarded(name, [&] {
        std::string help = "Usage: " + tool.name + " VERB [OPTION]...\n" + tool.summary + "\n\nVerbs:\n";
        std::string options;
        for (const auto& verb : verbs) {
            if (!words.empty() && words[0] == verb.name)
                return verb.run(tool.name, {words.begin() + 1, words.end()});
            help += "  " + verb.name + std::string(verb.name.size() < 14 ? 14 - verb.name.size() : 1, ' ') +
                    verb.summary + "\n";
            options += verb.name + "\n";
        }
        Streams streams(tool.name);
        if (words.empty())
            throw UsageError("a verb is missing");
        if (words[0] == "--help" || words[0] == "-h")
            streams.out.write_text(help + "\n" + tool.name + " VERB --help shows the options of a verb.\n");
        else if (words[0] == "--version")
            streams.out.write_text(version_text(tool));
        else if (words[0] == "--list-options")
            streams.out.write_text(options);
        else
            throw UsageError("no such verb");
        return Exit::ok;
    });
}

} // namespace slo::cli

#endif
