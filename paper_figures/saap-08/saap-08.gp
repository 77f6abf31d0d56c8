# height 420
set multiplot layout 1,2 margins 0.075,0.985,0.13,0.91 spacing 0.055,0
methods = "kmeans kmeans-unroped saap"
names = "'k-means, after RoPE' 'k-means, before' 'SAAP'"
of(m, chosen, x) = strcol("method") eq word(methods, m) && strcol("chosen") eq chosen \
    && column("visited") > 0 ? column(x) : NaN
set logscale xy
set format y @ten
set yrange [1e-4:1]
set title "by the keys that a query attends to" font ",10" offset 0,-0.6
set xlabel "selectivity, the dense part counted"
set ylabel "error of the output" offset 1
set xrange [0.018:0.5]
set xtics (0.02, 0.05, 0.1, 0.2, 0.4)
set key bottom left Left reverse font ",9"
line = "ls method(word(methods, m))"
plot for [m=1:3] csv using (of(m, "independent", "selectivity")):"error" with linespoints @line \
        title word(names, m).", independent", \
    for [m=1:3] csv using (of(m, "together", "selectivity")):"error" with linespoints @line dt 2 \
        title word(names, m).", together"
set title "by the bytes that are read for a query" font ",10" offset 0,-0.6
set xlabel "bytes, of keys, values and index"
set ylabel ""
set xrange [1.6e4:1.5e6]
set xtics ("20 k" 2e4, "50 k" 5e4, "100 k" 1e5, "200 k" 2e5, "500 k" 5e5, "1 M" 1e6)
unset key
plot for [m=1:3] csv using (of(m, "independent", "bytes_read")):"error" with linespoints @line, \
    for [m=1:3] csv using (of(m, "together", "bytes_read")):"error" with linespoints @line dt 2
unset multiplot
