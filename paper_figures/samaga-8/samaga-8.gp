# height 450
set multiplot layout 1,2 margins 0.08,0.985,0.14,0.91 spacing 0.09,0
set logscale x 2
set logscale y 10
set tics font ",10"
k = 1024
set title "k = 1024" font ",11" offset 0,-0.6
set format x @two
set xlabel "buckets b" font ",11"
set ylabel "recall error, 1 - recall" offset 1 font ",11"
set xrange [2**10:2**17]
set yrange [0.5:8e-3]
set ytics (".5" 0.5, ".2" 0.2, ".1" 0.1, ".05" 0.05, ".02" 0.02, ".01" 0.01)
set key top left reverse Left font ",10"
rules = "exact samaga_quadratic chern"
names = "'exact' 'Samaga et al.: 1 - (k/2)(1/b - 1/n)' 'Chern et al.: r^{1/(k-1)} = 1 - 1/b'"
plot for [i=1:3] csv using (column("k") == k && strcol("rule") eq word(rules, i) \
         ? column("b") : NaN):(1 - column("recall_target")) with lines ls i title word(names, i), \
     k/(2*x) with lines ls 2 dt 2 title "caption: 1 - k/(2b)", \
     k/x with lines ls 3 dt 2 title "caption: 1 - k/b"
set title "b divides n" font ",11"
set autoscale
set format x "%g"
set format y @ten
set ytics auto font ",10"
set xlabel "b / k"
set ylabel "recall - stated recall"
set key top right
ks = "4096 16384 65536"
gap(name, i) = strcol("rule") eq name && column("k") == word(ks, i)+0 && column("recall") < 1 \
    ? column("recall") - column("recall_stated") : NaN
plot for [i=1:3] csv using (column("b")/column("k")):(gap("samaga_quartic", i)) \
         with linespoints ls i title "quartic, k = ".word(ks, i), \
     for [i=1:3] csv using (column("b")/column("k")):(gap("samaga_quadratic", i)) \
         with linespoints ls i dt 2 notitle, \
     keyentry with lines dt 2 lc rgb "#555555" lw 1.6 title "quadratic"
unset multiplot
