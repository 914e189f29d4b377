// SPDX-License-Identifier: MIT
// The verb `report plot`: a gnuplot script with its data in it.

#ifndef SLO_REPORT_PLOT_HPP
#define SLO_REPORT_PLOT_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/record/search.hpp>
#include <slo/report/plot_rounds.hpp>
#include <slo/report/plot_script.hpp>
#include <slo/report/report_input.hpp>
#include <slo/report/report_streams.hpp>
#include <slo/report/search_table.hpp>
#include <slo/report/search_view.hpp>
#include <slo/report/table.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slo::report {

/// Latency against rate: a mark for each probe by what it came to, the SLO, and what the search is sure of.
/// Probes without a latency are counted in `left_out`. Throws InputError where none has one.
inline std::string search_script(const SearchView& view, const PlotFrame& frame, std::size_t& left_out)
{
    PlotScript script(frame);
    const auto settings = view.settings();
    const auto slo = frame.slo_s
                         ? std::optional(SloLine{*frame.slo_s, "SLO " + format_double(*frame.slo_s) + " s"})
                         : view.slo_line();
    script.axes("request rate (req/s)", "latency, p50 of the deciding rounds (s)");
    struct Marks {
        record::ProbeStatus status;
        const char* style;
    };
    // Colours that the colour-blind tell apart (Okabe and Ito), and forms for print.
    for (const auto& [status, style] :
         {Marks{record::ProbeStatus::pass, "pt 7 ps 1.2 lc rgb '#009E73'"},
          Marks{record::ProbeStatus::fail, "pt 2 ps 1.2 lw 2 lc rgb '#D55E00'"},
          Marks{record::ProbeStatus::inconclusive, "pt 6 ps 1.2 lw 2 lc rgb '#0072B2'"},
          Marks{record::ProbeStatus::not_enough_rounds, "pt 4 ps 1.2 lw 2 lc rgb '#56B4E9'"},
          Marks{record::ProbeStatus::invalid, "pt 8 ps 1.2 lw 2 lc rgb '#777777'"}}) {
        std::vector<std::vector<std::optional<double>>> points;
        for (const auto& probe : view.probes()) {
            if (probe.status != status)
                continue;
            if (probe.avg_p50_latency_s)
                points.push_back({probe.qps, probe.avg_p50_latency_s});
            else
                ++left_out;
        }
        if (!points.empty())
            script.series(std::string(name_of(status)), points,
                          "using 1:2 with points " + std::string(style));
    }
    if (!script.has_series())
        throw InputError("no probe has a latency that could be plotted");
    if (const auto result = view.result()) {
        const auto& rates = result->certified;
        const auto low = rates ? rates->certified_qps : result->max_qps;
        const auto high = rates ? rates->rejected_qps : result->first_fail_qps;
        if (low && high && *low < *high)
            script.band(*low, *high, rates ? "certified to rejected" : "best to first fail");
        if (rates && rates->point_qps)
            script.upright(*rates->point_qps, "likeliest limit");
        auto answer = answer_line(*result, settings);
        script.subtitle(answer.substr(0, answer.find('\n')));
    }
    if (slo)
        script.level(slo->seconds, slo->label);
    return script.text();
}

/// Options of the verb.
struct PlotOptions {
    static constexpr const char* verb = "plot";
    static constexpr const char* synopsis = "[OPTION]... [FILE]... | gnuplot";
    static constexpr const char* summary = "Writes a gnuplot script: latency against rate, or over rounds.";
    std::vector<std::string> files{"-"};
    std::string what = "auto";
    PlotFrame frame;

    template <class Table>
    void describe(Table& table)
    {
        table.section("What is plotted");
        table.add("what", what, "WHAT",
                  "search (latency against rate), rounds (latency over rounds), or auto: "
                  "the search where there is one");
        table.add("slo", frame.slo_s, "SECONDS", "the line to draw; else the SLO that the records name");
        table.section("How");
        frame.describe(table);
        table.positional(files);
    }

    Exit run(const ReportStreams& streams) const
    {
        frame.check();
        if (what != "auto" && what != "search" && what != "rounds")
            throw UsageError("--what", "'" + printable(what, 40) + "' is none of search, rounds and auto");
        std::vector<std::pair<std::string, SearchView>> searches;
        RoundSeries rounds;
        std::map<std::string, std::size_t> unused;
        read_records(
            files,
            [&](Record&& record) {
                const bool is_probe = record.kind == Kind::search ||
                                      (record.kind == Kind::verdict && find(record.object, "qps"));
                if (is_probe && what != "rounds") {
                    if (searches.empty() || searches.back().first != record.file)
                        searches.emplace_back(record.file, SearchView{});
                    searches.back().second.take(record.object);
                } else if ((record.kind == Kind::round || record.kind == Kind::verdict) && what != "search") {
                    rounds.take(record);
                } else {
                    ++unused[std::string(name_of(record.kind))];
                }
            },
            streams.note);
        if (searches.size() > 1)
            throw InputError(searches[1].first, "a second search: plot one at a time");
        std::size_t left_out = 0;
        std::string script;
        if (!searches.empty()) {
            script = search_script(searches.front().second, frame, left_out);
            if (rounds.count() > 0)
                unused["round"] += rounds.count();
        } else {
            script = rounds.script(frame);
        }
        if (left_out > 0)
            streams.note("left out: " + std::to_string(left_out) + (left_out == 1 ? " probe" : " probes") +
                         " without a latency");
        detail::note_unused(unused, streams);
        streams.out.write_text(script);
        return Exit::ok;
    }
};

} // namespace slo::report

#endif
