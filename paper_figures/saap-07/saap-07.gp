# height 620
set multiplot layout 2,2 margins 0.075,0.985,0.09,0.95 spacing 0.05,0.12
sinks = "1 1 1 128"
windows = "63 511 2047 512"
of(method, i) = strcol("method") eq method && strcol("sink") eq word(sinks, i) \
    && strcol("window") eq word(windows, i) ? column("selectivity") : NaN
set logscale xy
set xrange [0.007:0.8]
set xtics (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
set format y @ten
set key bottom left Left reverse font ",9" title "dense part" font ",9"
methods = "topk kmeans kmeans-unroped saap"
titles = "'exact top-k' 'k-means after RoPE, own keys' 'k-means before RoPE, own keys' " \
    ."'SAAP, before RoPE'"
do for [m=1:4] {
    set title word(titles, m) font ",10" offset 0,-0.6
    set xlabel (m > 2 ? "selectivity, the dense part counted" : "")
    set ylabel (m % 2 ? "error of the output" : "") offset 1
    set yrange [(m == 1 ? 5e-7 : m == 2 ? 1e-5 : 1e-4):2]
    plot for [i=1:4] csv using (of(word(methods, m), i)):"error" with linespoints \
        ls method(word(methods, m)) dt i pt int(word("7 9 5 12", i)) \
        title word(sinks, i)." + ".word(windows, i)
}
unset multiplot
