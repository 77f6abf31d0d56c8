# height 430
# column
set margins 9,3,4,3
set title "n = 15360, k = 480: exact (lines), 1024 rows simulated (filled),\n262144 ". \
    "Monte Carlo samples (rings)" font ",9"
set logscale x 2
set logscale y 10
set format x @two
set format y @ten
set xlabel "candidates b k_b"
set ylabel "recall error, 1 - recall" offset 1
set yrange [1:1e-6]
set key top left reverse Left
sets = "1 2 3 4 6 8"
plot for [i=1:6] csv using (column("k_b") == word(sets, i)+0 ? column("candidates") : NaN): \
         (1 - column("model_recall")) with lines ls i title "k_b = ".word(sets, i), \
     for [i=1:6] csv using (column("k_b") == word(sets, i)+0 ? column("candidates") : NaN): \
         (column("recall_mean") < 1 ? 1 - column("recall_mean") : NaN) with points ls i notitle, \
     for [i=1:6] csv using (column("k_b") == word(sets, i)+0 ? column("candidates") : NaN): \
         (column("monte_carlo") < 1 ? 1 - column("monte_carlo") : NaN) \
         with points ls i pt 6 ps 1.2 lw 0.8 notitle
