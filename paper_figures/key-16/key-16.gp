# height 760
set multiplot layout 2,2 margins 0.075,0.985,0.14,0.945 spacing 0.03,0.1
set logscale x 2
set logscale y 10
set format x @two
set xrange [2**9.5:2**22.5]
ours = there(runs."/key-17.csv")
do for [row in "cost predicted"] { do for [m in "1 256"] {
    set title (row eq "predicted" ? "measured over predicted by the profile" : \
        "measured, and the queue by the cost models"). \
        sprintf(", H100 PCIe, float16, m = %s", m) font ",10" offset 0,-0.7
    set ylabel (m ne "1" ? "" : row eq "cost" ? "us a call" : "measured / predicted") offset 1
    set logscale y (row eq "cost" ? 10 : 2)
    if (row eq "cost") { set yrange [0.5:1e6] } else { set yrange [0.65:1.6] }
    set ytics autofreq
    if (row ne "cost") { set ytics (0.7, 0.8, 1, 1.25, 1.5) }
    set format y (m ne "1" ? "" : row eq "cost" ? "10^{%L}" : "%g")
    set xlabel (row eq "predicted" ? "n" : "")
    if (row eq "cost" && m eq "1") { set key at screen 0.53,0.01 center bottom horizontal \
        maxrows 2 reverse Left width -4 font ",9" } else { unset key }
    of(k) = column("k") == k && column("k_b") == k && column("b") == 1 && column("m") == m+0 \
        ? column("n") : NaN
    if (row eq "cost") {
        plot for [k=1:4] csv using (of(k)):"time_us_median" with linespoints ls k \
                 title sprintf("k = %d", k), \
             for [k=1:4] csv using (of(k)):(column("cost_serial")/(m+0)/2**26.2*1e6) \
                 with lines ls k dt 2 notitle, \
             for [k=1:4] csv using (of(k)):(column("cost_parallel")/2**24.8*1e6) \
                 with lines ls k dt 3 notitle, \
             for [k=1:4] (ours eq "" ? "/dev/null" : ours) using (ours eq "" ? NaN : of(k)): \
                 "time_us_median" with points ls k pt 2 notitle, \
             NaN with points pt 7 ps 0.55 lc rgb "#555555" title "measured", \
             NaN with points pt 2 ps 0.55 lc rgb "#555555" \
                 title (ours ne "" ? "ours, measured" : ""), \
             NaN with lines lw 1.6 dt 2 lc rgb "#555555" title "serial cost", \
             NaN with lines lw 1.6 dt 3 lc rgb "#555555" title "parallel cost"
    } else {
        plot 1 with lines ls 9 notitle, \
             for [k=1:4] csv using (of(k)):(column("time_us_median")/column("predicted_us")) \
                 with linespoints ls k lw 1 notitle
    }
} }
unset multiplot
