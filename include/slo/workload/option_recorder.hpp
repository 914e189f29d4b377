// SPDX-License-Identifier: MIT
// The options of a verb as JSON: what a manifest says of how a route was made.

#ifndef SLO_WORKLOAD_OPTION_RECORDER_HPP
#define SLO_WORKLOAD_OPTION_RECORDER_HPP

#include <slo/base/json.hpp>
#include <slo/base/shown_url.hpp>

#include <array>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::workload {

/// Takes the place of an option table: describe(recorder) notes each option's value, defaults too, under its
/// long name.
class OptionRecorder {
public:
    void section(const std::string&) {}

    template <class T>
    void add(const std::string& names, const T& value, const std::string&, const std::string&)
    {
        options_[long_name(names)] = to_value(value);
    }
    void add_list(const std::string& names, const std::vector<std::string>& values, const std::string&,
                  const std::string&)
    {
        options_[long_name(names)] = json::array(values.begin(), values.end());
    }
    void add_repeatable(const std::string& names, const std::vector<std::string>& values, const std::string&,
                        const std::string&)
    {
        options_[long_name(names)] = json::array(values.begin(), values.end());
    }
    void add_pair(const std::string& names, const std::array<double, 2>& values, const std::string&,
                  const std::string&)
    {
        options_[long_name(names)] = {values[0], values[1]};
    }
    void flag(const std::string& names, bool value, const std::string&)
    {
        options_[long_name(names)] = value;
    }
    void toggle(const std::string& name, bool value, const std::string&) { options_[name] = value; }
    void positional(const std::vector<std::string>&) {}

    /// What was noted.
    json::object take() { return std::move(options_); }

private:
    static std::string long_name(std::string_view names)
    {
        return std::string(names.substr(0, names.find(',')));
    }

    static json::value to_value(const std::string& text)
    {
        return json_text(text.find("://") == std::string::npos ? text : shown_url(text));
    }
    template <class Number>
    requires std::integral<Number> || std::floating_point<Number>
    static json::value to_value(Number number) { return number; }
    template <class T>
    static json::value to_value(const std::optional<T>& value)
    {
        return value ? to_value(*value) : json::value(nullptr);
    }

    json::object options_;
};

} // namespace slo::workload

#endif
