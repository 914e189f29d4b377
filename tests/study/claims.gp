# What the strategies claim, against the true limit, and what that costs. Variables: data (what `study tables --plot-data`
# prints), out (an SVG file), strategies (their names with blanks between them).
set terminal svg size 1000,640 font "sans,13" background "white"
set output out
set datafile separator ","
set datafile missing ""
n = words(strategies)
place(s) = strcol(3) eq word(strategies, s) ? $1 + (s - (n + 1) / 2.0) * 0.8 / n : NaN
set style fill solid 0.5
set boxwidth 0.7 / n
set grid ytics
stats data skip 1 using 1 nooutput
set xrange [0.5:STATS_max + 0.5]
set lmargin 9
set multiplot layout 2,1

set ylabel "claimed, % off the true limit"
set label 1 "+2 %" at graph 1.005, first 2 font ",11"
set rmargin 6
set format x ""
set xtics 1 scale 0
set key outside top center horizontal
set title "5, 25, 50, 75 and 95 % of the searches" offset 0,-0.5
plot 0 with lines lc "black" notitle, 2 with lines dt 2 lc "black" notitle, \
     for [s = 1:n] data skip 1 using (place(s)):5:4:8:7 with candlesticks whiskerbars 0.5 lc s title word(strategies, s), \
     for [s = 1:n] data skip 1 using (place(s)):6:6:6:6 with candlesticks lw 2 lc s notitle

unset label 1
unset title
unset key
set ylabel "mean rounds of 30 s"
set yrange [0:*]
set xtics rotate by -20
plot for [s = 1:n] data skip 1 using (place(s)):9 with boxes lc s notitle, data skip 1 using 1:(0):xtic(2) with dots notitle
unset multiplot
