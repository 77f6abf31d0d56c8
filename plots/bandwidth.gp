# bandwidth.gp - Figures 1, 9 and 10: the bandwidth of a call over n. Set bytes, the size of a
# value, and about, the begin of a title, before loading it.
set multiplot layout 1,2 margins 0.08,0.985,0.27,0.9 spacing 0.06,0
set logscale x 2
set logscale y 10
set format x @two
set xlabel "n"
set xrange [2**9.5:2**22.5]
choices = "1:1 1:2 1:4 2:1 4:1"
k_b(i) = int(word(choices, i)[1:1])
ratio(i) = int(word(choices, i)[3:3])
# Every algorithm must read n values and write k in each of m rows.
rate(x) = column("m")*bytes*(column("n") + column("k"))/column("time_us_median")/1e3
do for [panel=1:2] {
    wanted(n) = panel == 1 ? 64 : n/4
    set title about.(panel == 1 ? "k = 64" : "k = n/4") font ",10" offset 0,-0.6
    set ylabel (panel == 1 ? "(n + k) m values / time, GB/s" : "") offset 1
    if (panel == 1) { set key at screen 0.53,0.02 \
        center bottom horizontal maxrows 2 reverse Left width -2 font ",9" } else { unset key }
    plot for [i=1:5] csv using (strcol("work") eq "two-stage" \
             && column("k") == wanted(column("n")) && column("k_b") == k_b(i) \
             && column("b")*column("k_b") == ratio(i)*column("k") ? column("n") : NaN):(rate(0)) \
             with linespoints ls i title sprintf("k_b = %d, b k_b / k = %d", k_b(i), ratio(i)), \
         csv using (strcol("work") eq "exact" && column("k") == wanted(column("n")) \
             ? column("n") : NaN):(rate(0)) with linespoints ls 9 pt 2 title "exact top-k, ours"
}
unset multiplot
