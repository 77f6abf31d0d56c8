# height 400
set multiplot layout 1,2 margins 0.08,0.985,0.15,0.9 spacing 0.06,0
set logscale x 2
set logscale y 10
set format x @two
set xlabel "n, left out of the fit"
set xrange [2**9.5:2**22.5]
set yrange [0.9:50]
set ytics (1, 2, 5, 10, 20, 50)
models = "calibrated basic serial parallel"
do for [what in "mean p95"] {
    set title (what eq "mean" ? "on average" : "worse for one question in twenty") font ",10" \
        offset 0,-0.6
    set ylabel (what eq "mean" ? "time of the choice / fastest" : "") offset 0
    if (what eq "mean") { set key top left reverse Left font ",8" } else { unset key }
    plot for [i=1:4] csv using (strcol("model") eq word(models, i) ? column("n") : NaN): \
             (column(what)) with linespoints ls i \
             title "chosen by the ".(i == 1 ? "calibrated time" : word(models, i)." cost")
}
unset multiplot
