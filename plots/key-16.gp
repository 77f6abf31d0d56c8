# height 460
set multiplot layout 1,2 margins 0.08,0.985,0.27,0.9 spacing 0.06,0
set logscale x 2
set logscale y 2
set format x @two
set format y "%g"
set xlabel "n"
set xrange [2**9.5:2**22.5]
set yrange [3:60000]
ours = there(runs."/key-17.csv")
do for [m in "1 256"] {
    set title sprintf("m = %s, b = 1, k_b = k, H100 PCIe, float16", m) font ",10" offset 0,-0.6
    set ylabel (m eq "1" ? "us a call" : "") offset 1
    if (m eq "1") { set key at screen 0.53,0.01 \
        center bottom horizontal maxrows 2 reverse Left width -2 font ",8" } else { unset key }
    plot for [i=1:4] csv using (column("m") == m+0 \
             && column("k") == i ? column("n") : NaN):"predicted_us" with lines ls i \
             title sprintf("k = %d", i), \
         for [i=1:4] published."/keyetal/two-stage.csv" \
             using (column("m") == m+0 && column("k") == i \
             && column("b") == 1 && column("k_b") == i \
             && column("candidates_over_k") == 1 ? column("n") : NaN):"time_us_median" \
             with points ls i title (i == 1 ? "measured" : ""), \
         for [i=1:4] (ours eq "" ? "/dev/null" : ours) \
             using (ours eq "" ? NaN : column("m") == m+0 && column("k") == i && column("b") == 1 \
             && column("k_b") == i ? column("n") : NaN):"time_us_median" with points ls i pt 2 \
             title (i == 1 && ours ne "" ? "ours, measured" : ""), \
         csv using (column("m") == 1 && column("k") == 4 ? column("n") : NaN): \
             (column("cost_serial")/2**26.2*1e6) with lines ls 9 title "serial cost", \
         csv using (column("m") == 1 && column("k") == 4 ? column("n") : NaN): \
             (column("cost_parallel")/2**24.8*1e6) with lines ls 9 dt 4 title "parallel cost"
}
unset multiplot
