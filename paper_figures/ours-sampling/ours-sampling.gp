# height 900
set multiplot layout 3,3 margins 0.065,0.985,0.1,0.955 spacing 0.045,0.075
set logscale x 2
set logscale y 10
set tics out font ",9" scale 0.6
set xtics (1, 8, 32, 64, 128, 256, 512) offset 0,0.3
set xrange [0.75:700]
set title font ",10" offset 0,-0.7
# Which rows a panel has, and the n or the distribution of a line.
is(pr, device, op, type) = strcol("pr") eq pr && strcol("device") eq device && strcol("op") eq op \
    && strcol("dtype") eq type
first(t, n) = is("3461", device, op, type) && column("n") == n ? t : NaN
unset key
set label 1 "top-p over all of the vocabulary" at screen 0.1,0.035 offset 1,0 point ls 2 font ",10"
set label 2 "over k survivors" at screen 0.33,0.035 offset 1,0 point ls 1 font ",10"
set label 3 "least time of buckets" at screen 0.53,0.035 offset 1,0 font ",10"
set arrow 3 from screen 0.495,0.035 to screen 0.53,0.035 nohead ls 9 lw 2 dt 1
set label 4 "exact top-k alone, n = 2^{16}, 2^{18}" at screen 0.72,0.035 offset 1,0 \
    point pt 2 ps 0.8 lc rgb "#555555" font ",10"
set label 5 "filled, solid: n = 128000; hollow, dashed: 256000.  Bottom row: dashed before \
(double), solid after (float)" at screen 0.1,0.012 font ",9"
do for [row=1:2] {
    device = row == 1 ? "B200" : "RTX PRO 6000"
    set yrange [1.2:900]
    do for [panel=1:3] {
        op = panel == 3 ? "from_probs" : "from_logits"
        type = panel == 2 ? "bfloat16" : "float32"
        set title sprintf("%s: %s, %s", device, op eq "from_probs" ? "probabilities" : "logits", \
            type)
        set ylabel (panel == 1 ? "us a call" : "") offset 0.8
        plot for [i=1:2] csv using "m":(first(column("before_us"), 128000*i)) \
                 with linespoints ls 2 dt i pt 10 - i, \
             for [i=1:2] csv using "m":(first(column("after_us"), 128000*i)) \
                 with linespoints ls 1 dt i pt 8 - i, \
             for [i=1:2] csv using "m":(first(column("least_us"), 128000*i)) \
                 with lines ls 9 lw 2 dt i, \
             published."/flashinfer/exact-blackwell.csv" using "m":(row == 1 && panel != 2 && \
                 strcol("op") eq "top_k" && strcol("kernel") eq "flashinfer_default" && \
                 column("k") == 256 && (column("n") == 65536 || column("n") == 262144) ? \
                 column("time_us_median") : NaN) with points pt 2 ps 0.8 lc rgb "#555555"
        unset label
        unset arrow
    }
}
distributions = "normal1 normal5 gumbel0.1 gumbel1"
named(d) = d[1:6] eq "normal" ? "normal, sd ".d[7:] : "Gumbel, scale ".d[7:]
set xlabel "rows m" offset 0,0.8
second(t, device, d, k) = is("2945", device, "top-k_sampling", "float32") && \
    strcol("distribution") eq d && column("deterministic") == 1 && column("k") == k ? t : NaN
do for [panel=1:3] {
    device = panel == 2 ? "B300" : "B200"
    set yrange [1.2:8000]
    set title device.": rejection, ".(panel == 3 ? "normal, sd 1" : "k = 100")
    set ylabel (panel == 1 ? "us a call" : "") offset 1.5
    set key top left Left reverse font ",8" samplen 1.5 maxrows 2 width -2
    if (panel == 2) { unset key }
    if (panel < 3) {
        plot for [i=1:4] csv using "m":(second(column("after_us"), device, word(distributions, i), \
                 100)) with linespoints ls i title named(word(distributions, i)), \
             for [i=1:4] csv using "m":(second(column("before_us"), device, \
                 word(distributions, i), 100)) with lines ls i dt 2 notitle, \
             csv using "m":(second(column("least_us"), device, "normal1", 100)) with lines ls 9 \
                 lw 2 dt 1 notitle
    } else {
        plot for [i=1:4] csv using "m":(second(column("after_us"), device, "normal1", \
                 word("10 100 1000 5000", i))) with linespoints ls i \
                 title "k = ".word("10 100 1000 5000", i), \
             csv using "m":(second(column("least_us"), device, "normal1", 100)) with lines ls 9 \
                 lw 2 dt 1 notitle
    }
}
unset multiplot
