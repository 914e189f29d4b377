// SPDX-License-Identifier: MIT
// A gnuplot script that needs no other file.

#ifndef SLO_REPORT_PLOT_SCRIPT_HPP
#define SLO_REPORT_PLOT_SCRIPT_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::report {

/// Where a plot goes, and what is the same in every plot.
struct PlotFrame {
    std::string terminal = "svg";
    std::string output; ///< empty: gnuplot's stdout
    std::string title;
    std::string size; ///< "WIDTHxHEIGHT" in pixels; empty: the default
    bool log_y = false;
    std::optional<double> slo_s{};

    template <class Table>
    void describe(Table& table)
    {
        table.add("terminal", terminal, "NAME", "svg, pdfcairo or png");
        table.add("output", output, "FILE", "the picture that gnuplot writes; else its stdout");
        table.add("title", title, "TEXT", "above the plot");
        table.add("size", size, "WIDTHxHEIGHT", "in pixels (900x560)");
        table.flag("log-y", log_y, "latencies on a logarithmic scale");
    }

    /// Throws UsageError for an option that makes no sense.
    void check() const
    {
        if (terminal != "svg" && terminal != "pdfcairo" && terminal != "png")
            throw UsageError("--terminal",
                             "'" + printable(terminal, 40) + "' is none of svg, pdfcairo and png");
        if (slo_s && !(*slo_s > 0))
            throw UsageError("--slo", "must be above 0");
        if (output.find('\n') != std::string::npos)
            throw UsageError("--output", "has a line break in it");
        pixels();
    }

    /// Width and height. Throws UsageError.
    std::pair<int, int> pixels() const
    {
        if (size.empty())
            return {900, 560};
        const auto x = size.find('x');
        const auto width = parse_integer<int>(std::string_view(size).substr(0, x));
        const auto height =
            x == std::string::npos ? std::nullopt : parse_integer<int>(std::string_view(size).substr(x + 1));
        if (!width || !height || *width < 100 || *height < 100 || *width > 20'000 || *height > 20'000)
            throw UsageError("--size",
                             "'" + printable(size, 40) + "' is no size from 100x100 to 20000x20000");
        return {*width, *height};
    }
};

namespace detail {

/// Text as a gnuplot string. In single quotes nothing is expanded: no command, no macro, no escape.
inline std::string gnuplot_text(std::string_view text, std::size_t limit = 300)
{
    std::string quoted = "'";
    for (const char c : printable(text, limit)) {
        if (c == '\'')
            quoted += '\'';
        quoted += c;
    }
    return quoted + "'";
}

} // namespace detail

/// Builds the script: data blocks and settings first, one plot command last.
class PlotScript {
public:
    explicit PlotScript(const PlotFrame& frame) : frame_(frame)
    {
        const auto [width, height] = frame.pixels();
        const auto pixels = std::to_string(width) + "," + std::to_string(height);
        // In print there are no pixels: 100 to the inch.
        const auto inches = format_fixed(width / 100.0, 2) + "in," + format_fixed(height / 100.0, 2) + "in";
        settings_ = "# Written by sloutils: report plot. Its data stand in it; run it with gnuplot.\n"
                    "set encoding utf8\n";
        if (frame.terminal == "svg")
            settings_ += "set terminal svg size " + pixels + " noenhanced background rgb 'white'\n";
        else if (frame.terminal == "png")
            settings_ += "set terminal pngcairo size " + pixels + " noenhanced background rgb 'white'\n";
        else
            settings_ += "set terminal pdfcairo size " + inches + " noenhanced\n";
        if (!frame.output.empty())
            settings_ += "set output " + detail::gnuplot_text(frame.output, frame.output.size()) + "\n";
        settings_ += "set grid\nset key below horizontal height 1\n";
        settings_ += frame.log_y ? "set logscale y\n" : "set yrange [0:*]\nset offsets 0, 0, graph 0.05, 0\n";
    }

    void axes(std::string_view x, std::string_view y)
    {
        settings_ +=
            "set xlabel " + detail::gnuplot_text(x) + "\nset ylabel " + detail::gnuplot_text(y) + "\n";
    }

    /// Rows of numbers, the first of a row its x, absent ones gaps; plotted as `how` has it ("using 1:2 with
    /// lines").
    void series(const std::string& name, const std::vector<std::vector<std::optional<double>>>& rows,
                const std::string& how)
    {
        const auto block = "$data" + std::to_string(++blocks_);
        data_ += block + " << END_OF_DATA\n";
        for (const auto& row : rows) {
            if (const auto x = row.front()) {
                least_x_ = std::min(least_x_.value_or(*x), *x);
                most_x_ = std::max(most_x_.value_or(*x), *x);
            }
            std::string line;
            for (const auto& value : row)
                line += (line.empty() ? "" : " ") + (value ? format_double(*value) : std::string("NaN"));
            data_ += line + "\n";
        }
        data_ += "END_OF_DATA\n";
        add(block + " " + how + " title " + detail::gnuplot_text(name));
    }

    /// The same rows again, another column of them.
    void again(const std::string& name, const std::string& how)
    {
        add("$data" + std::to_string(blocks_) + " " + how + " title " + detail::gnuplot_text(name));
    }

    bool has_series() const noexcept { return blocks_ > 0; }

    /// A shaded band between two places of the x axis.
    void band(double from, double to, const std::string& name, const std::string& colour = "#56B4E9")
    {
        settings_ += "set object rectangle from first " + format_double(from) + ", graph 0 to first " +
                     format_double(to) + ", graph 1 fillcolor rgb '" + colour +
                     "' fillstyle transparent solid 0.25 noborder behind\n";
        add("NaN with lines lw 8 lc rgb '" + colour + "' title " + detail::gnuplot_text(name));
    }

    /// An upright line.
    void upright(double x, const std::string& name)
    {
        settings_ += "set arrow from first " + format_double(x) + ", graph 0 to first " + format_double(x) +
                     ", graph 1 nohead dashtype 3 lc rgb '#000000'\n";
        add("NaN with lines dashtype 3 lc rgb '#000000' title " + detail::gnuplot_text(name));
    }

    /// A level line, such as an SLO.
    void level(double y, const std::string& name)
    {
        add(format_double(y) + " with lines dashtype 2 lw 2 lc rgb '#CC79A7' title " +
            detail::gnuplot_text(name));
    }

    /// A line above the plot, below its title.
    void subtitle(const std::string& text) { subtitle_ = text; }

    std::string text() const
    {
        std::string plot, title;
        if (!frame_.title.empty())
            title = detail::gnuplot_text(frame_.title);
        if (!subtitle_.empty())
            title += (title.empty() ? "" : " . \"\\n\" . ") + detail::gnuplot_text(subtitle_, 200);
        if (!title.empty())
            title = "set title " + title + "\n";
        // A fixed range, so that level lines reach from side to side.
        const double least = least_x_.value_or(0), most = most_x_.value_or(1);
        const double room = most > least ? 0.05 * (most - least) : 0.05 * std::max(1.0, std::abs(most));
        const auto range =
            "set xrange [" + format_double(least - room) + ":" + format_double(most + room) + "]\n";
        for (const auto& element : elements_)
            plot += (plot.empty() ? "plot " : ", \\\n     ") + element;
        return settings_ + title + range + data_ + plot + "\n" +
               (frame_.output.empty() ? "" : "unset output\n");
    }

private:
    void add(std::string element) { elements_.push_back(std::move(element)); }

    PlotFrame frame_;
    std::string settings_;
    std::string data_;
    std::vector<std::string> elements_;
    std::string subtitle_;
    std::optional<double> least_x_, most_x_;
    std::size_t blocks_ = 0;
};

} // namespace slo::report

#endif
