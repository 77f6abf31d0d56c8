# height 450
set multiplot layout 1,2 margins 0.075,0.985,0.25,0.91 spacing 0.05,0
set logscale xy 2
set xrange [0.85:9.4]
set xtics (1, 2, 4, 8) font ",10"
set yrange [0.95:6]
set ytics (1, 1.2, 1.5, 2, 3, 4, 5) font ",10"
set xlabel "k_b" font ",11"
do for [k in "96 192"] {
    set title (k eq "96" ? "k = n/16" : "k = n/8") font ",11" offset 0,-0.6
    set ylabel (k eq "96" ? "error over that of exact top-k (less is better)" : "") \
        font ",11" offset 0.5
    if (k eq "96") { set key at screen 0.53,0.015 center bottom horizontal maxrows 2 reverse Left \
        font ",10" } else { unset key }
    of(i, assignment) = column("k") == k+0 && strcol("assignment") eq assignment \
        && column("candidates_over_k") == 2**(i-1) ? column("k_b") : NaN
    plot for [i=1:4] csv using (of(i, "interleaved")):"relative" \
             with linespoints ls i ps 0.9 notitle, \
         for [i=1:4] keyentry with linespoints ls i ps 0.9 title "b k_b = ".word("k 2k 4k 8k", i), \
         for [i=1:4] csv using (of(i, "contiguous")):"relative" \
             with linespoints ls i ps 0.9 dt 2 notitle, \
         keyentry with lines lw 1.6 lc rgb "#555555" title "interleaved", \
         keyentry with lines lw 1.6 dt 2 lc rgb "#555555" title "contiguous", \
         1 with lines lc rgb "#222222" lw 1.6 dt 3 title "exact top-k"
}
unset multiplot
