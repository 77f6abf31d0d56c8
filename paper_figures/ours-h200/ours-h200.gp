# height 620
set multiplot layout 2,4 margins 0.065,0.99,0.15,0.93 spacing 0.02,0.1
set logscale x 2
set logscale y 2
set format x @two
set xrange [2**9.3:2**22.7]
set xtics 2**10,16
set yrange [0.3:5]
set ytics (0.3, 0.5, 1, 2, 3, 4)
set arrow 1 from graph 0,first 1 to graph 1,first 1 nohead ls 9
ks = "16 64 256 1024 4096"
at(i, type, m, recall) = column("k") == word(ks, i) && strcol("dtype") eq type && \
    column("m") == m && column("recall_target") == recall ? column("n") : NaN
unset key
do for [recall in "0.95 0.99"] { do for [m in "1 8 64 256"] {
    set title sprintf("m = %s, recall %s", m, recall) font ",10" offset 0,-0.6
    set ylabel (m eq "1" ? "exact over buckets, time" : "") offset 1.5
    set format y (m eq "1" ? "%g" : "")
    set xlabel (recall eq "0.99" ? "n" : "") offset 0,0.5
    plot for [i=1:5] csv using (at(i, "float16", m+0, recall+0)):"exact_over_buckets" \
            with points ls i pt 7 ps 0.7, \
        for [i=1:5] csv using (at(i, "float32", m+0, recall+0)):"exact_over_buckets" \
            with points ls i pt 6 ps 0.8
} }
unset border; unset tics; unset grid; unset title; unset xlabel; unset ylabel; unset logscale
unset arrow
set lmargin at screen 0.05; set rmargin at screen 0.99
set bmargin at screen 0.005; set tmargin at screen 0.075
set key center center horizontal maxrows 1 reverse Left
set yrange [0:1]
set xrange [0:1]
plot for [i=1:5] 2 with points ls i pt 7 ps 0.9 title "k = ".word(ks, i), \
    2 with points pt 7 ps 0.7 lc rgb "#555555" title "float16", \
    2 with points pt 6 ps 0.8 lc rgb "#555555" title "float32"
unset multiplot
