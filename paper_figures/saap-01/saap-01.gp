# height 640
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
    set title "shares of 128 buckets, ".rope." RoPE" font ",10" offset 0,-0.6
    set xlabel "rank of the bucket by its keys"
    set ylabel "share" offset 2.5
    set key at graph 0.98,0.97 right top noreverse Right
    set xrange [0:129]
    set logscale y
    set ytics offset 0.5
    set yrange [0.0001:2]
    set format y "%g"
    plot csv using (of(rope, "queries in bucket")):"y" with points ls 2 title "of the queries", \
        csv using (of(rope, "keys in bucket")):"y" with lines ls 1 title "of the keys"
    unset logscale y
    set ytics offset 0.5
    set yrange [*:*]
    set xrange [*:*]
}
unset multiplot
