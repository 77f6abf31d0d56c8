# height 440
set margins 9,3,4,2
set title "n = 262144, k = 1024; numbers: k_b; bars: one sd of a row more" font ",10"
set logscale x 2
set logscale y 10
set format x @two
set format y @ten
set xlabel "candidates b k_b"
set ylabel "recall error, 1 - recall" offset 1
set xrange [2**10.2:2**17.4]
printed = published."/samaga/table-2.csv"
set yrange [0.2:5e-5]
set key bottom right reverse Left
# The print of (8, 512) is that of (8, 256).
set arrow 1 from 4096,0.0062 to 4096,0.00019 size screen 0.008,20 filled lc rgb "#B04A00"
set label 1 "printed .992, exact .999863" at 4400,0.0006 left font ",9" tc rgb "#B04A00"
set label 2 "printed .992, exact .994162" at 65536,0.018 center font ",9" tc rgb "#B04A00"
# A ring around each print that disagrees.
set label 3 "" at 4096,0.008 point pt 6 ps 3.4 lw 2 lc rgb "#B04A00" front
set label 4 "" at 65536,0.008 point pt 6 ps 3.4 lw 2 lc rgb "#B04A00" front
plot csv using "candidates":(1 - column("recall_mean")):(1 - column("recall_mean")): \
         (1 - column("recall_mean") + column("recall_sd")) with yerrorbars ls 1 title "simulated", \
     printed using (column("b")*column("k_b")):(1 - column("recall")) \
         with points pt 4 ps 1.7 lw 1.3 lc rgb "#222222" title "printed", \
     csv using "candidates":(1 - column("model_recall")) \
         with points pt 1 ps 1.2 lw 1.5 lc rgb "#D55E00" title "exact", \
     csv using "candidates":(1 - column("model_recall")):(sprintf("%d", column("k_b"))) \
         with labels font ",9" left offset 0.9,0.5 tc rgb "#333333" notitle
