// SPDX-License-Identifier: MIT
// An objective: the share of requests that must keep limits, such as "ttft:p99<0.8".

#ifndef SLO_STATS_OBJECTIVE_HPP
#define SLO_STATS_OBJECTIVE_HPP

#include <slo/base/error.hpp>
#include <slo/base/spelling.hpp>
#include <slo/base/text.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::stats {

/// What a limit can be about.
enum class LatencyMetric {
    e2e,  ///< due to the end of the answer
    ttft, ///< due to the first token of any choice
    tpot, ///< mean time between the tokens of a choice
};

inline constexpr std::array<std::string_view, 3> latency_metric_names{"e2e", "ttft", "tpot"};

/// The name a metric has in objectives.
constexpr std::string_view name_of(LatencyMetric metric) noexcept
{
    return latency_metric_names[static_cast<std::size_t>(metric)];
}

/// A limit that a latency must stay below.
struct Limit {
    LatencyMetric metric = LatencyMetric::e2e;
    double seconds = 0;
};

/// That a share of the requests keep limits.
struct Objective {
    enum class Kind {
        percentile, ///< a percentile of one latency is below its limit: more than `share` keep it
        success,    ///< at least `share` of the requests succeed
        goodput     ///< at least `share` succeed and keep all limits
    };
    Kind kind = Kind::percentile;
    std::vector<Limit> limits; ///< one of a percentile; of goodput one a metric, in the order of the metrics
    double share = 0;          ///< above 0 and below 1
};

/// What a request measured, in seconds.
struct Measured {
    bool ok = false;
    std::optional<double> e2e_s;
    std::optional<double> ttft_s;
    std::optional<double> tpot_s; ///< of several choices the worst; none where no choice has two tokens
};

/// Whether a request meets the objective. One that failed meets none. A latency must be strictly below its
/// limit; without an e2e or a ttft it is not. A request without a tpot has no say (nothing) in a percentile
/// of it, and meets a goodput's limit for it.
inline std::optional<bool> meets(const Objective& objective, const Measured& request)
{
    if (!request.ok)
        return false;
    for (const auto& limit : objective.limits) {
        const auto& value = limit.metric == LatencyMetric::e2e    ? request.e2e_s
                            : limit.metric == LatencyMetric::ttft ? request.ttft_s
                                                                  : request.tpot_s;
        if (!value && limit.metric == LatencyMetric::tpot) {
            if (objective.kind == Objective::Kind::percentile)
                return std::nullopt;
        } else if (!value || !(*value < limit.seconds)) {
            return false;
        }
    }
    return true;
}

namespace detail {

// A number as a person would type it: "6.5", "50".
inline std::string plain(double value)
{
    auto text = format_double(value);
    return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

// A decimal number with its exponent moved by `places`, as text: 99.9 / 100 is not 0.999 in doubles, but
// 99.9e-2 is. Nothing where the text has an exponent that is none.
inline std::optional<std::string> shifted(std::string_view decimal, int places)
{
    const auto e = decimal.find('e');
    const auto exponent = e == std::string_view::npos ? 0 : parse_integer<int>(decimal.substr(e + 1));
    if (!exponent || std::abs(*exponent) > 1000)
        return std::nullopt;
    return std::string(decimal.substr(0, e)) + "e" + std::to_string(*exponent + places);
}

// The shortest number of percent that reads back as the same share.
inline std::string percent_text(double share)
{
    const auto text = shifted(format_double(share), 2).value_or("");
    const auto short_form = plain(parse_double(text).value_or(share * 100));
    const bool reads_back = parse_double(shifted(short_form, -2).value_or("")) == share;
    return reads_back ? short_form : text;
}

// Takes one objective apart; everything it throws names the text.
class ObjectiveParser {
public:
    explicit ObjectiveParser(std::string_view text) : text_(text), lower_(lower_case(text)) {}

    Objective parse() const
    {
        const auto body = trim(lower_);
        if (body.find(':') != std::string_view::npos)
            return percentile(body);
        const auto name = trim(body.substr(0, body.find_first_of("(<>=")));
        if (name == "goodput")
            return goodput(body);
        if (name == "success") {
            Objective objective{Objective::Kind::success, {}, 0};
            objective.share = least_share(trim(body.substr(body.find(name) + name.size())));
            return objective;
        }
        throw bad("is not of the form e2e:p50<6.5, success>=99% or goodput(ttft<1,tpot<0.05)>=95%");
    }

private:
    Objective percentile(std::string_view body) const
    {
        const auto colon = body.find(':');
        const auto less = body.find('<');
        if (less == std::string_view::npos || less < colon)
            throw bad("is not of the form e2e:p50<6.5");
        Objective objective{Objective::Kind::percentile, {}, 0};
        objective.limits.push_back({metric(body.substr(0, colon)), seconds(body.substr(less + 1))});
        const auto rank = trim(body.substr(colon + 1, less - colon - 1));
        const auto share = rank.starts_with('p') ? share_of(rank.substr(1)) : std::nullopt;
        if (!share)
            throw bad("the percentile must be above p0 and below p100");
        objective.share = *share;
        return objective;
    }

    Objective goodput(std::string_view body) const
    {
        const auto open = body.find('(');
        const auto close = body.find(')');
        if (open == std::string_view::npos || close == std::string_view::npos || close < open ||
            trim(body.substr(0, open)) != "goodput")
            throw bad("is not of the form goodput(ttft<1,tpot<0.05)>=95%");
        Objective objective{Objective::Kind::goodput, {}, 0};
        auto list = body.substr(open + 1, close - open - 1);
        for (bool more = true; more;) {
            const auto comma = list.find(',');
            more = comma != std::string_view::npos;
            const auto limit = goodput_limit(list.substr(0, comma));
            for (const auto& other : objective.limits)
                if (other.metric == limit.metric)
                    throw bad("limits " + std::string(name_of(limit.metric)) + " twice");
            objective.limits.push_back(limit);
            if (more)
                list.remove_prefix(comma + 1);
        }
        std::sort(objective.limits.begin(), objective.limits.end(),
                  [](const Limit& a, const Limit& b) { return a.metric < b.metric; });
        objective.share = least_share(trim(body.substr(close + 1)));
        return objective;
    }

    Limit goodput_limit(std::string_view text) const
    {
        const auto less = text.find('<');
        if (less == std::string_view::npos)
            throw bad("a limit of goodput is not of the form ttft<1");
        return {metric(text.substr(0, less)), seconds(text.substr(less + 1))};
    }

    LatencyMetric metric(std::string_view text) const
    {
        const auto name = trim(text);
        for (std::size_t i = 0; i < latency_metric_names.size(); ++i)
            if (name == latency_metric_names[i])
                return static_cast<LatencyMetric>(i);
        const auto nearest = nearest_name(name, latency_metric_names);
        throw bad("the metric must be e2e, ttft or tpot" +
                  (nearest ? "; did you mean " + *nearest + "?" : std::string()));
    }

    double seconds(std::string_view text) const
    {
        auto number = trim(text);
        double scale = 1;
        if (number.ends_with("ms")) {
            scale = 1000;
            number = trim(number.substr(0, number.size() - 2));
        } else if (number.ends_with('s')) {
            number = trim(number.substr(0, number.size() - 1));
        }
        const auto value = parse_double(number);
        if (!value || !(*value / scale > 0))
            throw bad("the limit must be a number of seconds above 0 (or of ms: 800ms)");
        return *value / scale;
    }

    double least_share(std::string_view text) const
    {
        if (!text.starts_with('>'))
            throw bad("the share must follow '>=', such as >=99%");
        text.remove_prefix(text.starts_with(">=") ? 2 : 1);
        text = trim(text);
        if (!text.ends_with('%'))
            throw bad("the share must be a number of percent, such as 99%");
        const auto share = share_of(trim(text.substr(0, text.size() - 1)));
        if (!share)
            throw bad("the share must be above 0% and below 100%");
        return *share;
    }

    // Nothing outside the open interval: neither 0 nor all can be shown with any number of requests.
    static std::optional<double> share_of(std::string_view percent)
    {
        const auto moved = shifted(percent, -2);
        const auto share = moved ? parse_double(*moved) : std::nullopt;
        return share && *share > 0 && *share < 1 ? share : std::nullopt;
    }

    UsageError bad(std::string_view reason) const
    {
        return UsageError("objective '" + printable(text_, 60) + "'", reason);
    }

    std::string_view text_;
    std::string lower_;
};

} // namespace detail

/// Reads "METRIC:pNN<LIMIT" (METRIC e2e, ttft or tpot; LIMIT in seconds, or with the suffix s or ms),
/// "success>=NN%" or "goodput(METRIC<LIMIT,…)>=NN%" with each metric at most once. Blanks and capitals do not
/// matter, and > does for >=. Throws UsageError.
inline Objective parse_objective(std::string_view text)
{
    return detail::ObjectiveParser(text).parse();
}

/// The canonical text of an objective: two that mean the same have the same one, and parse_objective() reads
/// it back.
inline std::string to_text(const Objective& objective)
{
    const auto percent = detail::percent_text(objective.share);
    if (objective.kind == Objective::Kind::success)
        return "success>=" + percent + "%";
    if (objective.kind == Objective::Kind::percentile) {
        const auto& limit = objective.limits.at(0);
        return std::string(name_of(limit.metric)) + ":p" + percent + "<" + detail::plain(limit.seconds);
    }
    std::string limits;
    for (const auto& limit : objective.limits)
        limits += (limits.empty() ? "" : ",") + std::string(name_of(limit.metric)) + "<" +
                  detail::plain(limit.seconds);
    return "goodput(" + limits + ")>=" + percent + "%";
}

/// Throws UsageError where two objectives are the same, or where there are more than 64.
inline void check_distinct(const std::vector<Objective>& objectives)
{
    if (objectives.size() > 64)
        throw UsageError("--objective", "is given more than 64 times");
    for (std::size_t i = 0; i < objectives.size(); ++i) {
        const auto text = to_text(objectives[i]);
        for (std::size_t other = 0; other < i; ++other)
            if (text == to_text(objectives[other]))
                throw UsageError("objective '" + printable(text, 60) + "'", "is given twice");
    }
}

} // namespace slo::stats

#endif
