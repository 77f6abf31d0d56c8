# height 430
# column
stats csv using (column("k")) nooutput
k = STATS_max
set margins 9,3,4,2
set title "n = 262,144, k = 1,024, k_b = 1" font ",9"
set logscale x 2
set logscale y 10
set format x @two
set format y @ten
set xlabel "buckets b"
set ylabel "recall error, 1 - recall" offset 1
set yrange [0.5:8e-3]
set key top left reverse Left
set xrange [2**10:2**17]
rules = "exact samaga_quadratic chern"
names = "'exact' 'Samaga et al.: 1 - (k/2)(1/b - 1/n)' 'Chern et al.: r^{1/(k-1)} = 1 - 1/b'"
plot for [i=1:3] csv using (strcol("rule") eq word(rules, i) ? column("b") : NaN): \
         (1 - column("recall_target")) with lines ls i title word(names, i), \
     k/(2*x) with lines ls 2 dt 2 title "caption: 1 - k/(2b)", \
     k/x with lines ls 3 dt 2 title "caption: 1 - k/b"
