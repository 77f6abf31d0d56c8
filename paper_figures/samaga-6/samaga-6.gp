# height 480
set multiplot layout 1,2 margins 0.075,0.985,0.13,0.92 spacing 0.06,0
set logscale x 2
set logscale y 10
set format x @two
set format y @ten
set tics font ",10"
set xlabel "candidates b k_b" font ",11"
set yrange [1:1e-6]
set key top left reverse Left font ",10"
sets = "1 2 3 4 6 8"
do for [n in "430080 15360"] {
    set title "n = ".n.", k = ".(n eq "430080" ? "3360" : "480") font ",11" offset 0,-0.6
    set ylabel (n eq "430080" ? "recall error, 1 - recall" : "") offset 1 font ",11"
    at(i) = column("n") == n+0 && column("k_b") == word(sets, i)+0 ? column("candidates") : NaN
    loss(recall) = recall < 1 ? 1 - recall : NaN
    plot for [i=1:6] csv using (at(i)):(1 - column("model_recall")) with lines ls i \
             title "k_b = ".word(sets, i), \
         for [i=1:6] csv using (at(i)):(loss(column("recall_mean"))) with points ls i ps 0.8 \
             notitle, \
         for [i=1:6] csv using (at(i)):(loss(column("monte_carlo"))) with points ls i pt 6 ps 1.4 \
             lw 0.8 notitle, \
         keyentry with lines lc rgb "#555555" title "exact", \
         keyentry with points pt 7 ps 0.8 lc rgb "#555555" title "1024 rows", \
         keyentry with points pt 6 ps 1.4 lw 0.8 lc rgb "#555555" title "Monte Carlo"
}
unset multiplot
