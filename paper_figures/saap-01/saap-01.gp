# height 640
# Of each bucket the share of the keys; a bucket without a query stands on the axis.
array share[128]
keep(x) = (share[int(column("x"))] = x, x)
set multiplot layout 2,3 margins 0.055,0.99,0.085,0.95 spacing 0.074,0.115
of(rope, what) = strcol("rope") eq rope && strcol("what") eq what ? column("x") : NaN
do for [rope in "before after"] {
    set title "principal components, ".rope." RoPE" font ",10" offset 0,-0.6
    set xlabel "first component" offset 0,0.6
    set ylabel "second component" offset 2
    set key at graph 0.62,0.97 right top samplen 0.5 font ",9"
    plot csv using (of(rope, "key")):"y" with points pt 7 ps 0.3 lc rgb "#0072B2" title "keys", \
        csv using (of(rope, "query")):"y" with points pt 7 ps 0.3 lc rgb "#D55E00" \
            title "queries", \
        csv using (of(rope, "sink")):"y" with points pt 3 ps 1.8 lw 2 lc rgb "#222222" \
            title "sink"
    set title "dot products, ".rope." RoPE" font ",10" offset 0,-0.6
    set xlabel "dot product"
    set ylabel "density" offset 0.5
    set xrange [-250:400]
    set yrange [0:0.018]
    set key at graph 0.98,0.97 right top noreverse Right samplen 1.5 font ",9"
    plot csv using (of(rope, "key and key product")):"y" with histeps ls 1 \
            title "key and key", \
        csv using (of(rope, "query and key product")):"y" with histeps ls 2 \
            title "query and key"
    set xrange [*:*]
    set yrange [*:*]
    set xrange [*:*]
    stats csv using (of(rope, "keys in bucket") > 0 ? keep(column("y")) : NaN) nooutput
    set title "128 buckets, ".rope." RoPE" font ",10" offset 0,-0.6
    set xlabel "share of the keys"
    set ylabel "share of the queries" offset 2.5
    set logscale xy
    set xrange [6e-4:0.04]
    set yrange [3e-5:0.5]
    set xtics (0.001, 0.003, 0.01, 0.03)
    set ytics ("0" 3e-5, 1e-4, 1e-3, 0.01, 0.1) offset 0.5
    set key at graph 0.03,0.97 left top reverse Left
    plot csv using (of(rope, "queries in bucket") > 0 ? share[int(column("x"))] : NaN): \
            (column("y") > 0 ? column("y") : 3e-5) with points pt 6 ps 0.6 lc rgb "#222222" \
            title "a bucket", \
        x with lines ls 9 title "as many of both"
    unset logscale xy
    set xtics autofreq
    set ytics autofreq offset 0.5
    set yrange [*:*]
    set xrange [*:*]
    set key noreverse Right
}
unset multiplot
