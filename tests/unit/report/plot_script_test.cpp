// SPDX-License-Identifier: MIT
// Unit test of report/plot_script.hpp.

#include <slo/report/plot_script.hpp>

#define BOOST_TEST_MODULE report_plot_script
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::report;

BOOST_AUTO_TEST_CASE(a_script_holds_its_data_and_plots_last)
{
    PlotFrame frame;
    frame.title = "it's";
    frame.output = "a'b.svg";
    PlotScript script(frame);
    BOOST_TEST(!script.has_series());
    script.axes("x", "y");
    script.series("A", {{8.0, 0.25}, {10.0, std::nullopt}}, "using 1:2 with lines");
    script.again("B", "using 1:3 with lines");
    script.level(0.5, "SLO");
    script.subtitle("best");
    BOOST_TEST(script.text() ==
               "# Written by sloutils: report plot. Its data stand in it; run it with gnuplot.\n"
               "set encoding utf8\n"
               "set terminal svg size 900,560 noenhanced background rgb 'white'\n"
               "set output 'a''b.svg'\n"
               "set grid\n"
               "set key below horizontal height 1\n"
               "set yrange [0:*]\n"
               "set offsets 0, 0, graph 0.05, 0\n"
               "set xlabel 'x'\n"
               "set ylabel 'y'\n"
               "set title 'it''s' . \"\\n\" . 'best'\n"
               "set xrange [7.9:10.1]\n"
               "$data1 << END_OF_DATA\n"
               "8.0 0.25\n"
               "10.0 NaN\n"
               "END_OF_DATA\n"
               "plot $data1 using 1:2 with lines title 'A', \\\n"
               "     $data1 using 1:3 with lines title 'B', \\\n"
               "     0.5 with lines dashtype 2 lw 2 lc rgb '#CC79A7' title 'SLO'\n"
               "unset output\n");
}

BOOST_AUTO_TEST_CASE(no_text_gets_out_of_its_quotes)
{
    BOOST_TEST(report::detail::gnuplot_text("a'; system('x'); '\n`y`") == "'a''; system(''x''); ''?`y`'");
}

BOOST_AUTO_TEST_CASE(a_frame_that_makes_no_sense_is_refused)
{
    const auto refused = [](auto change) {
        PlotFrame frame;
        change(frame);
        try {
            frame.check();
            return false;
        } catch (const UsageError&) {
            return true;
        }
    };
    BOOST_TEST(!refused([](PlotFrame& frame) { frame.size = "1200x800"; }));
    for (const auto* size : {"1200", "99x800", "1200x", "ax800", "30000x800", "1200x800x2"})
        BOOST_TEST(refused([&](PlotFrame& frame) { frame.size = size; }), size);
    BOOST_TEST(refused([](PlotFrame& frame) { frame.terminal = "x11"; }));
    BOOST_TEST(refused([](PlotFrame& frame) { frame.slo_s = 0; }));
    BOOST_TEST(refused([](PlotFrame& frame) { frame.output = "a\nb"; }));
}
