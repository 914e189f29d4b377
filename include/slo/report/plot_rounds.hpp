// SPDX-License-Identifier: MIT
// Latency over the rounds of a run, as a plot.

#ifndef SLO_REPORT_PLOT_ROUNDS_HPP
#define SLO_REPORT_PLOT_ROUNDS_HPP

#include <slo/artifact/artifact.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/report/plot_script.hpp>
#include <slo/report/report_input.hpp>
#include <slo/stats/steady.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slo::report {

/// The rounds of one run or several, one run a file, and what verdicts say of them.
class RoundSeries {
public:
    /// Takes in a round or a verdict record. Throws Error for more rounds than a plot can show.
    void take(const Record& record)
    {
        if (record.kind == Kind::verdict) {
            const auto start = integer_at(record.object, "steady_window_start_idx");
            const auto size = integer_at(record.object, "steady_window_size");
            if (start && size && *start >= 0 && *size > 0 && *start < most_rounds && *size < most_rounds)
                steady_ = std::pair(*start, *start + *size);
            if (const auto slo_s = number_at(record.object, "slo_s"); slo_s && *slo_s > 0)
                slo_s_ = slo_s;
            return;
        }
        if (runs_.empty() || runs_.back().file != record.file)
            runs_.push_back({record.file, {}, {}});
        auto& run = runs_.back();
        if (static_cast<std::int64_t>(run.rows.size()) >= most_rounds)
            throw Error("more rounds than a plot can show");
        if (const auto slo_s = number_at(record.object, "slo_seconds"); slo_s && *slo_s > 0 && !slo_s_)
            slo_s_ = slo_s;
        const auto at = [&](std::string_view path) { return as_number(value_at(record.object, path)); };
        run.rows.push_back({static_cast<double>(run.rows.size() + 1), at("Latency.p50"), at("Latency.p90"),
                            at("Latency.p99")});
        run.p50s.push_back(at("Latency.p50"));
    }

    std::size_t count() const noexcept
    {
        std::size_t rounds = 0;
        for (const auto& run : runs_)
            rounds += run.rows.size();
        return rounds;
    }

    /// The script: of one run three percentiles, its warm-up and its steady window; of several their p50.
    /// Throws InputError where no round has a latency.
    std::string script(const PlotFrame& frame) const
    {
        if (std::none_of(runs_.begin(), runs_.end(), [](const Run& run) {
                return std::any_of(run.p50s.begin(), run.p50s.end(),
                                   [](auto& p50) { return p50.has_value(); });
            }))
            throw InputError("no round has a latency that could be plotted");
        PlotScript script(frame);
        script.axes("round", "latency (s)");
        constexpr std::array colours{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00"};
        if (runs_.size() == 1) {
            const auto& run = runs_.front();
            script.series("p50", run.rows, "using 1:2 with linespoints pt 7 lw 2 lc rgb '#0072B2'");
            script.again("p90", "using 1:3 with linespoints pt 6 lc rgb '#E69F00'");
            script.again("p99", "using 1:4 with linespoints pt 2 lc rgb '#D55E00'");
            shade(script, run);
        } else {
            for (std::size_t i = 0; i < runs_.size(); ++i)
                script.series("p50 " + runs_[i].file, runs_[i].rows,
                              std::string("using 1:2 with linespoints lw 2 lc rgb '") +
                                  colours[i % colours.size()] + "'");
        }
        const auto slo_s = frame.slo_s ? frame.slo_s : slo_s_;
        if (slo_s)
            script.level(*slo_s, "SLO " + format_double(*slo_s) + " s");
        return script.text();
    }

private:
    static constexpr std::int64_t most_rounds = 1'000'000;
    using Row = std::vector<std::optional<double>>;

    struct Run {
        std::string file;
        std::vector<Row> rows;
        std::vector<std::optional<double>> p50s;
    };

    // The window of the verdict, else that of the classic rule.
    void shade(PlotScript& script, const Run& run) const
    {
        auto window = steady_;
        const auto size = static_cast<std::int64_t>(run.p50s.size());
        if (!window) {
            std::vector<double> series;
            std::vector<std::int64_t> places; // a round without a latency is none of the series
            for (std::int64_t i = 0; i < size; ++i)
                if (const auto& p50 = run.p50s[static_cast<std::size_t>(i)]) {
                    series.push_back(*p50);
                    places.push_back(i);
                }
            if (const auto start = stats::steady_start(series, 0.30, 3))
                window = std::pair(places[*start], size);
        }
        if (!window || window->first >= size)
            return;
        const auto from = static_cast<double>(window->first);
        if (from > 0)
            script.band(0.5, from + 0.5, "warm-up", "#E69F00");
        script.band(from + 0.5, static_cast<double>(std::min(window->second, size)) + 0.5, "steady window");
    }

    std::vector<Run> runs_;
    std::optional<std::pair<std::int64_t, std::int64_t>> steady_;
    std::optional<double> slo_s_;
};

} // namespace slo::report

#endif
