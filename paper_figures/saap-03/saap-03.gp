# height 460
set multiplot layout 1,2 margins 0.075,0.985,0.125,0.93 spacing 0.1,0
# Masses outside of sink and window or of all keys, of the heads of layer 0 or of the others.
of(m, share, first) = strcol("method") eq m && strcol("of") eq share \
    && (column("layer") == 0) == first ? column("mass") : NaN
# Of some heads the quantiles .1, .5 and .9 of these masses, for each k.
sizes = "16 64 256 1024 4096"
quantiles = "0.1 0.5 0.9"
array row[3]
do for [c=1:3] {
    share = word("outside all outside", c)
    heads = c == 3 ? 9 : 261
    set print $quantiles append
    do for [size in sizes] {
        set table $sorted
        plot csv using (column("k") == size ? of("topk", share, c == 3) : NaN):(1) smooth cumulative
        unset table
        unset datafile columnheaders
        set datafile separator whitespace
        do for [q=1:3] {
            stats $sorted using ($2 > word(quantiles, q) * heads - 1e-9 ? $1 : NaN) nooutput
            row[q] = STATS_min
        }
        set datafile columnheaders
        set datafile separator comma
        if (c == 1 && size eq "16") { print "case,k,low,middle,high" }
        print sprintf("%d,%s,%.5g,%.5g,%.5g", c, size, row[1], row[2], row[3])
    }
    unset print
}
at(c, x) = column("case") == c ? x : NaN
stats $quantiles using (column("case") == 1 && column("k") == 256 ? column("middle") : NaN) nooutput
middle = STATS_max

set yrange [0:1.2]
set ytics 0,0.2,1
set title "at most 256 of 8192 keys, of each head; lines: medians from layer 1 on" font ",10" \
    offset 0,-0.6
set xlabel "layer"
set xrange [-0.8:29.8]
set ylabel "share of the mass outside of sink and window" offset 1
draw(m) = of(m, "outside", 1) >= 0 || of(m, "outside", 0) >= 0 ? \
    (m ne "topk" || column("k") == 256 ? column("layer") + 0.07 * (column("head") - 4) : NaN) : NaN
methods = "topk kmeans kmeans-unroped"
names = "'the 256 largest' 'k-means, after RoPE' 'k-means, before'"
do for [i=1:3] {
    name = word(methods, i)
    stats csv using (column("layer") > 0 && draw(name) > 0 ? column("mass") : NaN) nooutput
    set arrow i from first 0.5,STATS_median to first 29.8,STATS_median nohead lw 2 \
        lc rgb word(sparse_colours, method(name) - 30) front
    set label i sprintf("%.2f", STATS_median) at graph 1,first STATS_median offset 0.4,0 \
        font ",10" tc rgb word(sparse_colours, method(name) - 30)
}
set key top center horizontal Left reverse samplen 1 font ",9"
plot for [i=1:3] csv using (draw(word(methods, i))):"mass" with points ls method(word(methods, i)) \
    pt 7 ps 0.3 title word(names, i)
unset for [i=1:3] arrow i
unset for [i=1:3] label i

set title "the k largest: median, and 10 to 90 % of the heads" font ",10" offset 0,-0.6
set xlabel "k"
set logscale x 2
set xrange [14:4700]
set xtics (16, 64, 256, 1024, 4096)
set ylabel ""
set key top left vertical Left reverse samplen 2 font ",9"
set label 1 sprintf("%.2f", middle) at 256,middle offset 0.6,-0.9 font ",10" front
plot $quantiles using (at(1, column("k"))):"low":"high" with filledcurves fs transparent solid 0.2 \
        lc rgb "#000000" notitle, \
    $quantiles using (at(3, column("k"))):"low":"high" with filledcurves fs transparent solid 0.35 \
        lc rgb "#999999" notitle, \
    $quantiles using (at(2, column("k"))):"middle" with linespoints ls 9 pt 6 ps 0.6 \
        title "of all keys, layers 1 to 29", \
    $quantiles using (at(1, column("k"))):"middle" with linespoints lw 1.8 pt 7 ps 0.7 \
        lc rgb "#000000" title "outside of sink and window, layers 1 to 29", \
    $quantiles using (at(3, column("k"))):"middle" with linespoints lw 1.8 pt 5 ps 0.7 \
        lc rgb "#777777" title "outside of sink and window, layer 0"
unset multiplot
