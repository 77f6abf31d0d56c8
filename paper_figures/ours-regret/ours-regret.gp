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
    if (what eq "mean") { set key top left reverse Left font ",9" } else { unset key }
    # Basic and serial cost are nearly one line: the first is broad and pale, the second lies on it.
    plot for [i in "2 1 3 4"] csv \
             using (strcol("model") eq word(models, i+0) ? column("n") : NaN): \
             (column(what)) with linespoints ls i+0 lw (i eq "2" ? 6 : 1.6) \
             lc rgb (i eq "2" ? "#F5C9A8" : i eq "1" ? "#0072B2" : i eq "3" ? "#009E73" \
                 : "#CC79A7") \
             title "chosen by the ".(i eq "1" ? "calibrated time" : word(models, i+0)." cost")
}
unset multiplot
