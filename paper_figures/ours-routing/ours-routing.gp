# height 400
set multiplot layout 1,2 margins 0.1,0.985,0.15,0.9 spacing 0.06,0
set logscale y 10
set format y "%g"
set yrange [1:2e-4]
set xrange [0.7:7.3]
set xtics 1
set xlabel "groups kept, of 8"
set key top left reverse Left font ",9"
sd = "1 4"
shape = "256 160"
at(panel, i) = column("score_sd") == word(sd, i) + 0 && column("n") == word(shape, panel) + 0 ? \
    column("blocks") : NaN
do for [panel=1:2] {
    set title (panel == 1 ? "256 experts, top 8" : "160 experts, top 6") font ",10" offset 0,-0.6
    set ylabel (panel == 1 ? "share of the top k that is lost" : "")
    plot csv using (at(panel, 1)):(1 - column("recall")) with linespoints ls 1 title "best", \
         for [i=1:2] csv using (at(panel, i)):(1 - column("recall_two_best")) \
             with linespoints ls 1 + i title "two best, S = ".word(sd, i)
}
unset multiplot
