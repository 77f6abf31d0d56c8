# height 460
set xrange [0.4:10.9]
set yrange [0.938:1.016]
set ylabel "recall"
set xtics scale 0
set for [i=1:10] xtics add ("" i)
set grid noxtics
set key bottom right font ",10" box lc rgb "#cccccc" opaque
set arrow 1 from 4.78,graph 0 to 4.78,graph 1 nohead lw 0.8 lc rgb "#999999"
set arrow 2 from 8.78,graph 0 to 8.78,graph 1 nohead lw 0.8 lc rgb "#999999"
set label 1 "target 0.95" at 2.6,1.0115 center font ",10"
set label 2 "target 0.99" at 6.7,1.0115 center font ",10"
set label 3 "0.99, a faster stage 2" at 9.8,1.0115 center font ",10"
set bmargin 4.2
set bars 1.2
of(x) = column("place")+x
plot csv using (of(-0.35)):"recall_target":(0.7):(0) with vectors nohead lc rgb "#888888" lw 2 \
         dt 2 title "target", \
     csv using (of(-0.35)):"recall_model":(0.7):(0) with vectors nohead ls 1 lw 2.4 \
         title "exact model, mean", \
     csv using "place":"recall":"error" with yerrorbars ls 2 ps 1.1 \
         title "measured; bar: the sd of the mean of m rows", \
     csv using (of(0.1)):"recall":(sprintf("z = %.2f", column("z"))) \
         with labels left offset 0.3,0.5 font ",9" notitle, \
     csv using "place":(0.938):(sprintf("n = %d\nk = %d\nm = %d", column("n"), column("k"), \
         column("m"))) with labels center offset 0,-1.7 font ",9" notitle
