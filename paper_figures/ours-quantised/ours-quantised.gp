# height 400
set multiplot layout 1,2 margins 0.075,0.985,0.15,0.9 spacing 0.075,0
names = "int8 f8e4m3 f8e5m2 nvfp4 mxfp4"
place(name) = (words(substr(names, 1, strstrt(names, name))))
set xrange [0.6:5.4]
set xtics ("int8\n8 bits" 1, "f8e4m3\n8" 2, "f8e5m2\n8" 3, "nvfp4\n4.5" 4, "mxfp4\n4.25" 5) \
    scale 0
set yrange [0.7:1]
set key bottom left Left reverse font ",9"
set title "the model, k = 2048 of 131,072" font ",10" offset 0,-0.6
set ylabel "share of the true top k" offset 1
of(target) = column("k_b") == 2 && abs(column("recall") - target) < 0.005 ? 1 : NaN
at(target) = of(target)*place(substr(strcol("rounding"), 4, -1))
plot csv using (at(0.95)):(1 - column("rounding_loss")) with linespoints \
        ls 1 title "exact top-k", \
     csv using (at(0.99)):(column("recall_rounded")) with linespoints \
        ls 2 title "buckets, .99", \
     csv using (at(0.95)):(column("recall_rounded")) with linespoints \
        ls 3 title "buckets, .95"
set title "exact top-k of a real model, k = 256 of 8192" font ",10" offset 0,-0.6
unset ylabel
real = "paper_figures/ours-quantised/quantised.csv"
layer(l) = column("k") == 256 && column("layer") == l ? place(strcol("stored")) : NaN
plot for [i=1:4] real using (layer(word("2 8 15 28", i) + 0)):"kept" with points ls i ps 1.3 \
        title "layer ".word("2 8 15 28", i), \
     real using (layer(2) - 0.3):"kept_model":(0.6):(0) with vectors nohead lw 2 \
        lc rgb "#555555" title "the model"
unset multiplot
