# height 430
# column
set margins 9,3,4,2
set title "n = 262,144, k_b = 1: b asked for over the smallest" font ",9"
set xlabel "recall target"
set ylabel "b / smallest b" offset 1
set xrange [0.64:1]
set yrange [0.85:1.4]
set key top right reverse Left
ks = "1024 16384 65536"
plot for [i=1:3] csv using (strcol("rule") eq "samaga_quartic" \
         && column("k") == word(ks, i)+0 ? column("recall_target") : NaN):"b_over_exact" \
         with lines ls i title "quartic, k = ".word(ks, i), \
     for [i=1:3] csv using (strcol("rule") eq "samaga_quadratic" \
         && column("k") == word(ks, i)+0 ? column("recall_target") : NaN):"b_over_exact" \
         with lines ls i dt 2 title (i == 1 ? "quadratic (dashed)" : ""), \
     1 with lines ls 9 notitle
