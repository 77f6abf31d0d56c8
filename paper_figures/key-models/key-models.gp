# height 430
set multiplot layout 1,2 margins 0.08,0.985,0.22,0.9 spacing 0.06,0
set logscale y 10
set yrange [0.9:10]
set ytics (1, 1.5, 2, 3, 5, 10)
set xrange [-0.6:3.6]
set xtics ("all k" 0, "1 to 4" 1, "16 to n/64" 2, "n/16, n/4" 3) scale 0
set boxwidth 0.22
set style fill solid 0.9
models = "basic serial parallel"
group(k) = k eq "all" ? 0 : k eq "k up to 4" ? 1 : k eq "16 to n/64" ? 2 : 3
do for [m in "1 256"] {
    set title "m = ".m font ",10" offset 0,-0.6
    set ylabel (m eq "1" ? "time of the choice / fastest, mean" : "") offset 1
    set xlabel "k"
    if (m eq "1") { set key at screen 0.53,0.02 center bottom horizontal maxrows 1 reverse Left \
        font ",8" } else { unset key }
    plot for [i=1:3] csv using (strcol("model") eq word(models, i) && column("m") == m+0 ? \
        group(strcol("k")) + 0.25*(i - 2) : NaN):"mean" with boxes ls i \
        title word(models, i)." cost"
}
unset multiplot
