// SPDX-License-Identifier: MIT
// A look into a card that remembers what was read, so that what was not can be told.

#ifndef SLO_CARD_CARD_VIEW_HPP
#define SLO_CARD_CARD_VIEW_HPP

#include <slo/base/json.hpp>
#include <slo/base/json_path.hpp>
#include <slo/base/text.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::card {

/// A value of the card that the plan does not carry out, and why.
struct NotExpressed {
    std::string key; ///< "load.stop_condition.error_rate_max"
    json::value value;
    std::string reason;
};

/// A number as Python writes it: "2", "2.0", "1e-05"; so labels and flags of older results stay the same.
inline std::string python_text(const json::value& number)
{
    if (number.is_int64())
        return std::to_string(number.get_int64());
    const double value = as_number(&number).value_or(0);
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
    const std::string text(buffer, end);
    const int exponent = parse_integer<int>(text.substr(text.find('e') + 1)).value_or(0);
    if (exponent < -4 || exponent >= 16)
        return text;
    const auto fixed = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed).ptr;
    const std::string plain(buffer, fixed);
    return plain.find('.') == std::string::npos ? plain + ".0" : plain;
}

/// A number without a needless ".0".
inline std::string number_text(double value)
{
    constexpr double exact = 9e15;
    return value == std::floor(value) && std::abs(value) < exact
               ? std::to_string(static_cast<std::int64_t>(value))
               : format_double(value);
}

/// What a card says of a count of tokens, turns or seconds.
struct Count {
    double mean = 0;
    double deviation = 0; ///< 0: each is the mean
    std::optional<double> least;
    std::optional<double> most;
    std::optional<double> p50; ///< with p90: a lognormal distribution through both
    std::optional<double> p90;
    bool even = false; ///< nothing is known but the bounds

    std::int64_t whole() const noexcept { return static_cast<std::int64_t>(mean); }

    bool is_constant() const noexcept { return deviation == 0 && !(p50 && p90); }
};

/// One count that is always the same.
inline Count constant_count(double mean)
{
    Count count;
    count.mean = mean;
    return count;
}

/// The distribution of the sum of two independent counts.
inline Count sum_of(const Count& a, const Count& b)
{
    Count sum;
    sum.mean = a.mean + b.mean;
    sum.deviation = std::hypot(a.deviation, b.deviation);
    if (a.least || b.least)
        sum.least =
            a.least.value_or(a.is_constant() ? a.mean : 0) + b.least.value_or(b.is_constant() ? b.mean : 0);
    return sum;
}

/// The same as the tools of route-build take it (LAW in its manual). `whole`: numbers are integers.
inline std::string law_of(const Count& count, bool whole = true)
{
    const auto text = [whole](double value) {
        return whole ? std::to_string(static_cast<std::int64_t>(value)) : number_text(value);
    };
    const double least = std::max(count.least.value_or(whole ? 1 : 0), whole ? 1.0 : 0.0);
    if (count.p50 && count.p90 && *count.p90 > *count.p50) {
        // The 90th percentile of a normal distribution lies 1.2816 deviations above its mean.
        const double sigma = std::log(*count.p90 / *count.p50) / 1.2815515655446004;
        const auto law = "lognormal:" + text(*count.p50) + ":" + format_fixed(sigma, 4);
        return count.most ? law + ":" + text(least) + ":" + text(*count.most) : law;
    }
    if (count.even)
        return "uniform:" + text(least) + ":" + text(*count.most);
    if (count.deviation == 0)
        return text(std::max(count.mean, least));
    constexpr double far = 6; // deviations: practically without a bound
    const auto law = "normal:" + text(count.mean) + ":" + number_text(count.deviation);
    if (!count.least && !count.most)
        return law;
    return law + ":" + text(least) + ":" + text(count.most.value_or(count.mean + far * count.deviation));
}

/// A card, or a card with overrides, as the compiler reads it.
class CardView {
public:
    explicit CardView(json::object root) : root_(std::move(root)) {}

    const json::object& root() const noexcept { return root_; }

    /// The value at "load.request_rate", not null, without counting it as read; nullptr: there is none.
    const json::value* peek(std::string_view path) const { return value_at(root_, path); }

    /// The same, counted as read with all that is in it.
    const json::value* get(std::string_view path)
    {
        read_.emplace(path);
        return peek(path);
    }

    std::optional<double> number(std::string_view path) { return as_number(get(path)); }

    std::optional<std::string> text(std::string_view path)
    {
        const auto* value = get(path);
        if (!value || !value->is_string())
            return std::nullopt;
        return std::string(value->get_string());
    }

    const json::array* list(std::string_view path)
    {
        const auto* value = get(path);
        return value ? value->if_array() : nullptr;
    }

    /// The first of the numbers that is there and not 0.
    std::optional<double> first_number(const std::vector<std::string>& paths)
    {
        for (const auto& path : paths)
            if (const auto found = number(path); found && *found != 0)
                return found;
        return std::nullopt;
    }

    /// A count; nothing where the card has none. `spread`: its distribution is carried out, not its mean
    /// alone.
    std::optional<Count> count(const std::string& path, bool spread)
    {
        const auto* value = peek(path);
        const auto* figures = value ? value->if_object() : nullptr;
        if (!figures) {
            const auto single = number(path);
            return single ? std::optional(constant_count(*single)) : std::nullopt;
        }
        if (spread)
            read_.emplace(path);
        else
            read_.emplace(path + ".mean");
        if (number_at(*figures, "std_dev") == 0.0)
            read_.emplace(path + ".std_dev");
        return count_of(*figures);
    }

    /// Says why a value is not carried out; what is read and still lost is listed too.
    void lose(const std::string& path, const std::string& reason) { lost_.emplace(path, reason); }

    /// All that `lose` was told and all that nobody read, in the order of the card. `reason` says why of a
    /// path. False, null and empty values ask for nothing.
    template <class Reason>
    std::vector<NotExpressed> not_expressed(Reason&& reason) const
    {
        std::vector<NotExpressed> list;
        for (const auto& member : root_) {
            const std::string key(member.key());
            constexpr std::string_view elsewhere[] = {"catalog_id", "use_case",   "description",
                                                      "modality",   "extensions", "validation"};
            if (std::find(std::begin(elsewhere), std::end(elsewhere), key) == std::end(elsewhere))
                collect(key, member.value(), false, reason, list);
        }
        return list;
    }

private:
    static Count count_of(const json::object& figures)
    {
        Count count;
        count.least = number_at(figures, "min");
        count.most = number_at(figures, "max_cap");
        if (!count.most)
            count.most = number_at(figures, "max");
        count.p50 = number_at(figures, "p50");
        count.p90 = number_at(figures, "p90");
        const bool bounded = count.least && count.most && *count.most > *count.least;
        const auto mean = number_at(figures, "mean");
        const auto deviation = number_at(figures, "std_dev");
        count.even = bounded && !mean && !deviation && !count.p50;
        const double middle = bounded ? (*count.least + *count.most) / 2 : 0;
        count.mean = mean.value_or(count.p50.value_or(middle));
        // Where the bounds alone say how far, nearly all lie within two deviations of the middle.
        count.deviation = deviation.value_or(bounded && !count.p90 ? (*count.most - *count.least) / 4 : 0);
        return count;
    }

    static bool asks_for_nothing(const json::value& value)
    {
        return value.is_null() || (value.is_bool() && !value.get_bool()) ||
               (value.is_array() && value.get_array().empty());
    }

    template <class Reason>
    void collect(const std::string& path, const json::value& value, bool read, Reason&& reason,
                 std::vector<NotExpressed>& list) const
    {
        if (const auto lost = lost_.find(path); lost != lost_.end()) {
            list.push_back({path, value, lost->second});
            return;
        }
        read = read || read_.count(path) != 0;
        if (const auto* object = value.if_object()) {
            for (const auto& member : *object)
                collect(path + "." + std::string(member.key()), member.value(), read, reason, list);
        } else if (!read && !asks_for_nothing(value)) {
            list.push_back({path, value, reason(path)});
        }
    }

    json::object root_;
    std::set<std::string, std::less<>> read_;
    std::map<std::string, std::string> lost_;
};

} // namespace slo::card

#endif
