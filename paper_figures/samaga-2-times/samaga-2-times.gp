# height 400
set title "n = 262144, k = 1024, m = 8, float32" font ",10"
set logscale y 10
set format y @ten
set xlabel "us a call, both stages"
set ylabel "recall error, 1 - recall" offset 1
set yrange [1:1e-4]
set key bottom right reverse Left
set offsets graph 0.02, graph 0.08, 0, 0
plot csv using (strcol("work") eq "two-stage" ? column("time_us_median") : NaN): \
         (1 - column("recall_model")) with points ls 1 title "ours, measured", \
     csv using (strcol("work") eq "two-stage" ? column("time_us_median") : NaN): \
         (1 - column("recall_model")):(sprintf("k_b %d, b %d", column("k_b"), column("b"))) \
         with labels font ",8" left offset 0.7,0.3 tc rgb "#333333" notitle
