# height 430
# column
set margins 9,3,4,2
set title "n = 262,144, k_b = 1, b divides n" font ",9"
set logscale x 2
set logscale y 10
set format y @ten
set xlabel "b / k"
set ylabel "recall - stated recall" offset 1
set key top right reverse Left
ks = "1024 16384 65536"
gap(name, k) = strcol("rule") eq name && column("k") == k && column("recall") < 1 \
    ? column("recall") - column("recall_stated") : NaN
plot for [i=1:3] csv using (column("b")/column("k")):(gap("samaga_quartic", word(ks, i)+0)) \
         with linespoints ls i title "quartic, k = ".word(ks, i), \
     for [i=1:3] csv using (column("b")/column("k")):(gap("samaga_quadratic", word(ks, i)+0)) \
         with linespoints ls i dt 2 title (i == 1 ? "quadratic (dashed)" : "")
