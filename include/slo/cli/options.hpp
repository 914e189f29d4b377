// SPDX-License-Identifier: MIT
// The option table of a tool: one place from which parsing, --help and --list-options come.

#ifndef SLO_CLI_OPTIONS_HPP
#define SLO_CLI_OPTIONS_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/cli/option_value.hpp>

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/value_semantic.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::cli {

/// Binds options to the variables of a tool's Options struct. Names are "long" or "long,s"; the variable's
/// value at the time of add() is the default that --help shows. Of a repeated option the last one counts.
class OptionTable {
public:
    /// Starts a headed group of options in --help.
    void section(const std::string& title) { sections_.push_back({title, {}}); }

    /// An option with one value: text, number, or an optional of these.
    template <class T>
    void add(const std::string& names, T& value, const std::string& metavar, const std::string& help)
    {
        const auto default_text = to_text(value);
        push({names, metavar, help, default_text, 1, 1,
              [&value](const std::vector<std::string>& texts, bool) { from_text(texts.back(), value); }});
    }

    /// An option that takes one or more values, and may be repeated: all are collected.
    void add_list(const std::string& names, std::vector<std::string>& values, const std::string& metavar,
                  const std::string& help)
    {
        push({names, metavar, help, "", 1, many, collect_into(values)});
    }

    /// An option with one value that may be repeated: all are collected.
    void add_repeatable(const std::string& names, std::vector<std::string>& values,
                        const std::string& metavar, const std::string& help)
    {
        push({names, metavar, help, "", 1, 1, collect_into(values)});
    }

    /// An option with two numbers, as in --sample-range START END.
    void add_pair(const std::string& names, std::array<double, 2>& values, const std::string& metavar,
                  const std::string& help)
    {
        const auto default_text = to_text(values[0]) + " " + to_text(values[1]);
        push({names, metavar, help, default_text, 2, 2,
              [&values](const std::vector<std::string>& texts, bool) {
                  from_text(texts[0], values[0]);
                  from_text(texts[1], values[1]);
              }});
    }

    /// An option without a value, false unless given.
    void flag(const std::string& names, bool& value, const std::string& help)
    {
        push({names, "", help, "", 0, 0, [&value](const std::vector<std::string>&, bool) { value = true; }});
    }

    /// A pair of options --NAME and --no-NAME; the last one given counts.
    void toggle(const std::string& name, bool& value, const std::string& help)
    {
        push({name, "", help, value ? "on" : "off", 0, 0,
              [&value](const std::vector<std::string>&, bool) { value = true; }});
        push({"no-" + name, "", "turn --" + name + " off", "", 0, 0,
              [&value](const std::vector<std::string>&, bool) { value = false; }});
    }

    /// What remains after the options, shown in the synopsis as `metavar`.
    void positional(std::vector<std::string>& values) { positional_ = &values; }

    /// Everything after a "--", left untouched: a command to run.
    void command(std::vector<std::string>& words) { command_ = &words; }

    /// Parses the words after the tool's name. Throws UsageError. An unset option keeps its default.
    void parse(std::vector<std::string> words) const
    {
        if (command_) {
            const auto dashes = std::find(words.begin(), words.end(), "--");
            if (dashes != words.end()) {
                command_->assign(dashes + 1, words.end());
                words.erase(dashes, words.end());
            }
        }
        std::vector<std::string> rest;
        std::vector<const Option*> seen;
        for (const auto& [option, texts] : parse_words(words)) {
            if (!option) {
                rest.insert(rest.end(), texts.begin(), texts.end());
                continue;
            }
            const bool first = std::find(seen.begin(), seen.end(), option) == seen.end();
            seen.push_back(option);
            try {
                option->assign(texts, first);
            } catch (const UsageError& error) {
                throw UsageError("--" + long_name(*option), error.what());
            }
        }
        if (positional_) {
            if (!rest.empty())
                *positional_ = rest;
        } else if (!rest.empty()) {
            throw UsageError("unexpected argument '" + printable(rest.front(), 80) + "'");
        }
    }

    /// The option list of --help, GNU style.
    std::string help() const
    {
        std::string text;
        for (const auto& [title, options] : sections_) {
            if (options.empty())
                continue;
            text += "\n" + title + ":\n";
            for (const auto& option : options)
                text += help_line(option);
        }
        return text;
    }

    /// One line an option: "--name" and, behind a tab, the name of its value if it takes one.
    std::string list() const
    {
        std::string text;
        for (const auto& group : sections_) {
            for (const auto& option : group.options)
                text +=
                    "--" + long_name(option) + (option.metavar.empty() ? "" : "\t" + option.metavar) + "\n";
        }
        return text;
    }

private:
    static constexpr unsigned many = 1u << 20;

    using Assign = std::function<void(const std::vector<std::string>& texts, bool first_occurrence)>;

    struct Option {
        std::string names;
        std::string metavar;
        std::string help;
        std::string default_text;
        unsigned min_values;
        unsigned max_values;
        Assign assign;
    };

    struct Section {
        std::string title;
        std::vector<Option> options;
    };

    using Occurrence = std::pair<const Option*, std::vector<std::string>>;

    // Values stay text here: Program_options would convert them by the locale.
    class TextValue : public boost::program_options::value_semantic {
    public:
        explicit TextValue(const Option& option) : option_(option) {}
        std::string name() const override { return option_.metavar; }
        unsigned min_tokens() const override { return option_.min_values; }
        unsigned max_tokens() const override { return option_.max_values; }
        bool is_composing() const override { return true; }
        bool is_required() const override { return false; }
        void parse(boost::any&, const std::vector<std::string>&, bool) const override {}
        bool apply_default(boost::any&) const override { return false; }
        void notify(const boost::any&) const override {}

    private:
        const Option& option_;
    };

    static Assign collect_into(std::vector<std::string>& values)
    {
        return [&values](const std::vector<std::string>& texts, bool first_occurrence) {
            if (first_occurrence)
                values.clear();
            values.insert(values.end(), texts.begin(), texts.end());
        };
    }

    void push(Option option)
    {
        if (sections_.empty())
            section("Options");
        sections_.back().options.push_back(std::move(option));
    }

    static std::string long_name(const Option& option)
    {
        return option.names.substr(0, option.names.find(','));
    }

    std::vector<Occurrence> parse_words(const std::vector<std::string>& words) const
    {
        namespace po = boost::program_options;
        po::options_description description;
        for (const auto& group : sections_) {
            for (const auto& option : group.options)
                description.add_options()(option.names.c_str(), new TextValue(option));
        }
        namespace style = po::command_line_style;
        constexpr int unix_without_guessing = style::unix_style & ~style::allow_guessing;
        std::vector<Occurrence> occurrences;
        try {
            const auto parsed =
                po::command_line_parser(words).options(description).style(unix_without_guessing).run();
            for (const auto& found : parsed.options)
                occurrences.push_back(
                    {found.position_key < 0 ? option_named(found.string_key) : nullptr, found.value});
        } catch (const po::error& error) {
            throw UsageError(error.what());
        }
        return occurrences;
    }

    const Option* option_named(const std::string& name) const
    {
        for (const auto& group : sections_) {
            for (const auto& option : group.options) {
                if (long_name(option) == name)
                    return &option;
            }
        }
        return nullptr;
    }

    static std::string help_line(const Option& option)
    {
        const auto comma = option.names.find(',');
        std::string left =
            comma == std::string::npos ? "      " : "  -" + option.names.substr(comma + 1) + ", ";
        left += "--" + long_name(option);
        if (!option.metavar.empty())
            left += " " + option.metavar;
        constexpr std::size_t column = 32;
        left += left.size() + 2 > column ? "\n" + std::string(column, ' ')
                                         : std::string(column - left.size(), ' ');
        return left + option.help + (option.default_text.empty() ? "" : " (" + option.default_text + ")") +
               "\n";
    }

    std::vector<Section> sections_;
    std::vector<std::string>* positional_ = nullptr;
    std::vector<std::string>* command_ = nullptr;
};

} // namespace slo::cli

#endif
