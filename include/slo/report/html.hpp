// SPDX-License-Identifier: MIT
// report html: one page of all that was measured.

#ifndef SLO_REPORT_HTML_HPP
#define SLO_REPORT_HTML_HPP

#include <slo/artifact/gpu_series.hpp>
#include <slo/base/digest.hpp>
#include <slo/base/error.hpp>
#include <slo/io/atomic_file.hpp>
#include <slo/io/output_files.hpp>
#include <slo/report/html_page.hpp>
#include <slo/report/report_input.hpp>
#include <slo/report/report_streams.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::report {

namespace detail {

// The figures of cards that have a chart, and how they are named.
struct GpuFigure {
    const char* name;
    const char* title;
    const char* unit;
};
inline constexpr std::array<GpuFigure, 4> shown_gpu_figures{
    {{"utilization_pct", "GPU utilisation", "percent"},
     {"power_w", "GPU power", "W"},
     {"memory_used_mib", "GPU memory in use", "MiB"},
     {"temperature_c", "GPU temperature", "°C"}}};

inline std::vector<Chart> gpu_charts(const artifact::GpuSeries& series)
{
    constexpr std::array<const char*, 4> roles{"a", "b", "c", "d"};
    const auto extent = series.extent();
    std::vector<Chart> charts;
    for (const auto& figure : shown_gpu_figures) {
        const auto cards = series.of(figure.name);
        std::vector<ChartSeries> lines;
        for (std::size_t i = 0; i < std::min(cards.size(), roles.size()); ++i) {
            lines.push_back({"GPU " + printable(cards[i].first, 40), roles[i], "line", {}});
            for (const auto& reading : cards[i].second)
                lines.back().points.push_back({reading.time_s - extent->start_s, reading.value});
        }
        if (lines.empty())
            continue;
        auto title = std::string(figure.title);
        if (cards.size() > roles.size())
            title += " (the first " + std::to_string(roles.size()) + " of " + std::to_string(cards.size()) +
                     " cards)";
        charts.push_back(time_chart(title, figure.unit, std::move(lines)));
    }
    return charts;
}

} // namespace detail

struct HtmlOptions {
    static constexpr const char* verb = "html";
    static constexpr const char* synopsis = "[OPTION]... [FILE]...";
    static constexpr const char* summary = "One self-contained page of a search, a run or an artifact.";

    std::string output = "-";
    std::string title = "Load test of an inference service";
    std::string chart_js = chart_js_path;
    std::vector<std::string> gpu;
    double gpu_utc_offset_h = 0;
    std::vector<std::string> files{"-"};

    template <class Table>
    void describe(Table& table)
    {
        table.section("Page");
        table.add("output,o", output, "FILE", "where the page goes; a file is there whole or not at all");
        table.add("title", title, "TEXT", "its heading");
        table.add("chart-js", chart_js, "FILE", "Chart.js, which is put into the page");
        table.section("Input");
        table.add_repeatable("gpu", gpu, "FILE",
                             "figures of GPUs over time: a log of nvidia-smi, snapshots of DCGM");
        table.add("gpu-utc-offset", gpu_utc_offset_h, "HOURS",
                  "how far the clock of nvidia-smi's log is ahead of UTC");
        table.positional(files);
    }

    /// Throws IoError and InputError; nothing is written then.
    Exit run(const ReportStreams& streams) const
    {
        for (const auto& file : files)
            if (io::is_same_file(file, output) && output != "-")
                throw UsageError("--output", "is one of the files to be read");
        const auto library = load_chart_js(chart_js);
        HtmlModel model;
        read_records(
            files, [&](Record&& record) { model.take(std::move(record)); }, streams.note);
        model.finish();
        if (model.sources.empty())
            throw InputError("no record that a page could show");
        for (const auto& file : files)
            if (io::is_kept_file(file))
                model.sources[io::display_name(file)].sha256 = digest_of(file);
        constexpr double seconds_an_hour = 3600;
        if (!gpu.empty()) {
            model.gpu_charts =
                detail::gpu_charts(artifact::read_gpu_series(gpu, gpu_utc_offset_h * seconds_an_hour));
            if (model.gpu_charts.empty())
                throw InputError(gpu.front() + ": no figures of GPUs with their time");
            for (const auto& file : gpu)
                model.sources[file] = {{{"GPU series", 1}}, io::is_kept_file(file) ? digest_of(file) : ""};
        }
        io::AtomicFile page(output);
        page.write(html_page(model, title, library));
        page.commit();
        return Exit::ok;
    }

private:
    static std::string digest_of(const std::string& path)
    {
        Sha256 digest;
        io::LineReader reader(path);
        io::LineReader::Observer observer;
        observer.on_bytes = [&](std::string_view bytes) { digest.update(bytes); };
        reader.observe(std::move(observer));
        while (reader.next()) {
        }
        return digest.finish();
    }
};

} // namespace slo::report

#endif
