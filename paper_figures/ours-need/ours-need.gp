# height 430
set multiplot layout 1,2 margins 0.08,0.985,0.15,0.9 spacing 0.085,0
set xlabel "standard deviation of the scores, over the temperature"
set xrange [0:8.2]
set logscale y
set format y @ten
set title "loss of elements that loses this much mass, k = 64, k_b = 2" font ",10" offset 0,-0.6
set ylabel "recall error, 1 - recall"
set yrange [0.4:5e-5]
set key bottom left Left reverse font ",9" maxrows 3
of(value, n, target) = column("n") == n && column("k_b") == 2 \
    && column("lost_mass_target") == target ? column(value) : NaN
loss(n, target) = 1 - of("recall", n, target)
plot csv using "score_sd":(loss(65536, 1e-2)) with linespoints ls 1 title "mass 1e-2", \
     csv using "score_sd":(loss(65536, 1e-3)) with linespoints ls 2 title "1e-3", \
     csv using "score_sd":(loss(65536, 1e-4)) with linespoints ls 3 title "1e-4", \
     NaN with lines lw 1.6 lc rgb "#555555" title "n = 65,536", \
     NaN with lines lw 1.6 dt 2 lc rgb "#555555" title "n = 4,096", \
     NaN with lines lw 1.6 dt 3 lc rgb "#555555" title "n = 2^{20}", \
     csv using "score_sd":(loss(4096, 1e-2)) with lines ls 1 dt 2 notitle, \
     csv using "score_sd":(loss(4096, 1e-3)) with lines ls 2 dt 2 notitle, \
     csv using "score_sd":(loss(4096, 1e-4)) with lines ls 3 dt 2 notitle, \
     csv using "score_sd":(loss(2**20, 1e-2)) with lines ls 1 dt 3 notitle, \
     csv using "score_sd":(loss(2**20, 1e-3)) with lines ls 2 dt 3 notitle, \
     csv using "score_sd":(loss(2**20, 1e-4)) with lines ls 3 dt 3 notitle
set title "candidates that this takes, n = 65,536, k = 64" font ",10" offset 0,-0.6
set ylabel "b k_b / k"
set logscale y 2
set format y "%g"
set yrange [*:*]
set key top right Right noreverse font ",9"
wanted(k_b, target) = column("n") == 65536 && column("k_b") == k_b \
    && column("lost_mass_target") == target ? column("candidates")/64 : NaN
plot csv using "score_sd":(wanted(2, 1e-4)) with linespoints ls 3 title "1e-4", \
     csv using "score_sd":(wanted(2, 1e-3)) with linespoints ls 2 title "1e-3", \
     csv using "score_sd":(wanted(2, 1e-2)) with linespoints ls 1 title "mass 1e-2, k_b = 2", \
     csv using "score_sd":(wanted(1, 1e-2)) with linespoints ls 9 title "1e-2, k_b = 1"
unset multiplot
