# height 470
set multiplot layout 1,2 margins 0.08,0.985,0.29,0.91 spacing 0.06,0
set logscale x 2
set yrange [0:26]
set xrange [0.8:5.2]
set xtics (1, 2, 4)
set xlabel "k_b"
ours = there(runs."/key-8.csv")
grey = "#555555"
# The k_b of a row of that n, assignment and b k_b = ratio k.
at(n, assignment, ratio) = column("n") == n && strcol("assignment") eq assignment \
    && column("b") == int(96*ratio/column("k_b")) ? column("k_b") : NaN
do for [n in "1409 1659"] {
    set title "n = ".n.", k = 96, m = 1, H100 PCIe, float16" font ",10" offset 0,-0.6
    set ylabel (n eq "1409" ? "us a call" : "") offset 0
    if (n eq "1409") { set key at screen 0.53,0.01 \
        center bottom horizontal maxrows 4 reverse Left width -2 font ",9" } else { unset key }
    plot for [i=1:4] csv using (at(n+0, "interleaved", 2**(i-1))):"time_us_median" \
             with linespoints ls i title sprintf("b k_b / k = %d", 2**(i-1)), \
         for [i=1:4] csv using (at(n+0, "contiguous", 2**(i-1))):"time_us_median" \
             with linespoints ls i dt 2 notitle, \
         for [i=1:4] csv using (at(n+0, "interleaved", 2**(i-1))*(1.04+0.035*i)): \
             "predicted_us":"low_us":"high_us" with yerrorbars ls i pt 4 ps 0.7 notitle, \
         for [i=1:4] csv using (at(n+0, "contiguous", 2**(i-1))*(1.04+0.035*i)):"predicted_us" \
             with points ls i pt 12 ps 0.9 notitle, \
         for [i=1:4] (ours eq "" ? "/dev/null" : ours) using (ours eq "" ? NaN : \
             at(n+0, "interleaved", 2**(i-1))*0.95):"time_us_median" with points ls i pt 2 \
             notitle, \
         for [i=1:4] (ours eq "" ? "/dev/null" : ours) using (ours eq "" ? NaN : \
             at(n+0, "contiguous", 2**(i-1))*0.95):"time_us_median" with points ls i pt 1 \
             notitle, \
         NaN with lines lw 1.6 lc rgb grey title "interleaved", \
         NaN with lines lw 1.6 dt 2 lc rgb grey title "contiguous", \
         NaN with points pt 4 ps 0.7 lc rgb grey title "interleaved, predicted", \
         NaN with points pt 12 ps 0.9 lc rgb grey title "contiguous, predicted", \
         NaN with points pt 2 lc rgb grey title (ours ne "" ? "interleaved, ours" : ""), \
         NaN with points pt 1 lc rgb grey title (ours ne "" ? "contiguous, ours" : "")
}
unset multiplot
