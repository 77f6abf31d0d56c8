# height 900
set multiplot layout 4,5 margins 0.06,0.985,0.09,0.965 spacing 0.014,0.05
set logscale xy 10
set tics out font ",9" scale 0.6
unset grid
set grid ytics lw 0.4 lc rgb "#cccccc"
# Recall on a logarithmic axis of 1 - recall; what is above the last tick is drawn on the top line.
top = 1e-5
loss(recall) = 1 - recall > top ? 1 - recall : top
# The same range of time over that of exact top-k in all panels.
stats csv using (column("panel") > 0 ? column("time_us_median")/column("exact_us") : NaN) nooutput
low = STATS_min/1.4
high = STATS_max*1.4
log2(x) = log(x)/log(2)
of(n) = log2(n) == floor(log2(n)) ? sprintf("2^{%d}", log2(n)) : sprintf("%d", n)
two(p) = strcol("work") eq "two-stage" && column("panel") == p
us(t) = t < 999.5 ? sprintf("%.3g", t) : sprintf("%.0f", t)
# One key for all panels, drawn with the first.
unset key
do for [i=1:4] {
    set label 10+i sprintf("k_b = %d", 2**(i-1)) at screen 0.1+0.12*i,0.02 offset 1,0 point ls i \
        font ",10"
}
set label 16 "frontier" at screen 0.68,0.02 offset 1,0 font ",10"
set label 17 "exact top-k" at screen 0.83,0.02 offset 1,0 font ",10"
set arrow 16 from screen 0.65,0.02 to screen 0.68,0.02 nohead lc rgb "#888888" lw 1.2
set arrow 17 from screen 0.80,0.02 to screen 0.83,0.02 nohead lc rgb "#222222" lw 1.6
do for [p=1:20] {
    set autoscale
    stats csv using (column("panel") == p ? column("exact_us") : 0) nooutput
    if (STATS_max == 0) {
        set multiplot next
    } else {
        exact = STATS_max
        stats csv using (column("panel") == p ? column("n") : NaN) nooutput
        n = STATS_max
        stats csv using (column("panel") == p ? column("k") : NaN) nooutput
        k = STATS_max
        stats csv using (column("panel") == p && column("ratio_at_99") > 0 \
            ? column("ratio_at_99") : 0) nooutput
        set label 2 (STATS_max > 0 ? sprintf("%.2f", STATS_max) : "-") at graph 0.04,0.91 left \
            font ",12" tc rgb (STATS_max < 1 ? "#0072B2" : "#B04A00")
        set title sprintf("n = %s, k = %d", of(n), k) font ",10" offset 0,-0.8
        set xrange [exact*low:exact*high]
        set yrange [0.4:top*0.7]
        set xtics ("1" 1, "10" 10, "100" 100, "1000" 1e3, "10^4" 1e4, "10^5" 1e5, "10^6" 1e6) \
            offset 0,0.4
        set label 1 us(exact)." us" at exact,graph 0.05 left offset 0.3,0 font ",9" tc rgb "#222222"
        set ylabel (p % 5 == 1 ? "recall" : "") offset 2 font ",10"
        if (p % 5 == 1) { set ytics (".5" 0.5, ".9" 0.1, ".99" 0.01, ".999" 1e-3, ".9999" 1e-4, \
            "1" top) } else { set ytics ("" 0.1, "" 0.01, "" 1e-3, "" 1e-4, "" top) }
        set xlabel (p > 15 ? "us a call" : "") font ",10" offset 0,0.8
        set object 1 rectangle from graph 0,0 to first exact,graph 1 fs solid noborder \
            fc rgb "#E8F1F8" behind
        set arrow 1 from exact,graph 0 to exact,graph 1 nohead lc rgb "#222222" lw 1.6
        plot csv using (two(p) && column("frontier") == 1 ? column("time_us_median") : NaN): \
                 (loss(column("recall_model"))) with steps lc rgb "#888888" lw 1.2 notitle, \
             for [i=1:4] csv using (two(p) && column("k_b") == 2**(i-1) \
                 ? column("time_us_median") : NaN):(loss(column("recall_model"))) \
                 with points ls i notitle
        unset label 1
        unset arrow 1
        unset for [i=11:17] label i
        unset for [i=16:17] arrow i
    }
}
unset multiplot
