// SPDX-License-Identifier: MIT
// Writes metrics as Prometheus text 0.0.4.

#ifndef SLO_ENGINE_METRICS_WRITER_HPP
#define SLO_ENGINE_METRICS_WRITER_HPP

#include <slo/base/prom_label.hpp>
#include <slo/base/text.hpp>
#include <slo/engine/histogram.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::engine {

/// True when `name` matches `pattern`, in which * stands for any text and ? for one character. A pattern
/// with neither matches every name that begins with it.
inline bool matches_metric(std::string_view pattern, std::string_view name) noexcept
{
    if (pattern.find_first_of("*?") == std::string_view::npos)
        return name.starts_with(pattern);
    std::size_t p = 0, n = 0, star = std::string_view::npos, resume = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = n;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
            ++p;
            ++n;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            n = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*')
        ++p;
    return p == pattern.size();
}

/// How an engine writes its metrics.
struct MetricsStyle {
    std::string labels;                ///< of every sample, `a="b",c="d"`; may be empty
    std::optional<double> created_s;   ///< with it, each counter and histogram has its time of birth
    bool plain_integers = false;       ///< "7" instead of "7.0"
    std::vector<std::string> hidden{}; ///< patterns of names that are left out
};

/// Appends families one after the other.
class MetricsWriter {
public:
    explicit MetricsWriter(MetricsStyle style) : style_(std::move(style)) {}

    /// One sample of a gauge ("gauge") or counter ("counter"); samples of one family must follow each other.
    /// `labels` come after those of the style.
    void sample(std::string_view name, std::string_view type, std::string_view help, double value,
                std::string_view labels = {})
    {
        if (is_hidden(name))
            return;
        open(name, type, help);
        line(name, "", labels, number(value));
        if (type == "counter" && style_.created_s)
            births_.emplace_back(labels);
    }

    /// All samples of a histogram.
    void histogram(std::string_view name, std::string_view help, const Histogram& values)
    {
        if (is_hidden(name))
            return;
        open(name, "histogram", help);
        std::int64_t count = 0;
        for (std::size_t i = 0; i < values.counts().size(); ++i) {
            count += values.counts()[i];
            const auto bound = i < values.bounds().size() ? number(values.bounds()[i]) : "+Inf";
            line(name, "_bucket", "le=\"" + bound + "\"", number(static_cast<double>(count)));
        }
        line(name, "_count", {}, number(static_cast<double>(count)));
        line(name, "_sum", {}, number(values.sum()));
        if (style_.created_s)
            births_.emplace_back();
    }

    /// The whole text.
    std::string finish()
    {
        close();
        return std::move(out_);
    }

private:
    bool is_hidden(std::string_view name) const
    {
        for (const auto& pattern : style_.hidden)
            if (matches_metric(pattern, name))
                return true;
        return false;
    }

    std::string number(double value) const
    {
        auto text = format_double(value);
        if (style_.plain_integers && text.ends_with(".0"))
            text.resize(text.size() - 2);
        return text;
    }

    void head(std::string_view name, std::string_view type, std::string_view help)
    {
        out_.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ");
        out_.append(name).append(" ").append(type).append("\n");
    }

    void open(std::string_view name, std::string_view type, std::string_view help)
    {
        if (name == family_)
            return;
        close();
        family_ = name;
        help_ = help;
        head(name, type, help);
    }

    // The client library for Python writes the births of a family's series behind it, as a gauge of its own.
    void close()
    {
        if (births_.empty())
            return;
        auto name = family_;
        if (name.ends_with("_total"))
            name.resize(name.size() - std::string_view("_total").size());
        name += "_created";
        if (!is_hidden(name)) {
            head(name, "gauge", help_);
            for (const auto& labels : births_)
                line(name, "", labels, number(*style_.created_s));
        }
        births_.clear();
    }

    void line(std::string_view name, std::string_view suffix, std::string_view labels,
              const std::string& value)
    {
        out_.append(name).append(suffix);
        if (!style_.labels.empty() || !labels.empty()) {
            const auto* comma = style_.labels.empty() || labels.empty() ? "" : ",";
            out_.append("{").append(style_.labels).append(comma).append(labels).append("}");
        }
        out_.append(" ").append(value).append("\n");
    }

    MetricsStyle style_;
    std::string out_;
    std::string family_;
    std::string help_;
    std::vector<std::string> births_; ///< labels of the family's series
};

} // namespace slo::engine

#endif
