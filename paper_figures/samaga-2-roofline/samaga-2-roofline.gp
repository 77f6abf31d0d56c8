# height 430
set title "n = 262144, k = 1024, m = 8, float32, TPU v5e" font ",10"
set logscale y 2
set yrange [7:44]
set ytics (8, 10, 12, 16, 20, 24, 32, 40)
set ylabel "stage 1, us"
set lmargin 8
set xrange [-0.7:19.7]
set label 2 "k_b, b of the rows of Table 2, in its order" at screen 0.52,0.05 center
set xtics rotate by 45 right font ",9"
set bmargin 6
set key top left reverse Left
set arrow 1 from 2.5, graph 0 to 2.5, graph 0.78 nohead ls 9
set label 1 "approx\\_max\\_k" at -0.3, graph 0.05 font ",9" tc rgb "#555555"
plot csv using ($0-0.42):"bound_us":(0.84):(0) with vectors nohead ls 1 lw 4 \
         title "roofline, candidates stay on the chip if they fit", \
     csv using 0:(column("all_candidates_us") > column("bound_us") + 0.02 \
         ? column("all_candidates_us") : NaN) with points ls 2 ps 1 \
         title "the same with all candidates written to memory (too high where above the print)", \
     csv using 0:"printed_us":xtic(sprintf("%d, %d", column("k_b"), column("b"))) \
         with points pt 7 ps 1.1 lc rgb "#222222" title "printed"
