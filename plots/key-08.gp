# height 430
set multiplot layout 1,2 margins 0.08,0.985,0.27,0.9 spacing 0.06,0
set logscale x 2
set yrange [0:*]
set xrange [0.8:5]
set xtics (1, 2, 4)
set xlabel "k_b"
sparq = published."/keyetal/sparq-shapes.csv"
do for [n in "1409 1659"] {
    set title "n = ".n.", k = 96, m = 1, float16" font ",10" offset 0,-0.6
    set ylabel (n eq "1409" ? "us a call" : "") offset 1
    if (n eq "1409") { set key at screen 0.53,0.02 \
        center bottom horizontal maxrows 2 reverse Left width -2 font ",8" } else { unset key }
    plot for [i=1:4] csv using (strcol("assignment") eq "interleaved" && column("n") == n+0 \
             && column("b") == int(96*2**(i-1)/column("k_b")) \
             ? column("k_b") : NaN):"time_us_median" with linespoints ls i \
             title sprintf("b k_b = %dk", 2**(i-1)), \
         for [i=1:4] csv using (strcol("assignment") eq "contiguous" && column("n") == n+0 \
             && column("b") == int(96*2**(i-1)/column("k_b")) \
             ? column("k_b") : NaN):"time_us_median" with linespoints ls i dt 2 \
             title (i == 1 ? "contiguous (dashed)" : ""), \
         for [i=1:4] (sparq eq "" ? "/dev/null" : sparq) \
             using (sparq eq "" ? NaN : strcol("assignment") eq "interleaved" \
             && column("n") == n+0 && column("b") == int(96*2**(i-1)/column("k_b")) \
             ? column("k_b")*1.06 : NaN):"time_us_median" with points ls i pt 2 ps 0.8 \
             title (i == 1 ? "published, interleaved" : "")
}
unset multiplot
