# height 400
set margins 9,3,4,2
set title "n = 262144, k = 1024: exact (+, with k_b) and simulated ".\
    "(points; bars: one sd of a row more)" font ",9"
set logscale x 2
set logscale y 10
set format x @two
set format y @ten
set xlabel "candidates b k_b"
set ylabel "recall error, 1 - recall" offset 1
set xrange [2**10:2**17.6]
set yrange [0.2:5e-5]
set key bottom right reverse Left
plot csv using "candidates":(1 - column("recall_mean")):(1 - column("recall_mean")): \
         (1 - column("recall_mean") + column("recall_sd")) with yerrorbars ls 1 title "simulated", \
     csv using "candidates":(1 - column("model_recall")) \
         with points pt 1 ps 1.2 lw 1.5 lc rgb "#D55E00" title "exact", \
     csv using "candidates":(1 - column("model_recall")):(sprintf("%d", column("k_b"))) \
         with labels font ",8" left offset 0.9,0.5 tc rgb "#333333" notitle
