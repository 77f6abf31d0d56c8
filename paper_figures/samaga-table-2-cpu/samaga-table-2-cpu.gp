# height 430
# column
stats csv using (column("cpu_ratio")/column("over_exact")) nooutput
set arrow 1 from STATS_mean, graph 0 to STATS_mean, graph 1 nohead ls 9
set margins 9,3,4,2
set title "n = 262,144, k = 1,024, 8 rows: time over that of k_b = 1, b = 65,536" font ",9"
set logscale x 2
set logscale y 10
set format x "%g"
set format y @ten
set xlabel "time / time of (1, 65536)"
set ylabel "recall error, 1 - recall" offset 1
set yrange [0.1:5e-5]
set xrange [0.05:2]
set key at graph 0.5, graph 0.97 top right reverse Left
ones(x) = strcol("kernel") eq "samaga" && column("k_b") == 1 ? x : NaN
more(x) = strcol("kernel") eq "samaga" && column("k_b") > 1 ? x : NaN
plot csv using (ones(column("tpu_ratio"))):(1 - column("recall")) with linespoints ls 2 \
         title "TPU v5e (print), k_b = 1", \
     csv using (ones(column("cpu_ratio"))):(1 - column("recall")) with linespoints ls 1 \
         title "a CPU, k_b = 1", \
     csv using (more(column("tpu_ratio"))):(1 - column("recall")):(strcol("k_b")) \
         with labels point ls 2 offset 0.8,0.4 font ",8" title "larger k_b, as written", \
     for [odd=0:1] csv using (int(column("k_b")) % 2 == odd ? more(column("cpu_ratio")) : NaN): \
         (1 - column("recall")):(strcol("k_b")) \
         with labels point ls 1 offset 0.8,odd ? 0.4 : -0.4 font ",8" title "", \
     NaN with lines ls 9 title "exact top-k on the CPU"
