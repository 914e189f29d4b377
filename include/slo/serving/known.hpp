// SPDX-License-Identifier: MIT
// A value with the place that said it, and how values of several sources become one.

#ifndef SLO_SERVING_KNOWN_HPP
#define SLO_SERVING_KNOWN_HPP

#include <slo/base/json.hpp>
#include <slo/base/text.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace slo::serving {

/// A value that may be known; `where` is for people ("model.max_model_len", "config.json:
/// num_hidden_layers").
template <class T>
struct Known {
    std::optional<T> value;
    std::string where;

    explicit operator bool() const noexcept { return value.has_value(); }
    const T& operator*() const { return *value; }
};

namespace detail {

template <class T>
std::string shown(const T& value)
{
    if constexpr (std::is_same_v<T, bool>)
        return value ? "true" : "false";
    else if constexpr (std::is_same_v<T, double>)
        return format_double(value);
    else if constexpr (std::is_convertible_v<T, std::string_view>)
        return printable(value, 60);
    else
        return std::to_string(value);
}

} // namespace detail

/// Takes `other` where `first` is not known; where both are and differ, the first stays and a line about the
/// two is put into `conflicts`.
template <class T>
void take(Known<T>& first, const Known<T>& other, std::vector<std::string>& conflicts)
{
    if (!other)
        return;
    if (!first)
        first = other;
    else if (*first != *other)
        conflicts.push_back(first.where + " is " + detail::shown(*first) + ", but " + other.where + " is " +
                            detail::shown(*other));
}

/// "a, b" of the places of what is known.
template <class... T>
std::string places(const Known<T>&... known)
{
    std::string list;
    const auto add = [&](const std::string& where) {
        if (!where.empty() && list.find(where) == std::string::npos)
            list += (list.empty() ? "" : ", ") + where;
    };
    (add(known ? known.where : std::string()), ...);
    return list;
}

/// "12.3": GiB of bytes, for people.
inline std::string gib_text(double bytes)
{
    constexpr double gib = 1024.0 * 1024 * 1024;
    return format_fixed(bytes / gib, bytes < gib ? 3 : 1);
}

} // namespace slo::serving

#endif
