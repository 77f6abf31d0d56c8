# height 400
set multiplot layout 1,4 margins 0.06,0.99,0.25,0.91 spacing 0.012,0
set logscale xy 10
set format x @ten
set tics font ",9"
both(x) = strcol("work") eq "two-stage" ? x : NaN
stats csv using "measured_us" nooutput
least = STATS_min
most = STATS_max
low = least
high = most
models = "time_model basic serial parallel"
names = "'time model' 'basic cost' 'serial cost' 'parallel cost'"
do for [p=1:4] {
    set autoscale y
    stats csv using (column(word(models, p)."_us")) nooutput
    low = STATS_min < low ? STATS_min : low
    high = STATS_max > high ? STATS_max : high
}
set yrange [low/1.5:high*1.5]
unset key
# Every k_b has a mark, some share one.
firsts = "1 2 3 5 9"
lasts = "1 2 4 8 4096"
said = "'1' '2' '3-4' '5-8' '9 or more'"
do for [i=1:5] {
    set label 10+i "k_b = ".word(said, i) at screen 0.02+0.11*i,0.04 offset 1,0 point ls i \
        font ",10"
}
set label 16 "exact top-k" at screen 0.69,0.04 offset 1,0 font ",10" \
    point pt 2 ps 0.6 lw 1.2 lc rgb "#222222"
set label 17 "as measured" at screen 0.83,0.04 offset 1,0 font ",10"
set arrow 17 from screen 0.80,0.04 to screen 0.83,0.04 nohead ls 9
do for [p=1:4] {
    model = word(models, p)."_us"
    set autoscale
    stats csv using (both(abs(log(column(model)/column("measured_us"))))) nooutput
    set label 1 sprintf("half within %.3g times", exp(STATS_median)) \
        at graph 0.97,0.06 right font ",10" tc rgb "#222222"
    set xrange [least/1.5:most*1.5]
    set yrange [low/1.5:high*1.5]
    set title word(names, p) font ",10" offset 0,-0.6
    set xlabel "measured us a call" font ",10"
    set ylabel (p == 1 ? "predicted us a call" : "") offset 1 font ",10"
    if (p == 1) { set format y @ten } else { set format y "" }
    plot x with lines ls 9, \
        csv using (strcol("work") eq "exact" ? column("measured_us") : NaN):(column(model)) \
            with points pt 2 ps 0.6 lw 1.2 lc rgb "#222222", \
        for [i=1:5] csv using (column("k_b") >= int(word(firsts, i)) \
            && column("k_b") <= int(word(lasts, i)) ? both(column("measured_us")) : NaN): \
            (column(model)) with points ls i
    unset for [i=11:17] label i
    unset arrow 17
}
unset multiplot
